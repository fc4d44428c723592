//! Calls all functions that read input with random input: none may panic, and the answers must keep their invariants.
//!
//! `CUECARD_FUZZ_ITERATIONS` is the number of inputs of each test (20,000 by default; `make fuzz` uses ten million).
//! Inputs are built from words of the formats and from raw bytes, and are then damaged.

use super::chance::{Chance, iterations};
use cuecard_core::classic::{IndexMd, Query, RecordFile, check_record, rebuild_index};
use cuecard_core::memory::{check_schema, parse_index_line};
use cuecard_core::present::{Form, render};
use cuecard_core::settings::read_settings;
use cuecard_core::text::json_reader::read_json;
use cuecard_core::text::{Revision, parse_timestamp, sanitize_title, tokenize};

use cuecard_engine::guard::refusal::judge_write;
use cuecard_engine::guard::shell_commands::find_writes;
use cuecard_engine::host::{Host, is_slash_command, is_too_short, read_payload, typed_text};
use cuecard_engine::tool_use::read_tool_use;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "- [DECISION] ", "- [RUNBOOK] ", "- [", "]", " -> ", "->", " #tags:", "#tags:", ",", ".claude/memory/decisions/a.json",
    "docker", "Dockerfile", "auth", "authentication", "the", "ci", "k8s", "\u{212a}ubernetes", "\u{130}stanbul", "\u{3a3}",
    "\u{200b}", "\u{202e}", "\u{e0041}", "\u{2028}", "\u{85}", "\u{a0}", "\0", "\x0b", "\t", " ", "  ", "\n", "\r\n", "\r",
    "</memory-context>", "<", "&", "\"", "'", "{", "}", "[", ":", "\"prompt\":", "\"user_prompt\":", "\"cwd\":", "null",
    "true", "false", "NaN", "-Infinity", "1e999", "-0", "0", "123456789012345678901234567890", "5.7", "\"\\ud800\"",
    "\"\\ud83d\\ude00\"", "\"\\u0000\"", "\\", "\"retrieval\":", "\"max_inject\":", "\"match_strategy\":", "\"keyword\"",
    "\"categories\":", "\"description\":", "\"record_status\":", "\"retired\"", "\"updated_at\":", "2026-01-02", "T24:00",
    "\"2026-01-02T03:04:05Z\"", "+09:00", "\"title\":", "\"tags\":", "\"a b\"", "why is the docker auth failing", "\u{ff11}_\u{ff12}",
];

#[rustfmt::skip]
const COMMAND_WORDS: &[&str] = &[
    " ", " ", " ", "\n", "\t", ";", "&", "&&", "|", "(", ")", "((", "))", "{", "}", "<", ">", ">>", ">|", "&>", ">&", "2>",
    "<<EOF", "<<-'E'", "<<<", "EOF\n", "<(", ">(", "'", "\"", "`", "\\", "$", "$(", "$((", "${", "$'", "$X", "~", "#", "@'",
    "'@", "<#", "#>", ",", "=", "X=", "a", "b/c", "..", ".claude", "/", "memory", ".claude/memory/decisions/a.json", "*", "?", "[",
    "]", "rm", "-r", "-i", "-t", "--", "cp", "mv", "ln", "sed", "perl", "-e", "tee", "dd", "of=", "find", "-delete", "rsync", "cd",
    "pushd", "popd", "-", "bash -c ", "eval", "sudo", "env", "xargs", "timeout", "5", "for", "in", "do", "function", "case",
    "[[", "Set-Content", "-Path", "-Path:", "Copy-Item", "-Destination", "New-Item", "-Name", "Remove-Item", "-Recurse", "pwsh -c",
    "$env:", "\u{130}", "\0",
];

impl Chance {
    fn bytes(&mut self) -> Vec<u8> {
        let mut made = Vec::new();
        for _ in 0..self.below(24) {
            match self.below(20) {
                0 => made.extend((0..self.below(6)).map(|_| self.byte())),
                1 => {
                    let point = u32::try_from(self.below(0x11_0000)).unwrap_or(0);
                    made.extend(char::from_u32(point).unwrap_or('x').to_string().bytes());
                }
                2 if !made.is_empty() => made.truncate(self.below(made.len())),
                3 if !made.is_empty() => {
                    let place = self.below(made.len());
                    made[place] = self.byte();
                }
                _ => made.extend(WORDS[self.below(WORDS.len())].bytes()),
            }
        }
        made
    }

    fn command(&mut self) -> String {
        let words = (0..self.below(40)).map(|_| COMMAND_WORDS[self.below(COMMAND_WORDS.len())]);
        words.collect::<Vec<_>>().concat()
    }

    fn revision(&mut self) -> Revision {
        if self.below(2) == 0 { Revision::Current } else { Revision::Classic }
    }
}

fn for_each_input(seed: u64, check: impl Fn(&[u8], &mut Chance)) {
    let mut chance = Chance(seed);
    for _ in 0..iterations(20_000) {
        let input = chance.bytes();
        check(&input, &mut chance);
    }
}

