//! The rules for secrets, which are data in two tables in `python/cuecard/assets` (SPEC 55.1).
//!
//! A pattern is compiled when a text first needs it.

use super::matcher;
use super::pattern::Pattern;
use std::sync::OnceLock;

/// The tables of rules. Our own table comes first: if rules of both tables find a secret, our rule decides its kind.
const TABLES: [&str; 2] = [
    include_str!("../../../../python/cuecard/assets/secret_rules.tsv"),
    include_str!("../../../../python/cuecard/assets/secret_rules_gitleaks.tsv"),
];

const NO_ALNUM: &str = "[^A-Za-z0-9]";

/// The check that a match of a rule must pass (SPEC 55.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Exact,
    Doubtful,
    Chosen,
    Prose,
    Pair,
    Looks,
    Any,
    Login,
    Url,
    Random,
    Alone,
    Encoded,
    Ethereum,
    Phrase,
    Assigned,
}

impl Check {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "exact" => Self::Exact,
            "doubtful" => Self::Doubtful,
            "chosen" => Self::Chosen,
            "prose" => Self::Prose,
            "pair" => Self::Pair,
            "looks" => Self::Looks,
            "any" => Self::Any,
            "login" => Self::Login,
            "url" => Self::Url,
            "random" => Self::Random,
            "alone" => Self::Alone,
            "encoded" => Self::Encoded,
            "ethereum" => Self::Ethereum,
            "phrase" => Self::Phrase,
            "assigned" => Self::Assigned,
            _ => return None,
        })
    }
}

/// A rule for one format of secrets.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: &'static str,
    pub(super) check: Check,
    /// Whether the pattern is matched against text with A to Z as a to z.
    pub(super) is_folded: bool,
    literals: &'static str,
    source: &'static str,
    compiled: OnceLock<Option<Compiled>>,
}

/// The compiled pattern of a rule.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) pattern: Pattern,
    /// The maximal number of characters in a match before a literal; `None` if a match may have none of the literals.
    pub(super) reach: Option<usize>,
    /// Whether a match is one long word without blanks.
    pub(super) is_one_word: bool,
    /// Whether the length of a match is limited.
    pub(super) is_bounded: bool,
}

impl Rule {
    /// The literals of the rule: only texts with at least one of them are searched. If there are none, every text is
    /// searched.
    pub(super) fn literals(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.literals.split_ascii_whitespace()
    }

    /// The compiled pattern; `None` if it uses unsupported syntax (a test checks that no rule does).
    pub(super) fn compiled(&self) -> Option<&Compiled> {
        self.compiled
            .get_or_init(|| {
                let text = self.expanded();
                let pattern = Pattern::read(&text)?;
                let reach = pattern.reach(&self.literals());
                let is_one_word = !self.is_folded && is_one_word(&text);
                Some(Compiled { pattern, reach, is_one_word, is_bounded: !text.contains(",}") })
            })
            .as_ref()
    }

    /// The text of the pattern with its definitions filled in.
    pub(super) fn expanded(&self) -> String {
        table().expanded(self.source)
    }

    /// Whether the rule is a vendor's format in which the whole token, which begins after a separator, is the secret.
    pub(super) fn is_token(&self) -> bool {
        self.check == Check::Exact && self.source.starts_with("%{START}(?P<secret>")
    }
}

/// Whether a pattern matches only a token between separators, and the token cannot contain a blank.
fn is_one_word(pattern: &str) -> bool {
    let inner = pattern.strip_prefix(NO_ALNUM).unwrap_or(pattern);
    let inner = inner.strip_suffix(NO_ALNUM).unwrap_or(inner);
    let is_token = inner.starts_with("(?P<secret>") && inner.ends_with(')');
    is_token && !inner.contains(' ') && !inner.contains("[^") && !inner.contains('\\')
}

/// Where in a value the pattern of a `judge` row must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Anywhere,
    Beginning,
    Whole,
}

