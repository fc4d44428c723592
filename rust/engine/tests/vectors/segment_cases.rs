//! Runs the test vectors of segments and plain indexes, as `tests/support/segment_cases.py` does in Python.

use super::{Failure, Input, Value, as_number, list, row, text};
use cuecard_core::Error;
use cuecard_core::index::bm25::{idf, impact, natural_log, plain_average, weight};
use cuecard_core::index::layout::{Analyzer, DEAD, Header, SegmentError, u32_at, u64_at};
use cuecard_core::index::postings::{PostingsWriter, runs};
use cuecard_core::index::segment::{Segment, Statistics};
use cuecard_core::index::segment_builder::Builder;
use cuecard_core::index::segment_writer::{LEFT_OUT, Lists, SegmentSource, write_segment};
use cuecard_core::retrieve::plain_index::{PlainIndex, PlainQuery};
use cuecard_core::retrieve::segment_search::{QueryTerm, Wanted, search};
use cuecard_core::retrieve::top_k::{Bonus, List, Scratch, exhaustive, top_k};
use cuecard_core::settings::Bm25Settings;
use std::cmp::Ordering;
use std::fmt::Write as _;

type Index = PlainIndex<Vec<u8>>;

/// Runs a test case about segments; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "natural_log" => float(natural_log(input.float("y"))),
        "idf" => small(idf(input.small("documents"), input.small("in_list"))),
        "weight" => small(weight(input.small("idf"), input.small("q"))),
        "impact" => {
            let settings =
                Bm25Settings { k1: input.float("k1"), weights: input.floats("weights"), bs: input.floats("bs") };
            let averages = input.floats("averages");
            small(impact(&settings, &averages, &input.smalls("lengths"), &input.smalls("counts")).into())
        }
        "best_of" => best_of(input),
        "delta_segment" => dump(write_delta(input).1.bytes()),
        "delta_search" => delta_search(input),
        "merged_segment" => merged_segment(input),
        "open_segment" => return Some(open_segment(input.bytes("data"))),
        "plain_segment" => {
            let index = index_of(input).with_everything();
            list(std::iter::once(index.base().bytes()).chain(index.delta().map(Segment::bytes)).map(dump))
        }
        "plain_search" => {
            let index = index_of(input).with_everything();
            let k = usize::try_from(input.number("k")).unwrap();
            pairs(index.search(&index.prepare(&query_of(&index, input)), k, &mut Scratch::default()))
        }
        "plain_scores" => {
            let index = index_of(input).with_everything();
            list(index.scores(&index.prepare(&query_of(&index, input))).into_iter().map(small))
        }
        "plain_explain" => {
            let index = index_of(input).with_everything();
            let query = query_of(&index, input);
            let number = u32::try_from(input.number("number")).ok();
            let parts = number.and_then(|number| index.explain(&index.prepare(&query), number));
            let Some(parts) = parts else {
                return Some(Err(failure("IndexError", "document number out of range", "")));
            };
            list(parts.into_iter().map(|(term, weight, impact)| {
                row([String::from_utf8_lossy(term).into(), small(weight), small(impact.into())])
            }))
        }
        _ => return None,
    }))
}

trait Settled {
    fn with_everything(self) -> Self;
}

impl Settled for Index {
    fn with_everything(self) -> Self {
        if self.is_unsettled() { self.with_delta().unwrap() } else { self }
    }
}

fn open_segment(data: Vec<u8>) -> Result<Value, Failure> {
    let raised = |error: SegmentError| failure("SegmentError", &error.to_string(), error.hint());
    let base = Segment::open(data).map_err(raised)?;
    Ok(small(PlainIndex::new(base, None).map_err(raised)?.documents()))
}

pub(crate) fn failure(class: &str, message: &str, hint: &str) -> Failure {
    Failure { class: class.into(), message: message.into(), hint: hint.into() }
}

fn index_of(input: &Input) -> Index {
    let name = if input.has("analyzer") { input.text("analyzer") } else { "words".into() };
    let analyzer = Analyzer::from_name(&name).unwrap_or_else(|error: Error| panic!("{error}"));
    let mut builder = Builder::new(analyzer);
    push_documents(&mut builder, input);
    let numbers = (0..builder.documents()).collect();
    let number = |name: &str, default| if input.has(name) { input.float(name) } else { default };
    let index =
        Index::build(analyzer, Bm25Settings::plain(number("k1", 1.2), number("b", 0.75)), &[(builder, numbers)], 1)
            .unwrap();
    if !input.has("added") {
        return index;
    }
    let mut builder = Builder::new(analyzer);
    push_all(&mut builder, &input.items("added"));
    if builder.documents() == 0 { index } else { index.add(builder).unwrap() }
}

/// Adds the documents of a case: `texts`, lists of `terms`, or `fields` (lists of title, tags and body).
fn push_documents(builder: &mut Builder, input: &Input) {
    if !input.has("fields") {
        return push_all(builder, &input.items(if input.has("texts") { "texts" } else { "terms" }));
    }
    for fields in input.rows("fields") {
        let fields: Vec<String> = fields.iter().map(text).collect();
        builder.push([&fields[0], &fields[1], "", &fields[2]]);
    }
}

