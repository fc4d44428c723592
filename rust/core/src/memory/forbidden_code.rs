//! Finds forbidden code and imports in the text of an edit (SPEC 40.3). No parser: lines, words and quotes are enough.

use crate::memory::forbids::is_blank;
use crate::text::chars::cut;

/// Functions that languages have without an import. Behind a dot, another function has the name.
const BUILT_IN: [&str; 15] = [
    "alert",
    "breakpoint",
    "confirm",
    "eval",
    "exec",
    "exit",
    "fetch",
    "input",
    "open",
    "print",
    "printf",
    "println",
    "prompt",
    "quit",
    "require",
];
/// The objects before the dot that have the built-in functions themselves.
const OWNERS: [&str; 4] = ["builtins", "global", "globalThis", "window"];
/// The words before a name that define it.
const DEFINING: [&str; 7] = ["class", "def", "fn", "fun", "func", "function", "sub"];
/// The words directly before the quoted name of a module.
const QUOTED: [&str; 9] =
    ["#include", "@import", "from", "import", "include", "include_once", "require", "require_once", "require_relative"];
/// The beginnings of lines that are comments.
const COMMENTS: [&str; 10] = ["# ", "## ", "#!", "//", "/*", "* ", "*/", "-- ", "<!--", "%% "];
/// The marks of a comment behind code, and how many of each are looked at in a line.
const COMMENT_MARKS: [&str; 2] = [" // ", " # "];
const MAX_MARKS: usize = 4;
/// How many characters of a line are looked at before and behind a piece of code.
const NEAR: usize = 120;
/// The ends of names of files with prose.
const PROSE: [&str; 7] = [".adoc", ".markdown", ".md", ".mdx", ".org", ".rst", ".txt"];

/// Whether a file has prose, in which code is only spoken about.
#[must_use]
pub fn is_prose(path: &str) -> bool {
    has_end(path, &PROSE)
}

fn has_end(path: &str, ends: &[&str]) -> bool {
    let path = path.to_ascii_lowercase();
    ends.iter().any(|end| path.ends_with(end))
}

/// A piece of code that is searched in texts.
#[derive(Debug, Clone, Copy)]
struct Pattern<'a> {
    text: &'a str,
    /// Whether `(` must follow.
    is_call: bool,
    is_built_in: bool,
    /// Whether the pattern is code and no mark in a comment, such as `@ts-ignore`.
    skips_comments: bool,
}

impl<'a> Pattern<'a> {
    fn of(text: &'a str) -> Self {
        let called = text.strip_suffix("()").or_else(|| text.strip_suffix('(')).map(|name| name.trim_end_matches(' '));
        let called = called.filter(|name| !name.is_empty());
        let (is_call, text) = (called.is_some(), called.unwrap_or(text));
        let is_built_in = BUILT_IN.contains(&text);
        let is_member =
            text.split('.').count() > 1 && text.split('.').all(|name| !name.is_empty() && name.chars().all(is_word));
        Self { text, is_call, is_built_in, skips_comments: is_call || is_built_in || is_member }
    }

    /// How often a line has the pattern.
    fn count(&self, line: &str) -> usize {
        let found = line.match_indices(self.text);
        found.filter(|(at, _)| self.is_at(line, *at)).count()
    }

    fn is_at(&self, line: &str, at: usize) -> bool {
        let before = line.get(..at).unwrap_or_default();
        let before = before
            .char_indices()
            .rev()
            .nth(NEAR - 1)
            .map_or(before, |(begin, _)| before.get(begin..).unwrap_or_default());
        let behind = cut(line.get(at + self.text.len()..).unwrap_or_default(), NEAR);
        if self.text.starts_with(is_word) && ends_in_name(before) {
            return false;
        }
        if self.text.ends_with(is_word) && begins_in_name(behind) {
            return false;
        }
        if self.is_call && !behind.trim_start_matches(is_blank).starts_with('(') {
            return false;
        }
        if self.is_built_in {
            if let Some(owner) = before.strip_suffix('.') {
                return OWNERS.contains(&last_word(owner));
            }
        }
        let gap = before.trim_end_matches(is_blank);
        gap.len() == before.len() || !(self.is_call || self.is_built_in) || !DEFINING.contains(&last_word(gap))
    }
}

