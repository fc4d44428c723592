//! What the user has said of memories that were shown: the derived file of verdicts, and which prompts are similar (SPEC
//! 49).

use crate::memory::TrustPrefix;
use crate::rank::priors::MAX_PRIOR;
use std::collections::BTreeSet;

const HEADER: &str = "cuecard verdicts 1";
/// Two prompts are similar if the words that they share are at least this part of all their words. On the judged prompts
/// no memory that helps is held back by it.
const SHARED: usize = 7;
const OF_ALL: usize = 20;

/// The most that the lowest logit of the gate may be moved, in 1/1024: near even odds this is a probability of .05.
const MAX_SHIFT: i64 = 204;

/// The verdicts about the memories of a store, as far as a prompt needs them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts {
    shift: i64,
    memories: Vec<Judgment>,
}

/// The verdicts about one text of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Judgment {
    trust_hash: String,
    path: String,
    /// Points that reorder near-ties, in 1/4096.
    prior: i64,
    /// What was kept of the prompts for which the memory was wrong (SPEC 27.7).
    wrong: Vec<String>,
}

impl Verdicts {
    /// Reads the file of verdicts; a damaged file says nothing.
    #[must_use]
    pub fn read(data: &[u8]) -> Self {
        Self::parse(data).unwrap_or_default()
    }

    fn parse(data: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(data).ok()?.strip_suffix('\n')?.split('\n');
        let shift = read_bounded(lines.next()?.strip_prefix(HEADER)?.strip_prefix(' ')?, MAX_SHIFT)?;
        let mut memories: Vec<Judgment> = Vec::new();
        for line in lines {
            match line.split_once(' ')? {
                ("memory", rest) => {
                    let (trust_hash, rest) = rest.split_once(' ')?;
                    let (prior, path) = rest.split_once(' ')?;
                    let prior = read_bounded(prior, MAX_PRIOR)?;
                    let (trust_hash, path, wrong) = (trust_hash.into(), path.into(), Vec::new());
                    memories.push(Judgment { trust_hash, path, prior, wrong });
                }
                ("wrong", kept) => memories.last_mut()?.wrong.push(kept.into()),
                _ => return None,
            }
        }
        Some(Self { shift, memories })
    }

    /// What is added to the lowest logit that the gate shows, in 1/1024.
    #[must_use]
    pub fn shift(&self) -> i64 {
        self.shift
    }

    /// Whether no verdict moves a memory.
    #[must_use]
    pub fn has_no_priors(&self) -> bool {
        self.memories.iter().all(|memory| memory.prior == 0)
    }

    /// The points of the memory at a path, in 1/4096; 0 if its indexed text has another trust hash.
    #[must_use]
    pub fn prior(&self, path: &str, trust: TrustPrefix) -> i64 {
        let is_same = |memory: &&Judgment| memory.path == path && trust_prefix(&memory.trust_hash) == Some(trust);
        self.memories.iter().find(is_same).map_or(0, |memory| memory.prior)
    }

    /// Whether a verdict names the memory at a path.
    #[must_use]
    pub fn names(&self, path: &str) -> bool {
        self.memories.iter().any(|memory| memory.path == path)
    }

    /// Whether the memory at a path, with this text, is wrong for a prompt of which `kept` was kept.
    #[must_use]
    pub fn is_wrong(&self, path: &str, trust_hash: &str, kept: &str) -> bool {
        let same = self.memories.iter().filter(|memory| memory.path == path && memory.trust_hash == trust_hash);
        same.flat_map(|memory| &memory.wrong).any(|wrong| is_similar(wrong, kept))
    }
}

fn read_bounded(text: &str, most: i64) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text && number.abs() <= most)
}

fn trust_prefix(trust_hash: &str) -> Option<TrustPrefix> {
    let digits = trust_hash.get(..2 * size_of::<TrustPrefix>())?;
    u64::from_str_radix(digits, 16).ok().map(u64::to_be_bytes)
}

/// Whether a memory is withheld at random in a session. `path` is the one by which the session knows the memory. The same
/// session and path always give the same answer.
#[must_use]
pub fn is_withheld_at_random(session: &str, path: &str, percent: u32) -> bool {
    crc32fast::hash(format!("{session}\n{path}").as_bytes()) % 100 < percent
}

/// Whether two prompts are similar, by what is kept of each.
#[must_use]
pub fn is_similar(one: &str, other: &str) -> bool {
    let (Some((unknown, names)), Some((other_unknown, other_names))) = (names_of(one), names_of(other)) else {
        return false;
    };
    let shared = names.intersection(&other_names).count();
    let all = names.union(&other_names).count() + unknown.max(other_unknown);
    shared > 0 && shared * OF_ALL >= all * SHARED
}

/// Returns how many words of a prompt no memory has, and the terms by which its strong words are known.
fn names_of(kept: &str) -> Option<(usize, BTreeSet<&str>)> {
    let mut words = kept.split(' ');
    let unknown = words.next()?.parse().ok()?;
    let mut names = BTreeSet::new();
    for word in words {
        let (kind, terms) = word.split_once(':')?;
        let (own, others) = terms.split_once(';')?;
        let terms = own.split(',').chain(others.split(','));
        let mut filled = terms.filter_map(|term| term.split_once('=')).map(|(term, _)| term);
        if let Some(name) = filled.find(|term| !term.is_empty())
            && kind.starts_with('s')
        {
            names.insert(name);
        }
    }
    Some((unknown, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_says_nothing() {
        let whole = "cuecard verdicts 1 0\nmemory ab 0 a.json\nwrong 0 s:backup=256;\n";
        assert!(Verdicts::read(whole.as_bytes()).is_wrong("a.json", "ab", "0 s:backup=256;"));
        for damaged in
            ["", "cuecard verdicts 2\n", "cuecard verdicts 1 0\nwrong 0\n", "cuecard verdicts 1 0\nmemory ab 0\n"]
        {
            assert_eq!(Verdicts::read(damaged.as_bytes()), Verdicts::default(), "{damaged}");
        }
        assert_eq!(Verdicts::read(&whole.as_bytes()[..30]), Verdicts::default());
    }

    #[test]
    fn a_changed_text_or_another_memory_is_not_wrong() {
        let verdicts = Verdicts::read(b"cuecard verdicts 1 0\nmemory ab 0 a.json\nwrong 0 s:backup=256;\n");
        assert!(!verdicts.is_wrong("a.json", "cd", "0 s:backup=256;"));
        assert!(!verdicts.is_wrong("b.json", "ab", "0 s:backup=256;"));
        assert!(verdicts.names("a.json") && !verdicts.names("b.json"));
    }
}
