//! Collects the k best documents of a search (SPEC 21.4).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The points that are added to the scores of documents by their categories.
#[derive(Clone, Copy)]
pub struct Bonus<'a> {
    /// Returns the points of the document with a number.
    pub of: &'a dyn Fn(u32) -> u32,
    /// The largest number of points that any document gets.
    pub max: u32,
}

/// Decides whether a document is accepted; called only for documents that would be among the best.
pub type Accept<'a> = &'a mut dyn FnMut(u32) -> bool;

/// The number of a document, and its score.
pub type Scored = (u32, u32);

/// The k best documents so far. A key has the score in its high half and the complement of the number in its low half,
/// so the largest key is the best document.
pub(crate) struct Best<'a, 'b> {
    heap: &'a mut BinaryHeap<Reverse<u64>>,
    k: usize,
    /// A score that at least k documents are known to exceed.
    known_floor: u32,
    bonus: Option<&'a Bonus<'a>>,
    max_bonus: u32,
    accept: Option<Accept<'b>>,
}

impl<'a, 'b> Best<'a, 'b> {
    pub(crate) fn new(
        heap: &'a mut BinaryHeap<Reverse<u64>>,
        k: usize,
        known_floor: u32,
        bonus: Option<&'a Bonus<'a>>,
        accept: Option<Accept<'b>>,
    ) -> Self {
        heap.clear();
        Self { heap, k, known_floor, bonus, max_bonus: bonus.map_or(0, |bonus| bonus.max), accept }
    }

    /// The score that the next document must exceed to be kept. An equal score is not enough, because documents are
    /// offered in ascending order of number.
    pub(crate) fn floor(&self) -> u32 {
        let worst = self.heap.peek().filter(|_| self.heap.len() == self.k).map_or(0, |Reverse(key)| split_key(*key).1);
        worst.max(self.known_floor)
    }

    /// The largest bonus that any category adds.
    pub(crate) fn max_bonus(&self) -> u32 {
        self.max_bonus
    }

    /// Keeps a document if it is among the k best; `sum` is its score without the bonus.
    pub(crate) fn offer(&mut self, number: u32, sum: u32) {
        let score = sum.saturating_add(self.bonus.map_or(0, |bonus| (bonus.of)(number)));
        let key = u64::from(score) << 32 | u64::from(!number);
        if self.heap.len() < self.k {
            if self.accepts(number) {
                self.heap.push(Reverse(key));
            }
        } else if self.heap.peek().is_some_and(|Reverse(worst)| key > *worst) && self.accepts(number) {
            if let Some(mut worst) = self.heap.peek_mut() {
                *worst = Reverse(key);
            }
        }
    }

    fn accepts(&mut self, number: u32) -> bool {
        self.accept.as_mut().is_none_or(|accept| accept(number))
    }

    /// The number and score of each kept document, best first.
    pub(crate) fn take(self) -> Vec<Scored> {
        let mut keys: Vec<u64> = self.heap.drain().map(|Reverse(key)| key).collect();
        keys.sort_unstable_by_key(|key| Reverse(*key));
        keys.into_iter().map(split_key).collect()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the halves of 64 bits")]
fn split_key(key: u64) -> Scored {
    (!(key as u32), (key >> 32) as u32)
}
