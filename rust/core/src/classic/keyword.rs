//! The keyword retriever: compares the words of a prompt with titles, tags and category descriptions, exactly and by
//! prefix (SPEC 7).

use crate::text::tokenize::{Revision, for_each_token, prompt_tokens, tokenize};

pub(crate) const TITLE_POINTS: u16 = 2;
pub(crate) const TAG_POINTS: u16 = 3;
pub(crate) const PREFIX_POINTS: u16 = 1;
const DESCRIPTION_POINTS_MAX: usize = 2;
pub(crate) const PREFIX_LENGTH: usize = 4;

/// Flags that say how a token of the prompt matched a memory: as a token of the title, as a tag, or as a prefix of
/// either.
const IN_TITLE: u8 = 1;
const IN_TAGS: u8 = 2;
const BY_PREFIX: u8 = 4;

/// A memory that was found: its position and its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scored {
    /// The memory's position in the index, from 0.
    pub position: usize,
    /// The memory's score in points.
    pub score: i64,
}

/// One part of a memory's score; the score is the sum of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScorePart {
    /// `title`, `tag`, `prefix` or `description`.
    pub kind: &'static str,
    /// The prompt token that matched; for a `description`, all matching tokens, separated by spaces.
    pub token: String,
    /// What the token matched: a title token or a tag; for a `description`, the name of the category.
    pub matched: String,
    /// The points that this match adds to the score.
    pub points: i64,
}

/// A title token or a tag of a memory, with which tokens of the prompt are compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The text in UTF-8, in lower case.
    pub(crate) text: &'a [u8],
    pub(crate) key: u32,
    pub(crate) is_tag: bool,
}

impl<'a> Target<'a> {
    pub(crate) fn new(text: &'a str, is_tag: bool) -> Self {
        Self { text: text.as_bytes(), key: key(text.as_bytes()), is_tag }
    }

    pub(crate) fn as_str(self) -> &'a str {
        std::str::from_utf8(self.text).unwrap_or_default()
    }
}

/// A prompt, prepared for scoring many memories.
#[derive(Debug)]
pub struct Query {
    tokens: Vec<String>,
    /// For each token, its first four bytes (the key) and its number, sorted by key. If a token and a word match,
    /// exactly or by prefix, their keys are equal. A key with fewer than four bytes is padded with zero bytes, which no
    /// token contains.
    keys: Vec<(u32, u32)>,
    /// A bit set of the hashed keys. For nearly all words that match no token, it shows that they cannot match.
    key_bits: [u64; 16],
    revision: Revision,
    /// Each category's name in upper case, its description, and the points of that description for the prompt.
    descriptions: Vec<(String, String, i64)>,
    /// For each token, the flags of its matches with the memory that is being scored; `touched` lists the tokens with
    /// any flag set.
    found: Vec<u8>,
    touched: Vec<u32>,
}

impl Query {
    /// Tokenizes the prompt and scores each category's description once.
    #[must_use]
    pub fn new(prompt: &str, revision: Revision, descriptions: &[(String, String)]) -> Self {
        let tokens = prompt_tokens(prompt, revision);
        let mut keys: Vec<_> = (0u32..).zip(&tokens).map(|(number, token)| (key(token.as_bytes()), number)).collect();
        keys.sort_unstable();
        let found = vec![0; tokens.len()];
        let mut key_bits = [0_u64; 16];
        for (key, _) in &keys {
            let (place, bit) = key_bit(*key);
            if let Some(bits) = key_bits.get_mut(place) {
                *bits |= bit;
            }
        }
        let mut query = Self { tokens, keys, key_bits, revision, descriptions: Vec::new(), found, touched: Vec::new() };
        for (name, text) in descriptions.iter().filter(|(name, _)| name.is_ascii()) {
            let points = query.description_points(text);
            query.descriptions.push((name.to_ascii_uppercase(), text.clone(), points));
        }
        query
    }

    /// Whether the prompt has no token, so that no memory can match.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The distinct tokens of the prompt.
    pub(crate) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The revision of the scoring rules.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// The points that the description of a category adds to the memories of that category; 0 without a description.
    pub(crate) fn points_of_description(&self, category: &str) -> i64 {
        self.description_of(category).map_or(0, |(_, points)| points)
    }

    /// Whether a memory without a matching title token or tag can get points for the description of its category.
    pub(crate) fn describes_unmatched(&self) -> bool {
        self.revision == Revision::Classic && self.descriptions.iter().any(|(_, _, points)| *points > 0)
    }