/// The `judge` rows of the tables that have the same name and the same place.
#[derive(Debug)]
struct Judge {
    name: &'static str,
    place: Place,
    sources: Vec<&'static str>,
    compiled: OnceLock<Option<Pattern>>,
}

/// The parsed tables.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rules: Vec<Rule>,
    words: Vec<(&'static str, &'static str)>,
    judges: Vec<Judge>,
    defined: Vec<(&'static str, &'static str)>,
}

/// The shipped rules.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::default();
        for line in TABLES.iter().flat_map(|file| file.split('\n')) {
            table.add(line);
        }
        table
    })
}

impl Table {
    fn add(&mut self, line: &'static str) {
        let mut cells = line.split('\t');
        let mut next = || cells.next().unwrap_or_default();
        match next() {
            "rule" => {
                let (kind, check, text, literals, source) = (next(), next(), next(), next(), next());
                if let Some(check) = Check::named(check) {
                    let is_folded = text == "folded";
                    self.rules.push(Rule { kind, check, is_folded, literals, source, compiled: OnceLock::new() });
                }
            }
            "define" => self.defined.push((next(), next())),
            "words" => self.words.push((next(), next())),
            "judge" => {
                let (name, place, source) = (next(), next(), next());
                let place = match place {
                    "anywhere" => Place::Anywhere,
                    "beginning" => Place::Beginning,
                    _ => Place::Whole,
                };
                match self.judges.iter_mut().find(|judge| judge.name == name && judge.place == place) {
                    Some(judge) => judge.sources.push(source),
                    None => self.judges.push(Judge { name, place, sources: vec![source], compiled: OnceLock::new() }),
                }
            }
            _ => {}
        }
    }

    /// Whether the list of words named `list` contains `word`.
    pub(super) fn has_word(&self, list: &str, word: &str) -> bool {
        self.words.iter().any(|(name, words)| *name == list && words.split(' ').any(|known| known == word))
    }

    /// Whether a pattern with this name and place matches a text.
    pub(super) fn judges(&self, name: &str, place: Place, text: &str) -> bool {
        let judge = self.judges.iter().find(|judge| judge.name == name && judge.place == place);
        let pattern = judge.and_then(|judge| {
            judge.compiled.get_or_init(|| Pattern::read(&self.expanded(&judge.sources.join("|")))).as_ref()
        });
        pattern.is_some_and(|pattern| match place {
            Place::Anywhere => matcher::search(pattern, text).is_some(),
            Place::Beginning => matcher::matches_beginning(pattern, text),
            Place::Whole => matcher::matches_whole(pattern, text),
        })
    }

    /// The patterns with this name and place, joined to one; empty if there are none.
    pub(super) fn judging(&self, name: &str, place: Place) -> String {
        let judge = self.judges.iter().find(|judge| judge.name == name && judge.place == place);
        judge.map(|judge| self.expanded(&judge.sources.join("|"))).unwrap_or_default()
    }

    /// A pattern with its definitions filled in; a definition with several branches becomes a group.
    fn expanded(&self, source: &str) -> String {
        let mut text = String::with_capacity(source.len());
        let mut rest = source;
        while let Some((before, after)) = rest.split_once("%{") {
            text.push_str(before);
            let definition = after
                .split_once('}')
                .and_then(|(name, after)| Some((self.defined.iter().find(|(known, _)| *known == name)?.1, after)));
            let Some((body, after)) = definition else {
                text.push_str("%{");
                rest = after;
                continue;
            };
            let has_branches = body.contains('|');
            text.push_str(if has_branches { "(?:" } else { "" });
            text.push_str(&self.expanded(body));
            text.push_str(if has_branches { ")" } else { "" });
            rest = after;
        }
        text.push_str(rest);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn every_pattern_can_be_read() {
        assert!(table().rules.len() > 200);
        for rule in &table().rules {
            assert!(rule.compiled().is_some(), "{}: {}", rule.kind, rule.source);
        }
        for judge in &table().judges {
            table().judges(judge.name, judge.place, "x");
            assert!(judge.compiled.get().is_some_and(Option::is_some), "{}", judge.name);
        }
    }
}