fn push_all(builder: &mut Builder, documents: &[Value]) {
    for document in documents {
        match document {
            Value::List(terms) => {
                let terms: Vec<String> = terms.iter().map(text).collect();
                builder.push_terms(terms.iter().map(String::as_bytes));
            }
            document => builder.push(["", "", "", &text(document)]),
        }
    }
}

fn query_of(index: &Index, input: &Input) -> PlainQuery {
    match input.value("query") {
        Value::List(terms) => {
            let mut query = PlainQuery::new();
            for term in &terms {
                query.push(&text(term));
            }
            query
        }
        query => PlainQuery::of_text(index.analyzer(), &text(&query)),
    }
}

fn builder_of(documents: &[Value]) -> Builder {
    let mut builder = Builder::new(Analyzer::Words);
    push_all(&mut builder, documents);
    builder
}

fn header(documents: u32) -> Header {
    Header { documents, analyzer: Analyzer::Words, base_checksum: 0, base_documents: 0 }
}

/// Returns the statistics from which a plain index of these documents is made.
fn statistics_of(documents: &[Value]) -> Statistics {
    let builder = builder_of(documents);
    let averages = builder.totals().map(|total| plain_average(total, builder.documents()));
    let settings = Bm25Settings { k1: 1.2, weights: [3.0, 2.0, 2.0, 1.0], bs: [0.75; 4] };
    Statistics { settings, averages }
}

fn write_documents(documents: &[Value], statistics: &Statistics) -> Segment<Vec<u8>> {
    let builder = builder_of(documents);
    let numbers = (0..builder.documents()).collect();
    let part: SegmentSource<Vec<u8>> = SegmentSource { lists: Lists::Builder(&builder), numbers };
    let file = write_segment(&header(builder.documents()), statistics, &[part], vec![], false, 1);
    Segment::open(file).unwrap()
}

/// Returns two segments: a base, and a delta with the documents that replace the dead documents of the base.
fn write_delta(input: &Input) -> (Segment<Vec<u8>>, Segment<Vec<u8>>) {
    let documents = input.items("documents");
    let base = write_documents(&documents, &statistics_of(&documents));
    let builder = builder_of(&input.items("added"));
    let part: SegmentSource<Vec<u8>> =
        SegmentSource { lists: Lists::Builder(&builder), numbers: (0..builder.documents()).collect() };
    let dead =
        input.items("dead").iter().flat_map(|number| u32::try_from(as_number(number)).unwrap().to_le_bytes()).collect();
    let header = Header {
        documents: builder.documents(),
        base_checksum: base.checksum(),
        base_documents: base.documents(),
        ..base.header()
    };
    let file = write_segment(&header, &base.statistics().unwrap(), &[part], vec![(DEAD, dead)], false, 1);
    (base, Segment::open(file).unwrap())
}

fn delta_search(input: &Input) -> Value {
    let (base, delta) = write_delta(input);
    let query: Vec<(String, u32)> =
        input.rows("query").iter().map(|term| (text(&term[0]), u32::try_from(as_number(&term[1])).unwrap())).collect();
    let query: Vec<QueryTerm> = query.iter().map(|(text, q)| QueryTerm { text: text.as_bytes(), q: *q }).collect();
    let k = usize::try_from(input.number("k")).unwrap();
    let in_order = |_: &_, _: &_| Ordering::Equal;
    let found = search(&[&base, &delta], &query, Wanted::best(k), in_order, &mut Scratch::default());
    list(
        found
            .into_iter()
            .map(|found| row([small(u32::try_from(found.segment).unwrap()), small(found.number), small(found.score)])),
    )
}

/// Merges the parts of a case into one segment. Every second part is passed as a finished segment, and the others as
/// builders.
fn merged_segment(input: &Input) -> Value {
    let documents = input.items("documents");
    let left_out = input.items("left_out");
    let is_kept = |number: &usize| !left_out.contains(&Value::Number(i64::try_from(*number).unwrap()));
    let kept: Vec<usize> = (0..documents.len()).filter(is_kept).collect();
    let statistics = statistics_of(&kept.iter().map(|number| documents[*number].clone()).collect::<Vec<_>>());
    let parts: Vec<Vec<usize>> = input
        .rows("parts")
        .iter()
        .map(|numbers| numbers.iter().map(|number| usize::try_from(as_number(number)).unwrap()).collect())
        .collect();
    let of = |numbers: &Vec<usize>| numbers.iter().map(|number| documents[*number].clone()).collect::<Vec<_>>();
    let builders: Vec<Builder> = parts.iter().map(|numbers| builder_of(&of(numbers))).collect();
    let segments: Vec<Segment<Vec<u8>>> =
        parts.iter().map(|numbers| write_documents(&of(numbers), &statistics)).collect();
    let new_number = |number: &usize| {
        kept.iter().position(|kept| kept == number).map_or(LEFT_OUT, |place| u32::try_from(place).unwrap())
    };
    let part = |place: usize| SegmentSource {
        lists: if place % 2 == 0 { Lists::Builder(&builders[place]) } else { Lists::Segment(&segments[place]) },
        numbers: parts[place].iter().map(new_number).collect(),
    };
    let header = header(u32::try_from(kept.len()).unwrap());
    let written = |threads| {
        let sources: Vec<_> = (0..parts.len()).map(part).collect();
        write_segment(&header, &statistics, &sources, vec![], true, threads)
    };
    assert_eq!(written(1), written(3));
    dump(&written(1))
}