    /// Returns the points of the memory whose words were matched since the last call, and clears the matches. The
    /// points include the points for the description of the memory's category (SPEC 7.1, 7.2).
    pub(crate) fn take_score<'t>(&mut self, category: impl FnOnce() -> &'t str) -> i64 {
        let mut score = 0;
        for number in self.touched.drain(..) {
            let Some(found) = self.found.get_mut(number as usize) else { continue };
            score += points_of(*found);
            *found = 0;
        }
        if !self.descriptions.is_empty() && (score > 0 || self.revision == Revision::Classic) {
            score += self.description_of(category()).map_or(0, |(_, points)| points);
        }
        score
    }

    /// Whether a word with this key may match a token of the prompt. There are false positives, but no false negatives.
    pub(crate) fn may_match(&self, key: u32) -> bool {
        let (place, bit) = key_bit(key);
        self.key_bits.get(place).is_some_and(|bits| bits & bit != 0)
    }

    /// Records which prompt tokens match a word of the memory being scored.
    pub(crate) fn match_target(&mut self, target: Target<'_>) {
        let Target { text, key, .. } = target;
        let first = self.keys.partition_point(|(other, _)| *other < key);
        for (other, number) in self.keys.get(first..).unwrap_or_default() {
            if *other != key {
                break;
            }
            let Some(token) = self.tokens.get(*number as usize) else { continue };
            let token = token.as_bytes();
            let flag = if token == text {
                if target.is_tag { IN_TAGS } else { IN_TITLE }
            } else if is_prefix_match(token, text, self.revision) {
                BY_PREFIX
            } else {
                continue;
            };
            if let Some(found) = self.found.get_mut(*number as usize) {
                if *found == 0 {
                    self.touched.push(*number);
                }
                *found |= flag;
            }
        }
    }

    fn description_of(&self, category: &str) -> Option<(&str, i64)> {
        self.descriptions
            .iter()
            .rev()
            .find(|(name, _, _)| name == category)
            .map(|(_, text, points)| (text.as_str(), *points))
    }

    fn description_points(&self, description: &str) -> i64 {
        let (equal, begun) = self.match_description(description);
        // Points are counted in halves, so that the rounding of both revisions is integer arithmetic.
        let halves = 2 * equal.len() + begun.len();
        let rounded = match self.revision {
            Revision::Current => halves.div_ceil(2),
            Revision::Classic => halves / 2,
        };
        i64::try_from(rounded.min(DESCRIPTION_POINTS_MAX)).unwrap_or_default()
    }

    /// The prompt tokens that are equal to a word of the description, and the other prompt tokens that are a prefix of
    /// such a word.
    fn match_description(&self, description: &str) -> (Vec<&str>, Vec<&str>) {
        let words = tokenize(description, self.revision);
        let is_word = |token: &&str| words.iter().any(|word| word == token);
        let begins_word =
            |token: &&str| token.len() >= PREFIX_LENGTH && words.iter().any(|word| word.starts_with(*token));
        let (equal, others): (Vec<&str>, Vec<&str>) = self.tokens.iter().map(String::as_str).partition(is_word);
        (equal, others.into_iter().filter(begins_word).collect())
    }

    /// The parts of the score of a memory with this title and these tags (both in lower case), in the order of the
    /// prompt's tokens (SPEC 7.5).
    pub(crate) fn explain_entry(&self, category: &str, title: &str, tags: &[&str]) -> Vec<ScorePart> {
        let mut words = Vec::new();
        for_each_token(title, Revision::Current, &mut |token| words.push(token.to_owned()));
        let titles = words.iter().map(|text| Target::new(text, false));
        let targets: Vec<_> = titles.chain(tags.iter().map(|text| Target::new(text, true))).collect();
        self.explain(category, &targets)
    }

    /// The parts of a memory's score, in the order of the prompt's tokens (SPEC 7.5).
    pub(crate) fn explain(&self, category: &str, targets: &[Target<'_>]) -> Vec<ScorePart> {
        let mut sorted: Vec<&str> = targets.iter().map(|target| target.as_str()).collect();
        sorted.sort_unstable();
        let mut parts = Vec::new();
        for token in &self.tokens {
            let mut is_matched = false;
            for (is_tag, kind, points) in [(false, "title", TITLE_POINTS.into()), (true, "tag", TAG_POINTS.into())] {
                if targets.iter().any(|target| target.is_tag == is_tag && target.text == token.as_bytes()) {
                    parts.push(ScorePart { kind, token: token.clone(), matched: token.clone(), points });
                    is_matched = true;
                }
            }
            if is_matched {
                continue;
            }
            let forward =
                sorted.iter().find(|text| is_prefix_match(token.as_bytes(), text.as_bytes(), Revision::Classic));
            let matched = forward.or_else(|| {
                sorted.iter().find(|text| is_prefix_match(token.as_bytes(), text.as_bytes(), self.revision))
            });
            if let Some(matched) = matched {
                let matched = (*matched).to_owned();
                parts.push(ScorePart { kind: "prefix", token: token.clone(), matched, points: PREFIX_POINTS.into() });
            }
        }
        if let Some((description, points)) = self.description_of(category).filter(|(_, points)| *points > 0) {
            if !parts.is_empty() || self.revision == Revision::Classic {
                let (equal, begun) = self.match_description(description);
                let token = [equal, begun].concat().join(" ");
                parts.push(ScorePart { kind: "description", token, matched: category.into(), points });
            }
        }
        parts
    }
}