/// How often a text has a piece of code: whole names only, and not in lines that are comments if the piece can only be
/// code.
#[must_use]
pub fn count_code(text: &str, code: &str) -> usize {
    let pattern = Pattern::of(code);
    let lines = text.split('\n').filter(|line| line.contains(pattern.text));
    lines.map(|line| if pattern.skips_comments { pattern.count(code_of(line)) } else { pattern.count(line) }).sum()
}

/// Whether one of some modules is a forbidden module, or a part of it.
#[must_use]
pub fn is_module(name: &str, module: &str) -> bool {
    let plain = |name: &'_ str| -> usize { if name.starts_with("node:") { 5 } else { 0 } };
    let (name, module) = (name.get(plain(name)..).unwrap_or_default(), module.get(plain(module)..).unwrap_or_default());
    name.strip_prefix(module).is_some_and(|behind| behind.is_empty() || behind.starts_with(['.', '/', ':', '\\']))
}

/// The modules that the lines of a file import, in their order. `path` is the path of the file.
#[must_use]
pub fn imported_modules(text: &str, path: &str) -> Vec<String> {
    let is_go = has_end(path, &[".go"]);
    let mut modules = Vec::new();
    for line in text.split('\n').filter(|line| !is_comment(line)) {
        add_modules(line, is_go, &mut modules);
    }
    modules
}

fn add_modules(line: &str, is_go: bool, modules: &mut Vec<String>) {
    let line = line.trim_matches(|char| is_blank(char) || char == '\r' || char == ';');
    if let Some(name) =
        line.strip_prefix("#include").and_then(|rest| rest.trim_start_matches(is_blank).strip_prefix('<'))
    {
        modules.extend(name.split_once('>').map(|(name, _)| name.to_owned()));
        return;
    }
    let parts: Vec<&str> = line.split(['"', '\'', '`']).collect();
    if parts.len() > 2 {
        // Every second part stands in quotes.
        for (number, part) in parts.iter().enumerate().skip(1).step_by(2) {
            let before = parts.get(number - 1).copied().unwrap_or_default();
            let word = before.trim_end_matches(|char| is_blank(char) || char == '(');
            let is_alone = is_go && number == 1 && parts.len() == 3 && before.split(is_blank).count() < 3;
            if QUOTED.contains(&last_quoting(word)) || is_alone && is_alias(before) {
                modules.push((*part).to_owned());
            }
        }
        return;
    }
    let mut words = line.split(is_blank).filter(|word| !word.is_empty()).peekable();
    words.next_if(|word| *word == "pub" || word.starts_with("pub("));
    let head = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.filter(|word| !matches!(*word, "static" | "type" | "crate" | "function")).collect();
    let rest = rest.join(" ");
    match head {
        "from" => {
            let (module, names) = rest.split_once(" import ").unwrap_or((&rest, ""));
            modules.push(module.to_owned());
            let names = names.trim_matches(['(', ')']).split(',');
            modules.extend(names.filter_map(first_word).map(|name| format!("{module}.{name}")));
        }
        "import" | "extern" => {
            modules.extend(rest.trim_matches(['(', ')']).split(',').filter_map(first_word).map(without_star));
        }
        "use" => {
            let rest = rest.trim_start_matches([':', '\\']);
            let (module, names) = rest.split_once('{').unwrap_or((rest, ""));
            let names: Vec<&str> = names.split(['{', '}', ',']).filter_map(first_word).collect();
            modules.extend(first_word(module).filter(|_| names.is_empty()).map(without_star));
            modules.extend(names.iter().map(|name| without_star(&format!("{module}{name}"))));
        }
        "using" => {
            let module = rest.split_once('=').map_or(rest.as_str(), |(_, module)| module);
            modules.extend(first_word(module).map(str::to_owned));
        }
        _ => {}
    }
}

/// A module's name without `.*`, `::*` and `;` at its end.
fn without_star(name: &str) -> String {
    name.trim_end_matches([';', '*']).trim_end_matches(['.', ':']).to_owned()
}

/// The last word of a text; for `import name` it is `import`, because a name may stand between.
fn last_quoting(text: &str) -> &str {
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["import", _] => "import",
        [.., last] => last.rsplit(['(', '=', '{', '}', ',', '.']).next().unwrap_or_default(),
        [] => "",
    }
}

/// Whether the text before the quotes of a line is nothing or one name, as in a list of imports of Go.
fn is_alias(text: &str) -> bool {
    text.trim_matches(is_blank).chars().all(|char| is_word(char) || char == '.')
}

