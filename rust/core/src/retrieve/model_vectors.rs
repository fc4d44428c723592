//! Vectors of an embedding model: compares rows, and rates a snapshot's documents by their cosines (SPEC 42).

use crate::index::filters::Filters;
use crate::index::snapshot::Snapshot;
use crate::index::static_vector::COSINE_ONE;

/// The maximal number of columns in a row; the sums for longer rows could overflow.
const MAX_DIMENSION: usize = 65_536;

/// A standing says by how many spreads a cosine is above the mean of a prompt's cosines. It is in 1/1024, and limited to
/// ±`MAX_STANDING`.
const STANDING_ONE: i64 = 1024;
const MAX_STANDING: i64 = 8 * STANDING_ONE;
// Few cosines do not give a reliable spread, so this many cosines at a typical distance from the mean are added.
const TYPICAL_COUNT: i64 = 16;
const TYPICAL_SPREAD: i64 = 400;
/// The background of a prompt is the standing of the tenth best document (index 9). It is not known if there are fewer
/// than `MIN_COUNT` vectors.
const BACKGROUND: usize = 9;
const MIN_COUNT: usize = 5;
/// The typical background (the median over judged prompts), used for small stores and for few vectors.
const TYPICAL_BACKGROUND: i64 = 1899;
const SMALL_STORE: usize = 100;

/// The number and cosine, in 1/4096, of the `k` rows nearest to a query; nearest first, equal cosines by number.
///
/// `rows` contains rows of `dimension` signed bytes, one after another; rows of zeros are skipped. The result is empty
/// if the query has another length or only zeros, or if `dimension` is above 65,536.
#[must_use]
pub fn nearest_rows(rows: &[u8], dimension: usize, query: &[u8], k: usize) -> Vec<(u32, i64)> {
    if !(1..=MAX_DIMENSION).contains(&dimension) || query.len() != dimension || k == 0 {
        return Vec::new();
    }
    let norm_of = |row: &[u8]| (256 * i64::from(dot(row, row))).isqrt();
    let norm = norm_of(query);
    let cosine = |row: &[u8]| {
        let norms = norm * norm_of(row);
        (norms > 0).then(|| (i64::from(dot(query, row)) * 256 * COSINE_ONE).div_euclid(norms))
    };
    let numbered = (0..).zip(rows.chunks_exact(dimension));
    let mut found: Vec<_> = numbered.filter_map(|(number, row)| Some((number, cosine(row)?))).collect();
    let order = |a: &(u32, i64), b: &(u32, i64)| b.1.cmp(&a.1).then(a.0.cmp(&b.0));
    if k < found.len() {
        found.select_nth_unstable_by(k, order);
        found.truncate(k);
    }
    found.sort_unstable_by(order);
    found
}

/// The dot product of two rows of at most 65,536 signed bytes.
fn dot(a: &[u8], b: &[u8]) -> i32 {
    let signed = |byte: &u8| i32::from(i8::from_le_bytes([*byte]));
    a.iter().zip(b).map(|(a, b)| signed(a) * signed(b)).sum()
}

/// The standings for one prompt of the documents that have a model vector.
///
/// A standing says by how many spreads a cosine is above the mean of all cosines, because the cosines of different
/// models spread differently.
#[derive(Debug)]
pub(crate) struct Standings {
    /// Positions and cosines, sorted by position.
    cosines: Vec<(u32, i64)>,
    mean: i64,
    spread: i64,
    /// The typical standing of documents that have nothing to do with the prompt; `None` if it is not known.
    pub(crate) background: Option<i64>,
}

impl Standings {
    /// Computes the standings of all documents with a vector. Positions without a document are skipped; of several
    /// pairs with the same position the first counts.
    pub(crate) fn new<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, embedded: &[(u32, i64)]) -> Self {
        let known = embedded.iter().filter(|(position, _)| snapshot.place(*position).is_some());
        let mut cosines: Vec<_> =
            known.map(|(position, cosine)| (*position, (*cosine).clamp(-COSINE_ONE, COSINE_ONE))).collect();
        cosines.sort_by_key(|(position, _)| *position);
        cosines.dedup_by_key(|(position, _)| *position);
        let mut all: Vec<i64> = cosines.iter().map(|(_, cosine)| *cosine).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
        let mean = if count > 0 { all.iter().sum::<i64>().div_euclid(count) } else { 0 };
        let squares: i64 = all.iter().map(|cosine| (cosine - mean) * (cosine - mean)).sum();
        let squares = squares + TYPICAL_COUNT * TYPICAL_SPREAD * TYPICAL_SPREAD;
        let spread = (squares / count.saturating_add(TYPICAL_COUNT)).isqrt();
        let background = (all.len() >= MIN_COUNT).then_some(TYPICAL_BACKGROUND);
        let mut standings = Self { cosines, mean, spread, background };
        if let Some(tenth) = all.get(BACKGROUND).map(|cosine| standings.standing(*cosine)) {
            let is_small = snapshot.len() < SMALL_STORE;
            standings.background = Some(if is_small { tenth.max(TYPICAL_BACKGROUND) } else { tenth });
        }
        standings
    }

    /// The standing of the document at a position, in 1/1024; `None` if it has no vector.
    pub(crate) fn at(&self, position: u32) -> Option<i64> {
        let place = self.cosines.binary_search_by_key(&position, |(position, _)| *position).ok()?;
        self.cosines.get(place).map(|(_, cosine)| self.standing(*cosine))
    }

    /// The positions of the `k` nearest accepted documents; nearest first, equally near documents in document order.
    pub(crate) fn best<S: AsRef<[u8]>>(&self, snapshot: &Snapshot<S>, k: usize, filters: &Filters) -> Vec<u32> {
        let mut ranked: Vec<(i64, u32)> = self.cosines.iter().map(|(position, cosine)| (-cosine, *position)).collect();
        ranked.sort_unstable();
        let mut found: Vec<(i64, u32)> = Vec::new();
        for (key, position) in ranked {
            // A document with the same cosine as the last found document may come before it in document order.
            if found.len() >= k && found.last().is_none_or(|(last, _)| key > *last) {
                break;
            }
            if snapshot.accepts(position, filters) {
                found.push((key, position));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| snapshot.compare_positions(a.1, b.1)));
        found.truncate(k);
        found.into_iter().map(|(_, position)| position).collect()
    }

    fn standing(&self, cosine: i64) -> i64 {
        let standing = (STANDING_ONE * (cosine - self.mean)).div_euclid(self.spread.max(1));
        standing.clamp(-MAX_STANDING, MAX_STANDING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rows_do_not_overflow() {
        let row = vec![0x80; MAX_DIMENSION + 1];
        assert_eq!(nearest_rows(&row, MAX_DIMENSION, &row[1..], 1), [(0, COSINE_ONE)]);
        assert_eq!(nearest_rows(&row, MAX_DIMENSION + 1, &row, 1), []);
    }
}
