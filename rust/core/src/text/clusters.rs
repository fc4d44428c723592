//! Finds the clusters of scripts that are written without blanks between words (SPEC 19.4).

use crate::tables::numbers;
use crate::text::chars::within;

/// Ranges (first and last) of characters that belong to the letter before them.
static CONTINUES: &[[i32; 2]] = numbers!("characters", "continues_cluster", 2);
/// Ranges (first and last) of characters that belong to the letter behind them.
static JOINS_NEXT: &[[i32; 2]] = numbers!("characters", "joins_next", 2);

/// The maximal number of characters of a cluster, so that every pair of clusters fits into a term.
const MAX_CHARS: usize = 8;

/// The offsets in bytes at which the clusters of a run end: of each letter with its marks and with the vowels and
/// letters that are joined to it.
pub(crate) fn cluster_ends(run: &str) -> impl Iterator<Item = usize> {
    let (mut before, mut length) = (None, 0);
    let begins = run.char_indices().filter_map(move |(place, char)| {
        let last = before.replace(char);
        let is_joined = within(CONTINUES, char) || last.is_some_and(|last| within(JOINS_NEXT, last));
        let is_begin = !is_joined || length == MAX_CHARS;
        length = if is_begin { 1 } else { length + 1 };
        (is_begin && place > 0).then_some(place)
    });
    begins.chain((!run.is_empty()).then_some(run.len()))
}

/// Calls `keep` with each pair of neighbouring clusters in a run, or with the run if it is a single cluster.
pub(crate) fn for_each_cluster_pair(run: &str, keep: &mut impl FnMut(&str)) {
    let (mut begin, mut middle) = (0, 0);
    for end in cluster_ends(run) {
        if middle > 0 || end == run.len() {
            keep(run.get(begin..end).unwrap_or_default());
        }
        (begin, middle) = (middle, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(run: &str) -> Vec<&str> {
        let mut begin = 0;
        cluster_ends(run).filter_map(|end| run.get(std::mem::replace(&mut begin, end)..end)).collect()
    }

    #[test]
    fn a_cluster_is_a_letter_with_all_that_is_joined_to_it() {
        assert_eq!(clusters("ชำระเงิน"), ["ชำ", "ระ", "เงิ", "น"]);
        assert_eq!(clusters("ទុកទិន្នន័យ"), ["ទុ", "ក", "ទិ", "ន្ន", "ន័", "យ"]);
        assert_eq!(clusters("သိမ်းအင်္ဂါ"), ["သိ", "မ်း", "အ", "င်္ဂါ"]);
        assert_eq!(clusters(""), [""; 0]);
    }

    #[test]
    fn neighbours_are_pairs_and_a_cluster_alone_is_its_own() {
        let pairs = |run: &str| {
            let mut found = Vec::new();
            for_each_cluster_pair(run, &mut |pair| found.push(pair.to_owned()));
            found
        };
        assert_eq!(pairs("ชำระเงิน"), ["ชำระ", "ระเงิ", "เงิน"]);
        assert_eq!(pairs("ชำ"), ["ชำ"]);
        assert!(pairs(&"\u{e01}\u{e48}".repeat(40)).iter().all(|pair| pair.len() <= 64));
        assert!(pairs(&"\u{e48}".repeat(400)).iter().all(|pair| pair.len() <= 64));
    }
}
