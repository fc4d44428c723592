//! Runs the test vectors of the static table, as `tests/support/static_table_cases.py` does in Python.

use super::{Failure, Input, Value, as_number, list, row};
use cuecard_core::index::other_words::{OtherWords, shipped as other_words};
use cuecard_core::index::static_table::{StaticTable, related, row as shipped_row, word_rows};
use cuecard_core::index::static_vector::{Row, Sums, cosine, quantize, sum_rows};
use cuecard_core::index::vectors::row_of_words;

/// Runs a test case about the table; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "table_word_rows" => with_table(input, |table| {
            list(input.texts("words").iter().map(|word| list(table.word_rows(word).into_iter().map(i64::from))))
        }),
        "table_row" => with_table(input, |table| {
            let row_of = |place: &Value| table.row(u32::try_from(as_number(place)).unwrap());
            list(input.items("numbers").iter().map(|place| row_of(place).map_or(row([]), row_value)))
        }),
        "table_related" => {
            with_table(input, |table| list(input.texts("terms").iter().map(|term| links(table.related(term)))))
        }
        "other_find" => with_words(input, |file| list(input.texts("words").iter().map(|word| links(file.find(word))))),
        "other_words_of" => {
            with_words(input, |file| list(input.texts("chunks").iter().map(|chunk| list(file.words_of(chunk)))))
        }
        "shipped_other_words" => list(input.texts("words").iter().map(|word| {
            let (found, _norm) = row_of_words(&[(word, 1)]);
            row([links(other_words().find(word)), row_value(&found)])
        })),
        "shipped_related" => list(input.texts("terms").iter().map(|term| links(related(term)))),
        "shipped_vectors" => list(input.texts("texts").iter().map(|text| {
            let rows = text.split(' ').flat_map(word_rows).filter_map(shipped_row);
            vector_value(&sum_rows(rows.map(|row| (row, 1))))
        })),
        "sum_rows" => {
            let rows: Vec<Row> = input.rows("rows").iter().map(|values| row_of(values)).collect();
            let weights = input.items("weights");
            let weights = weights.iter().map(|weight| u32::try_from(as_number(weight)).unwrap());
            list(sum_rows(rows.iter().zip(weights)).into_iter().map(i64::from))
        }
        "quantize" => vector_value(&sums_of(&input.items("sums"))),
        "cosine" => {
            let norm = |name| u32::try_from(input.number(name)).unwrap();
            let row = |name| row_of(&input.items(name));
            cosine(&row("a"), norm("norm_a"), &row("b"), norm("norm_b")).into()
        }
        _ => return None,
    }))
}

fn with_table(input: &Input, found: impl Fn(StaticTable) -> Value) -> Value {
    StaticTable::open(&input.bytes("table")).map_or(Value::None, found)
}

fn with_words(input: &Input, found: impl Fn(OtherWords) -> Value) -> Value {
    OtherWords::open(&input.bytes("file")).map_or(Value::None, found)
}

fn links(related: Vec<(&str, u8)>) -> Value {
    list(related.into_iter().map(|(term, cosine)| row([term.into(), i64::from(cosine).into()])))
}

fn vector_value(sums: &Sums) -> Value {
    let (found, norm) = quantize(sums);
    row([row_value(&found), i64::from(norm).into()])
}

fn row_value(row: &Row) -> Value {
    list(row.iter().map(|byte| i64::from(i8::from_le_bytes([*byte]))))
}

fn row_of(values: &[Value]) -> Row {
    let signed = values.iter().map(|value| i8::try_from(as_number(value)).unwrap());
    let bytes: Vec<u8> = signed.flat_map(i8::to_le_bytes).collect();
    bytes.try_into().unwrap()
}

fn sums_of(values: &[Value]) -> Sums {
    let sums: Vec<i32> = values.iter().map(|value| i32::try_from(as_number(value)).unwrap()).collect();
    sums.try_into().unwrap()
}
