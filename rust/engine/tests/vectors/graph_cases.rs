//! Runs the test vectors of concept graphs, as `tests/support/graph_cases.py` does in Python.

use super::segment_cases::hex_of;
use super::{Failure, Input, Value, as_number, list, row, text};
use cuecard_core::index::concept_graph::ConceptGraph;
use cuecard_core::index::concept_graph_writer::GraphWriter;
use cuecard_core::index::dictionary::{Dictionary, DictionaryWriter, Entry};

/// Runs a test case about graphs; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    if !function.starts_with("graph_") {
        return None;
    }
    let (dictionary, mut section) = sections(input);
    if input.has("section") {
        section = input.bytes("section");
    }
    let graph = ConceptGraph::new(&section, Dictionary::new(&dictionary));
    Some(Ok(match function {
        "graph_section" => hex_of(&section),
        "graph_neighbours" => list(input.texts("terms").iter().map(|term| weighted(graph.neighbours(term)))),
        "graph_expand" => {
            let query: Vec<_> = input.rows("query").iter().map(|entry| (text(&entry[0]), small(&entry[1]))).collect();
            let query: Vec<_> = query.iter().map(|(term, weight)| (term.as_str(), *weight)).collect();
            let hops = usize::try_from(input.number("hops")).unwrap();
            weighted(graph.expand(&query, hops, small(&input.value("decay"))))
        }
        _ => return None,
    }))
}

/// Returns the dictionary and the graph for the input `lists`, which contains the text, impact and document numbers of
/// each term.
fn sections(input: &Input) -> (Vec<u8>, Vec<u8>) {
    let mut dictionary = DictionaryWriter::default();
    let mut graph = GraphWriter::new(small(&input.value("documents")));
    for term in input.rows("lists") {
        let [name, impact, Value::List(numbers)] = &term[..] else { panic!("no list: {term:?}") };
        let impact = u8::try_from(as_number(impact)).unwrap();
        let documents = u32::try_from(numbers.len()).unwrap();
        dictionary.push(text(name).as_bytes(), Entry { offset: 0, documents, max: impact });
        graph.push(&numbers.iter().map(|number| (small(number), impact)).collect::<Vec<_>>());
    }
    (dictionary.finish(), graph.finish())
}

fn small(value: &Value) -> u32 {
    u32::try_from(as_number(value)).unwrap()
}

fn weighted(terms: Vec<(&str, u32)>) -> Value {
    list(terms.into_iter().map(|(term, weight)| row([term.into(), i64::from(weight).into()])))
}
