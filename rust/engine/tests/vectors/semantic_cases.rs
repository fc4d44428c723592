//! Runs the test vectors of text vectors and of the semantic retriever, as `tests/support/semantic_cases.py` does in Python.

use super::segment_cases::hex_of;
use super::snapshot_cases::{STORE, filters_of, path_at, snapshot_of};
use super::{Failure, Input, Value, as_number, list, row, text};
use cuecard_core::index::Filters;
use cuecard_core::index::static_vector::Row;
use cuecard_core::index::vectors::{RowMaker, row_of_words, vector_words};
use cuecard_core::retrieve::nearest_rows;

/// Runs a test case about the semantic retriever; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "vector_words" => list(vector_words(&input.text("text"))),
        "document_row" => {
            let [title, tags, body] = ["title", "tags", "body"].map(|name| input.text(name));
            vector_value(RowMaker::default().document_row(&title, &tags, &body))
        }
        "row_of_words" => {
            let weighted = input.rows("words");
            let weighted = weighted.iter().map(|pair| (text(&pair[0]), u32::try_from(as_number(&pair[1])).unwrap()));
            vector_value(row_of_words(&weighted.collect::<Vec<_>>()))
        }
        "prompt_words" => {
            let words = snapshot_of(input).prompt_words(&input.text("prompt"));
            list(words.into_iter().map(|(word, weight)| row([word.into(), i64::from(weight).into()])))
        }
        "near_by_signs" => {
            let snapshot = snapshot_of(input);
            let filters =
                if input.has("filters") { filters_of(&input.items("filters")).ok()? } else { Filters::default() };
            let (prompt, norm) = row_of_words(&snapshot.prompt_words(&input.text("prompt")));
            let near = snapshot.near_by_signs(&prompt, usize::try_from(input.number("k")).unwrap(), &filters);
            list(near.into_iter().map(|position| {
                row([path_at(&snapshot, position).into(), snapshot.cosines_at(position, &prompt, norm).best().into()])
            }))
        }
        "cosines" => {
            let snapshot = snapshot_of(input);
            let (prompt, norm) = row_of_words(&snapshot.prompt_words(&input.text("prompt")));
            let position = snapshot.find(&format!("{STORE}{}", input.text("path"))).unwrap_or(99);
            let cosines = snapshot.cosines_at(position, &prompt, norm);
            row([cosines.content.into(), cosines.questions.into()])
        }
        "nearest_rows" => {
            let [dimension, k] = ["dimension", "k"].map(|name| usize::try_from(input.number(name)).unwrap());
            let near = nearest_rows(&input.bytes("rows"), dimension, &input.bytes("query"), k).into_iter();
            list(near.map(|(number, cosine)| row([i64::from(number).into(), cosine.into()])))
        }
        _ => return None,
    }))
}

/// Returns a vector as hexadecimal digits, and its norm.
fn vector_value((found, norm): (Row, u32)) -> Value {
    row([hex_of(&found), i64::from(norm).into()])
}
