//! Tests that the search always finds the same k best documents as an exhaustive scoring (SPEC 21.4).

use cuecard_core::index::postings::{PostingsWriter, runs};
use cuecard_core::retrieve::top_k::{Bonus, List, Scratch, exhaustive, top_k};

/// A pseudo-random generator (xorshift64*), which gives the same numbers on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        u32::try_from(value % u64::from(limit.max(1))).unwrap()
    }

    fn byte(&mut self, most: u32) -> u8 {
        u8::try_from(self.below(most) + 1).unwrap()
    }

    /// Random postings of about one in `share` documents, with few or many different bytes.
    fn list(&mut self, documents: u32, share: u32) -> Vec<(u32, u8)> {
        let most = [3, 255][self.below(2) as usize];
        let mut list = Vec::new();
        let mut number = self.below(share);
        while number < documents {
            list.push((number, self.byte(most)));
            number += 1 + self.below(2 * share);
        }
        list
    }
}

struct Case {
    section: Vec<u8>,
    entries: Vec<(cuecard_core::index::dictionary::Entry, u32)>,
    documents: u32,
    kinds: Vec<u8>,
    table: Vec<u32>,
}

impl Case {
    /// A case with random lists, from a list with one posting to a list with every document. Half of the lists have a
    /// weight that is higher the fewer postings they have; the other lists have a random weight.
    fn new(chance: &mut Chance, documents: u32) -> Self {
        let mut writer = PostingsWriter::default();
        let mut entries = Vec::new();
        for _ in 0..=chance.below(12) {
            let share = 1 << chance.below(18);
            let list = chance.list(documents, share);
            if !list.is_empty() {
                let weight = if chance.below(2) == 0 { share.ilog2() * 90 + 1 } else { 1 + chance.below(4_096) };
                entries.push((writer.push(&list), weight));
            }
        }
        let kinds = (0..documents).map(|_| chance.byte(6)).collect();
        let table = (0..chance.below(8)).map(|_| chance.below(50_000)).collect();
        Self { section: writer.finish(), entries, documents, kinds, table }
    }

    fn lists(&self) -> Vec<List<'_>> {
        let list = |(entry, weight): &(_, u32)| List { runs: runs(&self.section, entry), weight: *weight };
        self.entries.iter().map(list).collect()
    }

    fn check(&self, k: usize, has_bonus: bool, refuses: u32, scratch: &mut Scratch) {
        let kind = |number: u32| self.kinds.get(number as usize).map(|kind| usize::from(*kind));
        let of = |number| kind(number).and_then(|kind| self.table.get(kind)).copied().unwrap_or_default();
        let bonus = Bonus { of: &of, max: self.table.iter().copied().max().unwrap_or_default() };
        let bonus = has_bonus.then_some(&bonus);
        let mut accepts = |number: u32| number % refuses != 0;
        let mut also_accepts = accepts;
        let is_filtered = refuses > 1;
        let accept: Option<&mut dyn FnMut(u32) -> bool> = if is_filtered { Some(&mut accepts) } else { None };
        let found = top_k(self.lists(), self.documents, k, bonus, accept, scratch);
        let accept: Option<&mut dyn FnMut(u32) -> bool> = if is_filtered { Some(&mut also_accepts) } else { None };
        let expected = exhaustive(&self.lists(), self.documents, k, bonus, accept);
        assert!(found == expected, "k {k}, bonus {has_bonus}, refuses {refuses}\n{found:?}\n{expected:?}");
    }
}

fn run(sizes: &[u32], rounds: u32) {
    let mut scratch = Scratch::default();
    for (round, size) in (1..=rounds).flat_map(|round| sizes.iter().map(move |size| (round, *size))) {
        let mut chance = Chance(u64::from(round) << 32 | u64::from(size));
        let case = Case::new(&mut chance, size);
        let most = size as usize + 1;
        for k in [0, 1, 2, 10, 100, most] {
            let refuses = [1, 2, 3, 1000][chance.below(4) as usize];
            case.check(k, chance.below(2) == 0, refuses, &mut scratch);
        }
    }
}

#[test]
fn the_best_of_few_documents_are_those_of_an_exhaustive_scoring() {
    run(&[1, 2, 63, 64, 65, 600, 3_000], 150);
}

#[test]
fn the_best_of_several_chunks_are_those_of_an_exhaustive_scoring() {
    run(&[65_535, 65_536, 65_537, 131_072, 300_000], 6);
}

#[test]
fn of_equal_scores_the_lower_number_is_the_better_one() {
    let mut writer = PostingsWriter::default();
    // The list that is read first has the higher numbers.
    let high = writer.push(&(1_000..1_400).map(|number| (number * 16, 7)).collect::<Vec<_>>());
    let low = writer.push(&(0..400).map(|number| (number * 16, 7)).collect::<Vec<_>>());
    let section = writer.finish();
    let lists: Vec<List> = [high, low].iter().map(|entry| List { runs: runs(&section, entry), weight: 5 }).collect();
    let found = top_k(lists, 65_536, 3, None, None, &mut Scratch::default());
    assert_eq!(found, [(0, 35), (16, 35), (32, 35)]);
}

#[test]
fn a_longer_limit_never_changes_earlier_hits() {
    let mut chance = Chance(7);
    let case = Case::new(&mut chance, 100_000);
    let mut scratch = Scratch::default();
    let mut found = |k| top_k(case.lists(), case.documents, k, None, None, &mut scratch);
    let all = found(500);
    assert!((0..100).all(|k| found(k) == all[..k.min(all.len())]));
}