fn first_word(text: &str) -> Option<&str> {
    text.split(is_blank).find(|word| !word.is_empty())
}

/// A line without its comment: nothing of a line that is one, and what stands before `//` or `#` between blanks, unless
/// that stands in quotes.
fn code_of(line: &str) -> &str {
    if is_comment(line) {
        return "";
    }
    let marks = COMMENT_MARKS.iter().flat_map(|mark| line.match_indices(mark).take(MAX_MARKS));
    let outside = |begin: &usize| {
        let before = line.get(..*begin).unwrap_or_default();
        ['"', '\''].iter().all(|quote| before.matches(*quote).count() % 2 == 0)
    };
    let end = marks.map(|(begin, _)| begin).filter(outside).min();
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start_matches(is_blank);
    matches!(line, "#" | "*" | "--") || COMMENTS.iter().any(|begin| line.starts_with(begin))
}

/// A letter, a digit, `_`, or any character beyond ASCII.
fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || !char.is_ascii()
}

/// Whether a name goes on behind the end of a text: with a word character, or with a hyphen that joins words.
fn ends_in_name(before: &str) -> bool {
    let mut last = before.chars().rev();
    match last.next() {
        Some('-') => last.next().is_some_and(|char| char.is_ascii_alphabetic() || char == '-'),
        Some(char) => is_word(char),
        None => false,
    }
}

fn begins_in_name(behind: &str) -> bool {
    let mut first = behind.chars();
    match first.next() {
        Some('-') => first.next().is_some_and(|char| char.is_ascii_alphabetic()),
        Some(char) => is_word(char),
        None => false,
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(|char| !is_word(char)).next().unwrap_or_default()
}

/// The names in a text, and "" if something else stands in it.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char| !is_word(char))
}

/// The first name in a piece of code: a text that has the piece has this word. Empty if the piece has no name.
#[must_use]
pub fn first_name(code: &str) -> &str {
    code.split(|char| !is_word(char)).find(|word| !word.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole() {
        for (text, code, count) in [
            ("print(x)\n  print (y)", "print()", 2),
            ("fingerprint(x); printer(x); console.print(x); pre-print(x)", "print()", 0),
            ("def print(x):", "print", 0),
            ("# print(x)\n// print(x)\n * print(x)", "print()", 0),
            ("x = 1  # not print(x)\nlog('a # b', print(x))", "print()", 1),
            ("window.alert('x')", "alert()", 1),
            ("// @ts-ignore\nx", "@ts-ignore", 1),
            ("value.unwrap()", "unwrap()", 1),
            ("console.log(1); myconsole.log(2); console.logger(3)", "console.log", 1),
        ] {
            assert_eq!(count_code(text, code), count, "{text} {code}");
        }
    }

    #[test]
    fn imports_of_many_languages_are_read() {
        let modules = |line| imported_modules(line, "a.go");
        for (line, wanted) in [
            ("import os, requests as r", vec!["os", "requests"]),
            (
                "from requests.adapters import (HTTPAdapter, x as y)",
                vec!["requests.adapters", "requests.adapters.HTTPAdapter", "requests.adapters.x"],
            ),
            ("import axios from 'axios';", vec!["axios"]),
            ("} from \"lodash/get\"", vec!["lodash/get"]),
            ("const fs = require('node:fs')", vec!["node:fs"]),
            ("await import(\"moment\")", vec!["moment"]),
            (
                "use std::collections::{HashMap, BTreeMap as Map};",
                vec!["std::collections::HashMap", "std::collections::BTreeMap"],
            ),
            ("pub(crate) use openssl::*;", vec!["openssl"]),
            ("import static org.junit.Assert.*;", vec!["org.junit.Assert"]),
            ("using Newtonsoft.Json;", vec!["Newtonsoft.Json"]),
            ("#include <boost/any.hpp>", vec!["boost/any.hpp"]),
            ("\tlog \"github.com/sirupsen/logrus\"", vec!["github.com/sirupsen/logrus"]),
            ("import \"fmt\"", vec!["fmt"]),
            ("# import requests", vec![]),
            ("x = \"import requests\"", vec![]),
        ] {
            assert_eq!(modules(line), wanted, "{line}");
        }
        assert!(
            is_module("requests.adapters", "requests")
                && is_module("node:fs", "fs")
                && !is_module("requests_mock", "requests")
        );
    }
}