#[test]
fn fuzz_text_functions() {
    for_each_input(0x5eed_0001, |input, chance| {
        let text = String::from_utf8_lossy(input);
        let revision = chance.revision();
        for token in tokenize(&text, revision) {
            assert!(token.len() >= revision.minimum_length());
            assert!(token.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{token:?}");
        }
        let title = sanitize_title(&text);
        assert!(!title.contains(['<', '>', '"', '\n', '\u{200b}']), "{title:?}");
        let _ = (parse_timestamp(&text), is_too_short(&text), is_slash_command(&text), typed_text(&text));
        if let Ok(line) = parse_index_line(&text) {
            assert!(!line.path.is_empty() && line.tags.is_sorted());
            let again = format!("- [{}] {} -> {}", line.category, line.title, line.path);
            if !line.title.is_empty() {
                let parsed = parse_index_line(&again);
                assert!(parsed.is_ok_and(|parsed| parsed.title == line.title && parsed.path == line.path), "{again:?}");
            }
        }
    });
}

#[test]
fn fuzz_index_and_scoring() {
    for_each_input(0x5eed_0002, |input, chance| {
        let mut data = input.to_vec();
        data.extend(b"\n- [DECISION] Docker authentication -> .claude/memory/decisions/a.json #tags:auth,docker\n");
        data.extend(chance.bytes());
        let index = IndexMd::parse(data);
        let prompt = String::from_utf8_lossy(&chance.bytes()).into_owned();
        let descriptions = [("decision".to_owned(), "docker authentication choices".to_owned())];
        let revision = chance.revision();
        let query = || Query::new(&prompt, revision, &descriptions);
        let shortlist = index.shortlist(query());
        assert!(shortlist.is_sorted_by(|a, b| a.score >= b.score));
        for hit in &shortlist {
            let parts = index.explain(hit.position, &query()).unwrap_or_default();
            assert_eq!(parts.iter().map(|part| part.points).sum::<i64>(), hit.score, "{prompt:?} {parts:?}");
        }
        let verdicts: Vec<_> = shortlist.iter().take(3).map(|_| [None, Some(0), Some(1)][chance.below(3)]).collect();
        let ranked = index.rank(&shortlist, &verdicts);
        let entries: Vec<_> = ranked.iter().filter_map(|hit| index.entry(hit.position)).collect();
        assert_eq!(entries.len(), ranked.len());
        for form in [Form::Safe, Form::Classic] {
            let block = render(&entries, &descriptions, form, 600, &[]);
            assert!(block.chars().count() <= 600);
            assert_eq!(block.matches("</memory-context>").count(), usize::from(!block.is_empty()), "{block:?}");
            let answer = Host::default().write_answer(&block, None);
            assert!(answer.is_empty() || read_json(answer.as_bytes()).is_ok(), "{answer:?}");
        }
    });
}

#[test]
fn fuzz_json_inputs() {
    for_each_input(0x5eed_0003, |input, chance| {
        let _ = (read_json(input), check_record(input, 1_790_000_000_000_000, true));
        assert!(read_settings(Some(input), None).max_inject <= 20);
        let mut wrapped = b"{\"prompt\": \"docker auth\", \"retrieval\": {".to_vec();
        wrapped.extend(input);
        wrapped.extend(b"}}");
        for data in [input, wrapped.as_slice()] {
            let _ = (
                read_payload(data, Host::default()),
                read_settings(Some(data), Some(data)),
                check_record(data, 0, false),
            );
        }
        let record = |data: Vec<u8>| RecordFile {
            category: "decision".into(),
            path: ".claude/memory/decisions/a.json".into(),
            data: Some(data),
        };
        let rebuilt = rebuild_index(&[record(input.to_vec()), record(wrapped), record(chance.bytes())]);
        assert!(rebuilt.text.split('\n').filter(|line| line.starts_with("- [")).count() <= 3, "{}", rebuilt.text);
    });
}

#[test]
fn fuzz_guards() {
    for_each_input(0x5eed_0004, |input, chance| {
        let _ = read_tool_use(input);
        let command = if chance.below(8) == 0 { String::from_utf8_lossy(input).into_owned() } else { chance.command() };
        for tool in ["write", "shell", "powershell"] {
            for (action, path) in find_writes(tool, &command, "/p", "/h", "") {
                assert!(!path.is_empty(), "{command:?}");
                if let Some(reason) = judge_write(&path, action, false) {
                    assert!(reason.starts_with("`.claude/memory"), "{command:?}: {reason}");
                    assert!(read_json(Host::default().write_refusal("deny", &reason).as_bytes()).is_ok(), "{reason:?}");
                }
            }
        }
        // Quoted text is data, so its content is not a write.
        let quoted = format!("echo '{}' > .claude/memory/index.md", command.replace('\'', ""));
        let found = find_writes("shell", &quoted, "/p", "/h", "");
        assert!(matches!(found.as_slice(), [("write", _)]), "{quoted:?}: {found:?}");
    });
}

#[test]
fn fuzz_schema() {
    const DECISION: &[u8] = include_bytes!("../../../python/cuecard/assets/schemas/decision.schema.json");
    for_each_input(0x5eed_0005, |input, _| {
        for problem in check_schema(input, DECISION).into_iter().chain(check_schema(DECISION, input)) {
            assert!(!problem.expected.is_empty() && !problem.found.is_empty(), "{problem:?}");
        }
    });
}

#[test]
fn hostile_commands_take_no_time() {
    for part in [
        "sudo ",
        "$(",
        "`",
        "${",
        "((",
        "a=$a$a ",
        "(cd a;",
        "rm $a ",
        "{a,",
        "[",
        "<<a ",
        "'@",
        "bash -c ",
        "for x in a;",
    ] {
        let command = part.repeat((1 << 20) / part.len());
        for tool in ["shell", "powershell"] {
            for (action, path) in find_writes(tool, &command, "/p", "/h", "") {
                let _ = judge_write(&path, action, true);
            }
        }
        let _ = judge_write(&command, "write", true);
    }
}