/// Returns the best k documents of posting lists, and checks that the pruned and the exhaustive search return the same.
fn best_of(input: &Input) -> Value {
    let mut writer = PostingsWriter::default();
    let number = |value: &Value| u32::try_from(as_number(value)).unwrap();
    let entries: Vec<_> = input
        .rows("lists")
        .iter()
        .map(|parts| {
            let Value::List(postings) = &parts[1] else { panic!("no postings: {parts:?}") };
            let posting = |pair: &Value| match pair {
                Value::List(pair) => (number(&pair[0]), u8::try_from(number(&pair[1])).unwrap()),
                pair => panic!("no posting: {pair:?}"),
            };
            (number(&parts[0]), writer.push(&postings.iter().map(posting).collect::<Vec<_>>()))
        })
        .collect();
    let section = writer.finish();
    let list = |(weight, entry): &(u32, _)| List { runs: runs(&section, entry), weight: *weight };
    let lists: Vec<List> = entries.iter().map(list).collect();
    let numbers = |name: &str| if input.has(name) { input.items(name).iter().map(number).collect() } else { vec![] };
    let (kinds, table) = (numbers("kinds"), numbers("bonus"));
    let of = |number: u32| {
        let kind = kinds.get(number as usize).copied();
        kind.and_then(|kind| table.get(kind as usize)).copied().unwrap_or_default()
    };
    let bonus = Bonus { of: &of, max: table.iter().copied().max().unwrap_or_default() };
    let bonus = input.has("kinds").then_some(&bonus);
    let refused = numbers("refused");
    let mut accept = |number: u32| !refused.contains(&number);
    let (documents, k) = (input.small("documents"), usize::try_from(input.number("k")).unwrap());
    let is_filtered = !refused.is_empty();
    let found = top_k(
        lists.clone(),
        documents,
        k,
        bonus,
        if is_filtered { Some(&mut accept) } else { None },
        &mut Scratch::default(),
    );
    assert_eq!(found, exhaustive(&lists, documents, k, bonus, if is_filtered { Some(&mut accept) } else { None }));
    pairs(found)
}

/// Returns a segment as hexadecimal rows: header and table up to the first section, then each section with its kind.
pub(crate) fn dump(data: &[u8]) -> Value {
    let sections: Vec<(u32, usize, usize)> = (0..u32_at(data, 28).unwrap() as usize)
        .map(|row| {
            let offset = |at| usize::try_from(u64_at(data, 64 + 24 * row + at).unwrap()).unwrap();
            (u32_at(data, 64 + 24 * row).unwrap(), offset(8), offset(16))
        })
        .collect();
    let first = sections.iter().map(|(_, offset, _)| *offset).min().unwrap_or(data.len());
    let section =
        |(kind, offset, length): &(u32, usize, usize)| row([small(*kind), hex_of(&data[*offset..offset + length])]);
    row(std::iter::once(hex_of(&data[..first])).chain(sections.iter().map(section)))
}

/// Returns bytes as hexadecimal digits, four bytes per row.
pub(crate) fn hex_of(data: &[u8]) -> Value {
    let mut digits = String::new();
    for (place, byte) in data.iter().enumerate() {
        let gap = if place > 0 && place % 4 == 0 { " " } else { "" };
        write!(digits, "{gap}{byte:02x}").unwrap();
    }
    digits.into()
}

fn pairs(found: Vec<(u32, u32)>) -> Value {
    list(found.into_iter().map(|(number, score)| row([small(number), small(score)])))
}

fn small(number: u32) -> Value {
    Value::Number(number.into())
}

pub(crate) fn float(value: f64) -> Value {
    Value::Float(value.to_bits())
}

impl Input<'_> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn small(&self, name: &str) -> u32 {
        u32::try_from(self.number(name)).unwrap()
    }

    fn smalls(&self, name: &str) -> [u32; 4] {
        let numbers: Vec<u32> = self.items(name).iter().map(|value| u32::try_from(as_number(value)).unwrap()).collect();
        numbers.try_into().unwrap()
    }

    fn float(&self, name: &str) -> f64 {
        as_float(&self.value(name))
    }

    fn floats(&self, name: &str) -> [f64; 4] {
        self.items(name).iter().map(as_float).collect::<Vec<_>>().try_into().unwrap()
    }
}

fn as_float(value: &Value) -> f64 {
    if let Value::Float(bits) = value { f64::from_bits(*bits) } else { panic!("no float: {value:?}") }
}
