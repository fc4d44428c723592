//! Runs the test vectors of cards and of the block that is packed from them.

use super::{Failure, Input, Value, as_number, bytes, list, row, text};
use cuecard_core::memory::{Card, Document, read_card, read_pointer};
use cuecard_core::present::{PackItem, pack, pack_named};
use cuecard_core::retrieve::query_terms;
use cuecard_core::text::json_reader::read_json;
use cuecard_core::text::sanitize::escape_frames;

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "read_card" => read_card(&bytes(&input.value("data"))).map_or(Value::None, of_card),
        "card_for_prompt" => {
            let terms = query_terms::<String>(&input.text("prompt"), &[]);
            let terms: Vec<_> = terms.into_iter().map(|term| (term.term, term.weight)).collect();
            of_card(Card::fitting(&read_json(&bytes(&input.value("data"))).unwrap(), &terms))
        }
        "escape_frames" => escape_frames(&input.text("text")).into(),
        "indexed_texts" => {
            let path = ".claude/memory/runbooks/a.json";
            list(Document::read("runbook", path, Some(&bytes(&input.value("data")))).unwrap().fields())
        }
        "pointed_place" => {
            let record = read_json(&bytes(&input.value("data"))).unwrap();
            let number = |number: Option<i64>| number.map_or(Value::None, Value::from);
            read_pointer(&record).map_or(Value::None, |pointer| {
                row([pointer.place().into(), number(pointer.size), number(pointer.time)])
            })
        }
        "pack" => {
            let items: Vec<_> = input.rows("items").iter().map(|fields| item(fields)).collect();
            let limit = |name| usize::try_from(input.number(name)).unwrap();
            let packed = pack(&items, limit("max_tokens"), limit("budget_chars"));
            let outcomes = list(packed.outcomes.iter().map(|outcome| outcome.name()));
            row([packed.block.into(), outcomes, i64::try_from(packed.tokens).unwrap().into()])
        }
        "pack_named" => {
            let items: Vec<_> = input.rows("items").iter().map(|fields| named_item(fields)).collect();
            let limit = |name| usize::try_from(input.number(name)).unwrap();
            let packed = pack_named(&items, limit("max_tokens"), limit("budget_chars"));
            let outcomes = list(packed.outcomes.iter().map(|outcome| outcome.name()));
            row([packed.block.into(), outcomes, i64::try_from(packed.tokens).unwrap().into()])
        }
        _ => return None,
    }))
}

fn of_card(card: Card) -> Value {
    let Card { date, state, gist, text, anchors, evidence, main } = card;
    row([date.into(), state.into(), gist.into(), text.into(), list(anchors), evidence.into(), main.into()])
}

fn named_item(fields: &[Value]) -> PackItem {
    let [title, id, Value::List(labels)] = fields else { panic!("no item: {fields:?}") };
    PackItem { title: text(title), id: text(id), labels: labels.iter().map(text).collect(), ..PackItem::default() }
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