/// Scores a title and its tags (both in lower case) for a prompt, in points (SPEC 7.1).
#[must_use]
pub fn score_entry(prompt: &str, title: &str, tags: &[String], revision: Revision) -> i64 {
    let mut query = Query::new(prompt, revision, &[]);
    let mut words = Vec::new();
    for_each_token(title, Revision::Current, &mut |token| words.push(token.to_owned()));
    let titles = words.iter().map(|text| Target::new(text, false));
    for target in titles.chain(tags.iter().map(|text| Target::new(text, true))) {
        query.match_target(target);
    }
    query.take_score(|| "")
}

/// Scores a category's description for a prompt: 0 to 2 points (SPEC 7.2).
#[must_use]
pub fn score_description(prompt: &str, description: &str, revision: Revision) -> i64 {
    Query::new(prompt, revision, &[]).description_points(description)
}

/// Sorts hits by score, best first. Hits with equal scores are sorted by the priority of their category, then by their
/// order in `scored` (SPEC 7.4).
pub(crate) fn order(scored: &[Scored], priority: impl Fn(usize) -> u8) -> Vec<Scored> {
    // Score, priority and place are packed into one number, so that comparing two hits takes no branches.
    let key = |(place, hit): (u128, &Scored)| {
        u128::from(i64::MAX.abs_diff(hit.score)) << 64 | u128::from(priority(hit.position)) << 56 | place
    };
    let mut keys: Vec<u128> = (0..).zip(scored).map(key).collect();
    keys.sort_unstable();
    let place = |key: &u128| usize::try_from(key & ((1 << 56) - 1)).ok();
    keys.iter().filter_map(|key| scored.get(place(key)?).copied()).collect()
}

fn points_of(found: u8) -> i64 {
    let title = if found & IN_TITLE > 0 { TITLE_POINTS } else { 0 };
    let tags = if found & IN_TAGS > 0 { TAG_POINTS } else { 0 };
    i64::from(if title + tags > 0 { title + tags } else { PREFIX_POINTS })
}

/// The priority of a category (in upper case) among equal scores. Priority 1 comes first; unknown categories have
/// priority 10.
pub(crate) fn priority(category: &str) -> u8 {
    match category {
        "DECISION" => 1,
        "CONSTRAINT" => 2,
        "PREFERENCE" => 3,
        "RUNBOOK" => 4,
        "TECH_DEBT" => 5,
        "SESSION_SUMMARY" => 6,
        _ => 10,
    }
}

/// Whether a token of at least four bytes is a prefix of `target`. In the current revision, also whether a `target` of
/// at least four bytes is a prefix of the token.
fn is_prefix_match(token: &[u8], target: &[u8], revision: Revision) -> bool {
    if token.len() < PREFIX_LENGTH {
        return false;
    }
    target.starts_with(token)
        || (revision == Revision::Current && target.len() >= PREFIX_LENGTH && token.starts_with(target))
}

/// Where the bit of a key is in `Query::key_bits`: the index (0 to 15) of the number, and the mask of the bit.
fn key_bit(key: u32) -> (usize, u64) {
    let hash = key.wrapping_mul(0x9e37_79b1) >> 22;
    ((hash >> 6) as usize & 15, 1 << (hash & 63))
}

/// The first four bytes of a text as a big-endian number; shorter texts are padded with zero bytes.
pub(crate) fn key(text: &[u8]) -> u32 {
    match *text {
        [a, b, c, d, ..] => u32::from_be_bytes([a, b, c, d]),
        [a, b, c] => u32::from_be_bytes([a, b, c, 0]),
        [a, b] => u32::from_be_bytes([a, b, 0, 0]),
        [a] => u32::from_be_bytes([a, 0, 0, 0]),
        [] => 0,
    }
}
