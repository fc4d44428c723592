//! Fuzzes the reader of segments: no bytes make it panic, and checksums notice every change in the bytes that they
//! cover.
//!
//! `CUECARD_FUZZ_ITERATIONS` sets the number of damaged segments (default 20,000).

use cuecard_core::index::layout::{Analyzer, DEAD, Header, KINDS, WORDS, u32_at, u64_at};
use cuecard_core::index::segment::{Segment, Statistics};
use cuecard_core::index::segment_builder::Builder;
use cuecard_core::index::segment_writer::{Lists, SegmentSource, write_segment};
use cuecard_core::retrieve::segment_search::{QueryTerm, Wanted, search};
use cuecard_core::retrieve::top_k::Scratch;
use cuecard_core::settings::Bm25Settings;
use std::cmp::Ordering;
use std::hint::black_box;

/// A pseudo-random generator (xorshift64*), which gives the same numbers on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % limit.max(1)
    }
}

/// The bytes of a segment of the texts, with every kind of section that a reader uses; a delta if there is a base.
fn write(texts: &[&str], base: Option<&Segment<Vec<u8>>>) -> Vec<u8> {
    let mut builder = Builder::new(Analyzer::Words);
    for text in texts {
        builder.push([text, "red", text, text]);
        builder.push_word(b"red", 2);
        builder.push_word(text.as_bytes(), 1);
    }
    let documents = builder.documents();
    let header = Header {
        documents,
        analyzer: Analyzer::Words,
        base_checksum: base.map_or(0, Segment::checksum),
        base_documents: base.map_or(0, Segment::documents),
    };
    let statistics = Statistics { settings: Bm25Settings::default(), averages: [1.0; 4] };
    let mut extra = vec![(KINDS, (0..documents).flat_map(|number| [u8::from(number % 2 == 0), 0]).collect())];
    if base.is_some() {
        extra.push((DEAD, vec![1, 0, 0, 0]));
    }
    let part: SegmentSource<Vec<u8>> =
        SegmentSource { lists: Lists::Builder(&builder), numbers: (0..documents).collect() };
    write_segment(&header, &statistics, &[part], extra, true, 1)
}

/// Changes some bytes or cuts the end off; in half of the cases the checksum of the header is made valid again.
fn damage(bytes: &mut Vec<u8>, chance: &mut Chance) {
    for _ in 0..=chance.below(3) {
        let place = chance.below(bytes.len());
        match chance.below(8) {
            0 => bytes.truncate(place.max(1)),
            1 => bytes[place] = 0xff,
            2 => bytes[place] = 0,
            3 => {
                let from = chance.below(bytes.len());
                bytes[place] = bytes[from];
            }
            _ => bytes[place] ^= 1 << chance.below(8),
        }
    }
    if chance.below(2) == 0 {
        seal(bytes);
    }
}

/// Writes the correct length and checksum into the header.
fn seal(bytes: &mut [u8]) {
    let length = bytes.len() as u64;
    let Some(head) = u32_at(bytes, 12).map(|head| head as usize).filter(|head| (64..4_096).contains(head)) else {
        return;
    };
    if bytes.len() >= head + 4 {
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..head]);
        bytes[head..head + 4].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Reads everything that a query reads; returns whether the segment could be opened.
fn read(base: &Segment<&[u8]>, bytes: &[u8], chance: &mut Chance, scratch: &mut Scratch) -> bool {
    const WORDS_ASKED: [&[u8]; 4] = [b"red", b"fish", b"whale", b"sea"];
    let Ok(segment) = Segment::open(bytes) else { return false };
    let asked = WORDS_ASKED.get(chance.below(4)..).unwrap_or_default();
    let q = 1 + u32::try_from(chance.below(256)).unwrap();
    let query: Vec<QueryTerm> = asked.iter().map(|text| QueryTerm { text, q }).collect();
    let in_order = |_: &_, _: &_| Ordering::Equal;
    let segments: &[&Segment<&[u8]>] = if chance.below(2) == 0 { &[&segment] } else { &[base, &segment] };
    let bonus = |place: usize, number: u32| if place == 0 { 5 + number % 3 } else { 9 };
    let wanted = Wanted { k: 1 + chance.below(4), bonus: Some((&bonus, 9)), accept: None };
    let found = search(segments, &query, wanted, in_order, scratch);
    assert!(found.is_sorted_by(|a, b| a.score >= b.score));
    assert!(found.iter().all(|found| found.number < segments[found.segment].documents()));
    let words = segment.words();
    let range = words.range(b"r");
    assert!(range.start <= range.end && range.end <= words.len());
    for entry in range.take(4) {
        black_box((words.text(entry), words.entry(entry)));
    }
    black_box((segment.dead(), segment.statistics(), segment.section(WORDS)));
    true
}

fn iterations() -> u64 {
    std::env::var("CUECARD_FUZZ_ITERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000)
}

#[test]
fn fuzz_damaged_segments() {
    let base = Segment::open(write(&["red fish", "blue whale sea", "fish"], None)).unwrap();
    let samples =
        [base.bytes().to_vec(), write(&["red sea", "whale"], Some(&base)), write(&["a"], None), write(&[], None)];
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let opened: u64 = std::thread::scope(|scope| {
        let (base, samples) = (&base, &samples);
        let fuzz = move |seed: u64| {
            let base = Segment::open(base.bytes()).unwrap();
            let (mut chance, mut scratch) = (Chance(seed + 1), Scratch::default());
            let (mut bytes, mut opened) = (Vec::new(), 0);
            for _ in 0..iterations() / threads {
                bytes.clear();
                bytes.extend_from_slice(&samples[chance.below(samples.len())]);
                damage(&mut bytes, &mut chance);
                opened += u64::from(read(&base, &bytes, &mut chance, &mut scratch));
            }
            opened
        };
        let handles: Vec<_> = (0..threads).map(|seed| scope.spawn(move || fuzz(seed))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).sum()
    });
    assert!(opened * 5 > iterations(), "only {opened} were opened");
}

#[test]
fn a_check_sees_every_changed_byte_that_a_section_has() {
    let bytes = write(&["red fish", "blue whale sea"], None);
    let first = u64_at(&bytes, 64 + 8).and_then(|offset| usize::try_from(offset).ok()).unwrap();
    let mut unseen = 0;
    for place in first..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0x40;
        unseen += usize::from(Segment::open(changed).unwrap().check().is_ok());
    }
    // Only the gaps between sections, of less than eight bytes each, are not covered.
    assert!(unseen < 7 * u32_at(&bytes, 28).unwrap() as usize, "{unseen}");
}
