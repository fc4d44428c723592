//! Benchmarks of the stages of the recall path; each asserts the result that it times.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cuecard_benches::{PROMPT, SIZES, TOKENS, count_hits, make_index};
use cuecard_core::classic::{IndexMd, Query, check_record};
use cuecard_core::index::vectors::{row_of_words, vector_words};
use cuecard_core::memory::Entry;
use cuecard_core::present::{Form, render};
use cuecard_core::text::{Revision, parse_timestamp, tokenize};
use std::hint::black_box;

fn query() -> Query {
    Query::new(PROMPT, Revision::Current, &[("decision".into(), "Choices and their rationale".into())])
}

fn bench_tokenize(bench: &mut Criterion) {
    assert_eq!(tokenize(PROMPT, Revision::Current), TOKENS);
    bench.bench_function("tokenize a prompt", |timer| {
        timer.iter(|| tokenize(black_box(PROMPT), Revision::Current));
    });
}

fn bench_encode(bench: &mut Criterion) {
    let encode = |prompt: &str| {
        let words: Vec<(String, u32)> = vector_words(prompt).into_iter().map(|word| (word, 256)).collect();
        row_of_words(&words)
    };
    assert!(encode(PROMPT).1 > 0);
    bench.bench_function("encode a prompt", |timer| timer.iter(|| encode(black_box(PROMPT))));
}

fn bench_index(bench: &mut Criterion) {
    for size in SIZES {
        let text = make_index(size);
        let index = IndexMd::parse(&text);
        assert_eq!((index.len(), index.bad_lines()), (size, &[][..]));
        assert_eq!(index.shortlist(query()).len(), count_hits(size));

        let mut group = bench.benchmark_group("index");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("parse", size), &text, |timer, text| {
            timer.iter_with_large_drop(|| IndexMd::parse(text));
        });
        group.throughput(Throughput::Elements(size as u64));
        group.bench_with_input(BenchmarkId::new("shortlist", size), &index, |timer, index| {
            timer.iter_batched(query, |query| index.shortlist(query), BatchSize::SmallInput);
        });
        group.finish();
    }
}

fn bench_explain(bench: &mut Criterion) {
    let index_text = make_index(600);
    let index = IndexMd::parse(&index_text);
    let hit = index.shortlist(query())[0];
    let query = query();
    let parts = index.explain(hit.position, &query).unwrap();
    assert_eq!(parts.iter().map(|part| part.points).sum::<i64>(), hit.score);
    bench.bench_function("explain a hit", |timer| timer.iter(|| index.explain(black_box(hit.position), &query)));
}

fn bench_render(bench: &mut Criterion) {
    let index_text = make_index(600);
    let index = IndexMd::parse(&index_text);
    let entries: Vec<Entry<'_>> =
        index.shortlist(query()).iter().take(5).filter_map(|hit| index.entry(hit.position)).collect();
    let block = render(&entries, &[], Form::Safe, 6000, &[]);
    assert_eq!(block.lines().count(), 5 + 2);
    bench.bench_function("render five hits", |timer| {
        timer.iter(|| render(black_box(&entries), &[], Form::Safe, 6000, &[]));
    });
}

fn bench_check_record(bench: &mut Criterion) {
    let text = "we measured this during the incident and agreed on one owner for every side effect ".repeat(12);
    let record = format!(
        r#"{{"category": "decision", "title": "Retry by queue", "record_status": "active",
            "updated_at": "2026-01-20T00:00:00Z", "content": {{"context": "{text}"}}}}"#
    );
    let now = parse_timestamp("2026-02-01T00:00:00Z").unwrap();
    assert_eq!(check_record(record.as_bytes(), now, true), Some(1));
    bench.bench_function("check a record of 1 KiB", |timer| {
        timer.iter(|| check_record(black_box(record.as_bytes()), now, true));
    });
}

criterion_group!(benches, bench_tokenize, bench_encode, bench_index, bench_explain, bench_render, bench_check_record);
criterion_main!(benches);
