//! Parses the patterns of the tables and compiles them to steps (SPEC 55.2).
//!
//! This replaces the crate `regex`, because every stop of a session compiles the patterns in a new process. Ordinary
//! text of four kilobytes needs 13 to 16 of the patterns. `regex` takes 2.2 to 4.4 ms to compile these, mostly for the
//! bounded repetitions, and adds 0.6 to 1.1 MB of code. The tests in `tests.rs` compare this module with `regex`.

use super::class::{Beginning, Class};

/// The names that groups may have; the number of a group is its index here.
pub(super) const GROUPS: [&str; 11] =
    ["secret", "double", "single", "user", "host", "name", "suffix", "prose", "bare", "short", "gap"];

/// The value of [`Times::most`] for a repetition without a limit.
const UNBOUNDED: usize = usize::MAX;

/// A parsed pattern, as a tree.
#[derive(Debug)]
enum Node {
    Literal(Vec<char>),
    /// Characters of one class, repeated.
    Run(Class, Times),
    Group(Option<usize>, Box<Node>),
    Choice(Vec<Node>),
    Sequence(Vec<Node>),
    Repeat(Box<Node>, Times),
}

/// The least and greatest number of repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) least: usize,
    pub(super) most: usize,
    /// Whether higher numbers are tried before lower ones.
    pub(super) is_greedy: bool,
}

const ONCE: Times = Times { least: 1, most: 1, is_greedy: true };

/// A step of a compiled pattern; the matcher continues with the next step unless the step says otherwise.
#[derive(Debug)]
pub(super) enum Step {
    /// Match exactly these characters.
    Literal(Vec<char>),
    /// Match characters of one class.
    Run(Run),
    /// Continue with the first of several alternatives that leads to a match.
    Choice {
        /// The characters that each alternative can begin with, and the index of its first step.
        ways: Vec<(Beginning, usize)>,
        /// The number under which the matcher remembers failures of the choice.
        memo: usize,
    },
    /// Continue with the step at this index.
    Jump(usize),
    /// Record where a group begins or ends. The value is twice the number of the group, plus one for the end.
    Mark(usize),
    /// The pattern has matched.
    End,
}

/// A run of characters of one class.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) class: Class,
    pub(super) times: Times,
    /// Whether only the full run can match, because the rest of the pattern cannot begin with a character of the class.
    pub(super) is_whole: bool,
    /// The number under which the matcher remembers failures of the run.
    pub(super) memo: usize,
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    root: Node,
    pub(super) steps: Vec<Step>,
    /// The number of steps whose failures are remembered.
    pub(super) memos: usize,
    /// The characters that a match can begin with.
    pub(super) beginning: Beginning,
}

impl Pattern {
    /// Parses and compiles a pattern; `None` if it uses unsupported syntax.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { chars: text.chars().collect(), place: 0 };
        let root = reader.choice()?;
        if reader.peek().is_some() {
            return None;
        }
        let mut writer = Writer { steps: Vec::new(), memos: 0 };
        writer.write(&root, Beginning::ANYTHING);
        writer.steps.push(Step::End);
        let beginning = root.beginning();
        Some(Self { root, steps: writer.steps, memos: writer.memos, beginning })
    }

    /// The maximal number of characters in a match before the first of the literals; `None` if a match may contain no
    /// literal.
    pub(super) fn reach<'a>(&self, literals: &(impl Iterator<Item = &'a str> + Clone)) -> Option<usize> {
        self.root.reach(literals)
    }
}

impl Node {
    fn beginning(&self) -> Beginning {
        match self {
            Self::Literal(chars) => chars.first().map_or(Beginning::EMPTY, |char| Beginning::of(&Class::of(*char))),
            Self::Run(class, times) => {
                let one = Beginning::of(class);
                if times.least == 0 { one.or(Beginning::EMPTY) } else { one }
            }
            Self::Group(_, inner) => inner.beginning(),
            Self::Choice(ways) => ways.iter().map(Self::beginning).reduce(Beginning::or).unwrap_or(Beginning::EMPTY),
            Self::Sequence(parts) => beginning_of(parts),
            Self::Repeat(inner, times) => {
                let one = inner.beginning();
                if times.least == 0 { one.or(Beginning::EMPTY) } else { one }
            }
        }
    }

    /// The maximal number of characters that the node matches.
    fn width(&self) -> usize {
        match self {
            Self::Literal(chars) => chars.len(),
            Self::Run(_, times) => times.most,
            Self::Group(_, inner) => inner.width(),
            Self::Choice(ways) => ways.iter().map(Self::width).max().unwrap_or(0),
            Self::Sequence(parts) => parts.iter().fold(0, |sum, part| sum.saturating_add(part.width())),
            Self::Repeat(inner, times) => inner.width().saturating_mul(times.most),
        }
    }

