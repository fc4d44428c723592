"""Generates projects of any size for the benchmarks, with plausible memories that are the same on every run."""

import itertools
import json
import os
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

PROMPT = "why do we retry the payment webhook with a queue instead of calling the gateway again"
# The number of the one memory that answers `PROMPT`, so that at any size there is a memory to show.
ANSWER = 7
# The same prompt with two typing errors.
TYPOS_PROMPT = "why do we retry the paymnet webhook with a queue instead of calling the gatewya again"
# Two prompts of a session: the second one is understood only with the first one.
HISTORY_PROMPTS = ("how does the payment webhook work", "and why do we retry it with a queue?")
_ANSWER_TITLE = "Retry the payment webhook with a queue, never call the gateway again"

FOLDERS = {
    "decision": "decisions",
    "constraint": "constraints",
    "preference": "preferences",
    "runbook": "runbooks",
    "tech_debt": "tech-debt",
    "session_summary": "sessions",
}
_SUBJECTS = (
    "payment webhook|invoice export|login session|search index|image upload|email queue|audit log|feature flag|"
    "rate limiter|database migration|cache layer|deploy pipeline|terraform module|mobile release|report builder|"
    "permission model|checkout page|billing gateway|retry policy|background worker|metrics dashboard|api gateway"
).split("|")
_PATTERNS = (
    "Use {tool} for the {subject}|Keep the {subject} behind {tool}|Recover the {subject} after a {tool} outage|"
    "The {subject} must not call {tool} twice|Replace {tool} in the {subject}|Session: debugging {subject} on {tool}|"
    "Missing tests for {subject} and {tool}|Prefer {tool} over scripts in the {subject}"
).split("|")
_TOOLS = (
    "Redis|PostgreSQL|Kafka|Celery|Docker|Kubernetes|S3|Stripe|Sentry|Grafana|Terraform|pytest|React|GraphQL|"
    "OpenSearch|nginx|Vault|Airflow"
).split("|")
_QUESTIONS = (
    "why does the {subject} use {tool} {word} each call|how do we recover the {subject} when {tool} is down|"
    "fix the {subject}, {tool} answers twice|add a test that covers {tool} within the {subject} {word} the release|"
    "what did we decide about {tool} for the {subject}"
).split("|")
_WORDS = (
    "because the second call may arrive before the first one has been committed and both would charge the customer "
    "we measured this during the incident and agreed on one owner for every side effect with a bounded number of "
    "attempts and a record of each attempt that support can read without asking a developer"
).split(" ")
# From this number on, memories have other subjects too, as in large projects.
_SMALL = 10_000
_SYLLABLES = [first + vowel + last for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ("", "n", "r", "s")]
_BODY_WORDS, _WORD_COUNT = 100, 60_000
# The vocabulary, by frequency: the word of rank r has a frequency proportional to 1 / r (Zipf's law).
VOCABULARY = list(dict.fromkeys((*_WORDS, *" ".join(_SUBJECTS).split(" "), *(tool.lower() for tool in _TOOLS))))
_CHANCE = random.Random(0)
VOCABULARY += ["".join(_CHANCE.choices(_SYLLABLES, k=2 + rank % 3)) for rank in range(len(VOCABULARY), _WORD_COUNT)]
_FREQUENCIES = list(itertools.accumulate(1 / rank for rank in range(1, _WORD_COUNT + 1)))
_SHARE = 2_000


# A prompt of 200 words that ends with `PROMPT`.
LONG_PROMPT = f"{' '.join(VOCABULARY[200 : 200 + 200 - len(PROMPT.split())])}. {PROMPT}"


def make_memory(number: int, *, has_questions: bool = False) -> tuple[str, str, dict[str, object]]:
    """The path relative to the project, the index line and the record of memory `number`."""
    chance = random.Random(number)
    category = list(FOLDERS)[number % len(FOLDERS)]
    subject, tool = chance.choice(_SUBJECTS), chance.choice(_TOOLS)
    if number >= _SMALL and chance.random() < 0.8:
        subject = " ".join(chance.choices(VOCABULARY, k=2))
    title = f"{chance.choice(_PATTERNS).format(subject=subject, tool=tool)} {number}"
    if number == ANSWER:
        subject, title = "payment webhook", _ANSWER_TITLE
    tags = sorted({*subject.split(" "), tool.lower(), chance.choice(_WORDS)})
    path = f".claude/memory/{FOLDERS[category]}/memory-{number}.json"
    text = " ".join(chance.choices(VOCABULARY, cum_weights=_FREQUENCIES, k=_BODY_WORDS))
    record = {
        "schema_version": "1.0",
        "category": category,
        "id": f"memory-{number}",
        "title": title,
        "record_status": "active",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": f"2026-{1 + number % 9:02}-{1 + number % 28:02}T00:00:00Z",
        "tags": tags,
        "content": {"context": text, "decision": title, "rationale": [text[:200], text[200:400]]},
        "changes": [],
        "times_updated": 0,
    }
    if has_questions:
        asked = chance.sample(_QUESTIONS, 4)
        texts = [text.format(subject=subject, tool=tool, word=chance.choice(_WORDS)) for text in asked]
        record["cuecard"] = {"questions": texts}
    return path, f"- [{category.upper()}] {title} -> {path} #tags:{','.join(tags)}", record


def make_prompt(number: int) -> str:
    """A prompt about the subject of some memories; every fifth prompt is about no memory."""
    chance = random.Random(number)
    subject, tool = chance.choice(_SUBJECTS), chance.choice(_TOOLS)
    if number % 5 == 0:
        return f"rename the {chance.choice(VOCABULARY)} helper and run the tests of {chance.choice(VOCABULARY)} again"
    return chance.choice(_QUESTIONS).format(subject=subject, tool=tool, word=chance.choice(_WORDS))


def make_index(size: int) -> bytes:
    """The `index.md` of a project with `size` memories."""
    lines = "".join([f"{make_memory(number)[1]}\n" for number in range(size)])
    return f"# Memory Index\n\n{lines}".encode()


def _write_share(root: Path, numbers: range, has_questions: bool) -> str:
    """Write the memories with these numbers; return their index lines."""
    lines = []
    for number in numbers:
        path, line, record = make_memory(number, has_questions=has_questions)
        (root / path).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        lines.append(f"{line}\n")
    return "".join(lines)


def write_project(root: Path, size: int, *, has_questions: bool = False, first: int = 0) -> Path:
    """Write a project of `size` memories with its index under `root`, on all cores; return `root`.

    Projects with other numbers of their `first` memory have other memories.
    """
    for folder in FOLDERS.values():
        (root / ".claude" / "memory" / folder).mkdir(parents=True, exist_ok=True)
    end = first + size
    shares = [range(begin, min(begin + _SHARE, end)) for begin in range(first, end, _SHARE)]
    if len(shares) == 1:
        lines = [_write_share(root, shares[0], has_questions)]
    else:
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            lines = list(pool.map(_write_share, itertools.repeat(root), shares, itertools.repeat(has_questions)))
    (root / ".claude" / "memory" / "index.md").write_text(f"# Memory Index\n\n{''.join(lines)}", encoding="utf-8")
    return root
