//! Cards of memories, and the block that is packed from them.

use crate::convert::Text;
use cuecard_core as core;
use pyo3::prelude::*;

/// Date, state, gist, full text, anchors, evidence and main field of a memory.
type Card = (String, String, String, String, Vec<String>, String, String);
/// Category, title, id, card, labels and logit of a memory, and the logit of the memory beside which it is shown.
type Item = (Text, Text, Text, (Text, Text, Text, Text, Vec<Text>, Text, Text), Vec<Text>, i64, Option<i64>);

#[pyfunction]
pub(crate) fn read_card(data: &[u8]) -> Option<Card> {
    let core::memory::Card { date, state, gist, text, anchors, evidence, main } = core::memory::read_card(data)?;
    Some((date, state, gist, text, anchors, evidence, main))
}

#[pyfunction]
pub(crate) fn pack(items: Vec<Item>, max_tokens: usize, budget_chars: usize) -> (String, Vec<&'static str>, usize) {
    let items: Vec<_> = items.into_iter().map(item).collect();
    let packed = core::present::pack(&items, max_tokens, budget_chars);
    (packed.block, packed.outcomes.iter().map(|outcome| outcome.name()).collect(), packed.tokens)
}

fn item((category, title, id, card, labels, logit, beside): Item) -> core::present::PackItem {
    let texts = |texts: Vec<Text>| texts.into_iter().map(Text::into_string).collect();
    let (date, state, gist, text, anchors, evidence, main) = card;
    core::present::PackItem {
        category: category.into_string(),
        title: title.into_string(),
        id: id.into_string(),
        card: core::memory::Card {
            date: date.into_string(),
            state: state.into_string(),
            gist: gist.into_string(),
            text: text.into_string(),
            anchors: texts(anchors),
            evidence: evidence.into_string(),
            main: main.into_string(),
        },
        labels: texts(labels),
        logit,
        beside,
    }
}