    fn reach<'a>(&self, literals: &(impl Iterator<Item = &'a str> + Clone)) -> Option<usize> {
        match self {
            Self::Literal(chars) => {
                let text: String = chars.iter().collect();
                let byte = literals.clone().filter_map(|literal| text.find(literal)).min()?;
                text.get(..byte).map(|before| before.chars().count())
            }
            Self::Run(class, times) if times.least > 0 => {
                let mut all = Class::default();
                let is_single = |literal: &&str| literal.chars().nth(1).is_none();
                literals.clone().filter(is_single).flat_map(str::chars).for_each(|char| all.add(char));
                class.is_within(&all).then_some(0)
            }
            Self::Run(..) => None,
            Self::Group(_, inner) => inner.reach(literals),
            Self::Choice(ways) => {
                ways.iter().map(|way| way.reach(literals)).try_fold(0, |most, way| way.map(|way| way.max(most)))
            }
            Self::Sequence(parts) => {
                let mut before = 0_usize;
                for part in parts {
                    if let Some(reach) = part.reach(literals) {
                        return before.checked_add(reach);
                    }
                    before = before.checked_add(part.width())?;
                }
                None
            }
            Self::Repeat(inner, times) => {
                if times.least > 0 {
                    inner.reach(literals)
                } else {
                    None
                }
            }
        }
    }
}

/// The characters that a sequence of parts can begin with.
fn beginning_of(parts: &[Node]) -> Beginning {
    parts.iter().rev().fold(Beginning::EMPTY, |next, part| part.beginning().then(next))
}

/// Parses a pattern from left to right.
struct Reader {
    chars: Vec<char>,
    place: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.place).copied()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.place += 1;
        Some(char)
    }

    /// Consumes the next character if it is `wanted`; returns whether it did so.
    fn take(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.place += usize::from(is_next);
        is_next
    }

    fn choice(&mut self) -> Option<Node> {
        let first = self.sequence()?;
        if self.peek() != Some('|') {
            return Some(first);
        }
        let mut ways = vec![first];
        while self.take('|') {
            ways.push(self.sequence()?);
        }
        Some(Node::Choice(ways))
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|char| char != '|' && char != ')') {
            let part = self.atom()?;
            let times = self.times()?;
            let part = if times == ONCE { part } else { repeat(part, times) };
            match (parts.last_mut(), part) {
                (Some(Node::Literal(before)), Node::Literal(chars)) => before.extend(chars),
                (_, part) => parts.push(part),
            }
        }
        Some(Node::Sequence(parts))
    }

    fn atom(&mut self) -> Option<Node> {
        match self.next()? {
            '(' => self.group(),
            // A class of one character, like `[.]`, is a literal.
            '[' => self.class().map(|class| match class.only() {
                Some(char) => Node::Literal(vec![char]),
                None => Node::Run(class, ONCE),
            }),
            '\\' => self.escaped().map(|char| Node::Literal(vec![char])),
            '.' | '^' | '$' | '*' | '+' | '?' | '{' => None,
            char => Some(Node::Literal(vec![char])),
        }
    }

    fn group(&mut self) -> Option<Node> {
        if !self.take('?') {
            return None;
        }
        let number = if self.take(':') {
            None
        } else {
            if !(self.take('P') && self.take('<')) {
                return None;
            }
            let mut name = String::new();
            while !self.take('>') {
                name.push(self.next()?);
            }
            Some(GROUPS.iter().position(|known| *known == name)?)
        };
        let inner = self.choice()?;
        self.take(')').then(|| Node::Group(number, Box::new(inner)))
    }

    fn escaped(&mut self) -> Option<char> {
        match self.next()? {
            't' => Some('\t'),
            'r' => Some('\r'),
            'n' => Some('\n'),
            char if char.is_ascii_punctuation() => Some(char),
            _ => None,
        }
    }

    fn class(&mut self) -> Option<Class> {
        let is_negated = self.take('^');
        let mut class = Class::default();
        loop {
            let first = match self.next()? {
                ']' => break,
                '\\' => self.escaped()?,
                char => char,
            };
            if self.peek() == Some('-') && self.chars.get(self.place + 1).is_some_and(|char| *char != ']') {
                self.place += 1;
                let last = match self.next()? {
                    '\\' => self.escaped()?,
                    char => char,
                };
                if !first.is_ascii() || !last.is_ascii() {
                    return None;
                }
                (first..=last).for_each(|char| class.add(char));
            } else {
                class.add(first);
            }
        }
        Some(if is_negated { class.negated() } else { class })
    }

    /// Parses the repetition that follows a part of the pattern; returns [`ONCE`] if none follows.
    fn times(&mut self) -> Option<Times> {
        let (least, most) = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, UNBOUNDED),
            Some('+') => (1, UNBOUNDED),
            Some('{') => {
                self.place += 1;
                let least = self.number()?;
                let most = match (self.take(','), self.peek()) {
                    (false, _) => least,
                    (true, Some('}')) => UNBOUNDED,
                    (true, _) => self.number()?,
                };
                if self.peek() != Some('}') {
                    return None;
                }
                (least, most)
            }
            _ => return Some(ONCE),
        };
        self.place += 1;
        Some(Times { least, most, is_greedy: !self.take('?') })
    }

    fn number(&mut self) -> Option<usize> {
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.place += 1;
        }
        digits.parse().ok()
    }
}

