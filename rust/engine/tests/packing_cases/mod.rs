//! Runs the test vectors of cards and of the block that is packed from them.

use super::{Failure, Input, Value, as_number, bytes, list, row, text};
use cuecard_core::memory::{Card, read_card};
use cuecard_core::present::{PackItem, pack};

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "read_card" => read_card(&bytes(&input.value("data"))).map_or(Value::None, |card| {
            let Card { date, state, gist, text, anchors, evidence, main } = card;
            row([date.into(), state.into(), gist.into(), text.into(), list(anchors), evidence.into(), main.into()])
        }),
        "pack" => {
            let items: Vec<_> = input.rows("items").iter().map(|fields| item(fields)).collect();
            let limit = |name| usize::try_from(input.number(name)).unwrap();
            let packed = pack(&items, limit("max_tokens"), limit("budget_chars"));
            let outcomes = list(packed.outcomes.iter().map(|outcome| outcome.name()));
            row([packed.block.into(), outcomes, i64::try_from(packed.tokens).unwrap().into()])
        }
        _ => return None,
    }))
}

fn item(fields: &[Value]) -> PackItem {
    let [category, title, id, Value::List(card), Value::List(labels), logit, beside] = fields else {
        panic!("no item: {fields:?}")
    };
    let [date, state, gist, full, Value::List(anchors), evidence, main] = &card[..] else {
        panic!("no card: {card:?}")
    };
    PackItem {
        category: text(category),
        title: text(title),
        id: text(id),
        card: Card {
            date: text(date),
            state: text(state),
            gist: text(gist),
            text: text(full),
            anchors: anchors.iter().map(text).collect(),
            evidence: text(evidence),
            main: text(main),
        },
        labels: labels.iter().map(text).collect(),
        logit: as_number(logit),
        beside: if matches!(beside, Value::None) { None } else { Some(as_number(beside)) },
    }
}