fn repeat(part: Node, times: Times) -> Node {
    match part {
        Node::Run(class, _) => Node::Run(class, times),
        Node::Literal(chars) => Node::Run(chars.first().map(|char| Class::of(*char)).unwrap_or_default(), times),
        part => Node::Repeat(Box::new(part), times),
    }
}

/// Compiles a parsed pattern to steps.
struct Writer {
    steps: Vec<Step>,
    memos: usize,
}

impl Writer {
    /// Writes the steps of a part; `next` contains the characters that the rest of the pattern can begin with.
    fn write(&mut self, node: &Node, next: Beginning) {
        match node {
            Node::Literal(chars) => self.steps.push(Step::Literal(chars.clone())),
            Node::Run(class, times) => {
                let memo = self.new_memo();
                let is_whole = next.excludes(class) || times.least == times.most;
                self.steps.push(Step::Run(Run { class: class.clone(), times: *times, is_whole, memo }));
            }
            Node::Group(None, inner) => self.write(inner, next),
            Node::Group(Some(number), inner) => {
                self.steps.push(Step::Mark(2 * number));
                self.write(inner, next);
                self.steps.push(Step::Mark(2 * number + 1));
            }
            Node::Choice(ways) => {
                let choice = self.push_choice();
                let mut places = Vec::new();
                let mut jumps = Vec::new();
                for way in ways {
                    places.push((way.beginning().then(next), self.steps.len()));
                    self.write(way, next);
                    jumps.push(self.steps.len());
                    self.steps.push(Step::Jump(0));
                }
                let end = self.steps.len();
                for jump in jumps {
                    self.set(jump, Step::Jump(end));
                }
                self.set_ways(choice, places);
            }
            Node::Sequence(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    let rest = parts.get(place + 1..).unwrap_or_default();
                    self.write(part, beginning_of(rest).then(next));
                }
            }
            Node::Repeat(inner, times) => self.write_repeat(inner, *times, next),
        }
    }

    fn write_repeat(&mut self, inner: &Node, times: Times, next: Beginning) {
        let again = inner.beginning().or(next);
        for _ in 0..times.least {
            self.write(inner, again);
        }
        let mut choices = Vec::new();
        let more = if times.most == UNBOUNDED { 1 } else { times.most.saturating_sub(times.least) };
        for _ in 0..more {
            choices.push(self.push_choice());
            self.write(inner, again);
        }
        if times.most == UNBOUNDED {
            self.steps.extend(choices.iter().map(|choice| Step::Jump(*choice)));
        }
        let end = self.steps.len();
        for choice in choices {
            let mut ways = vec![(inner.beginning().then(again), choice + 1), (next, end)];
            if !times.is_greedy {
                ways.reverse();
            }
            self.set_ways(choice, ways);
        }
    }

    fn new_memo(&mut self) -> usize {
        self.memos += 1;
        self.memos - 1
    }

    fn push_choice(&mut self) -> usize {
        let memo = self.new_memo();
        self.steps.push(Step::Choice { ways: Vec::new(), memo });
        self.steps.len() - 1
    }

    fn set_ways(&mut self, place: usize, made: Vec<(Beginning, usize)>) {
        if let Some(Step::Choice { ways, .. }) = self.steps.get_mut(place) {
            *ways = made;
        }
    }

    fn set(&mut self, place: usize, step: Step) {
        if let Some(found) = self.steps.get_mut(place) {
            *found = step;
        }
    }
}
