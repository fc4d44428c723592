"""Finds titles and names for lines of instructions: from sentences, labels, commands and file trees."""

import re
from collections.abc import Sequence

from ..store.records.record_limits import MAX_TITLE_CHARS
from . import rule_words
from .markup.markdown import Block, plain, without_markup
from .subjects import leans_on_another, names_subject
from .titles import first_sentence_of, is_open_end, make_title, sentences_of, shorten_words

MAX_KEY_WORDS = 8
MAX_NAME_WORDS = 6
MAX_ALL_CHARS = 200
_LABEL = re.compile(r"^[*_`]*(?:\[ ?\] )?([^:*`_\u2013\u2014]{2,60}?)[*_`]*(?:\s*[:(=]|\s[-\u2013\u2014\u2192]|\s->|$)")
_CODE = re.compile(r"`([^`]{1,60})`")
_CODE_SPAN = re.compile(r"`[^`]*`")
_BOLD_SENTENCE = re.compile(r"^\W{0,3}\*\*([^*]{10,118}[^:*\s])\*\*(?!\s*(?:[:,(\u2013\u2014\u2192-]|[a-z]))")
# `./packages` is a folder, and `./build.sh` a command.
_FOLDER = re.compile(r"^\./[\w./-]*$(?<!\.sh)(?<!\.py)(?<!\.js)(?<!\.rb)(?<!w)(?<!\.ts)")
BOLD_LABEL = re.compile(r"^\W{0,3}\*\*[^*]{2,60}(?::\s*\*\*|\*\*\s*[:\u2013\u2014-])")
_CLAUSE = re.compile(r"[,;:]\s|\s[\u2013\u2014\u2192(]|\s-\s|\s->|\s(?:so that|because|which|instead)\b")
# The end of a sentence, such as `never to a file`, which says nothing by itself.
_TAIL = re.compile(
    r"^(?:never|not|always|only|even|and|or) (?:to|in|into|from|on|with|by|at|for|as|of)\b", re.IGNORECASE
)
MIN_RULE_WORDS = 3
MIN_NAME_CHARS = 2
# The most words of a label, and of a line before a list that serves as a label.
MAX_LABEL_WORDS = 4


def tells_to_do(item: str) -> bool:
    """Whether a sentence of an item tells somebody what to do."""
    return any(rule_words.is_rule(sentence) for sentence in sentences_of(item))


def title_of(text: str, raw: str, before: str, otherwise: str = "") -> str:
    """The title for the memory of a line: its bold sentence, or else the sentence with its rule.

    `text` is the line without markup, and `raw` the line as in the file. `before` is put in front of the sentence if it
    says more. If `before` is empty and the line does not name its subject, `otherwise` is put in front.
    """
    text = text.partition("\n```")[0] or text
    # If examples follow the first line of an item, that line says what the item is about.
    head = plain(raw.partition("\n")[0]) if "\n" in raw and text.startswith(plain(raw.partition("\n")[0])) else ""
    text = head if len(head.split()) > MIN_RULE_WORDS else text
    bold = _BOLD_SENTENCE.match(raw)
    is_sentence = bold and (rule_words.is_rule(bold.group(1)) or rule_words.describes(bold.group(1)))
    # A bold phrase without a verb does not say more than the rule behind it.
    is_title = is_sentence or not any(map(rule_words.is_rule, sentences_of(text)))
    if bold and len(bold.group(1).split()) > MIN_RULE_WORDS and is_title:
        return make_title(bold.group(1))
    sentences = list(sentences_of(text))
    standing = [each for each in sentences if not rule_words.is_remark(each) and len(each.split()) > MIN_RULE_WORDS]
    rules = [each for each in standing if rule_words.is_rule(each)]
    telling = (rules or standing or sentences)[0]
    told = _told_together(sentences, telling, is_rule=bool(rules))
    if told:
        return make_title(told.replace(". ", "; "), before if before.lower() not in told.lower() else "")
    if rules and telling != sentences[0] and leans_on_another(telling) and sentences[0] in standing:
        # The sentence before names what the rule is about.
        telling = sentences[0]
    label = _LABEL.match(text) if BOLD_LABEL.match(raw) and telling != sentences[0] else None
    is_name = (
        label and len(label.group(1).split()) <= MAX_LABEL_WORDS and not rule_words.is_remark(f"{label.group(1)}:")
    )
    before = before or (label.group(1) if label and is_name else "")
    if not before and (rule_words.lacks_subject(telling) or len(telling.split()) < MIN_RULE_WORDS):
        before = otherwise
    if len(telling) > MAX_TITLE_CHARS:
        # The rule may be the part after a dash.
        clauses = re.split(r"\s[\u2013\u2014]\s", telling)
        rule = next(
            (
                each
                for each in clauses
                if each[:1].isalpha()
                and rule_words.is_rule(each)
                and len(each.split()) > MIN_RULE_WORDS
                and not _TAIL.match(each)
            ),
            "",
        )
        telling = f"{rule[:1].upper()}{rule[1:]}" if rule else telling
    title = make_title(telling, before if before.lower() not in telling.lower() else "")
    if rule_words.is_rule(telling) and not rule_words.is_rule(title.removeprefix(f"{before}: ")):
        # A title that is cut after a word is better than a title without the demand.
        return shorten_words(without_markup(telling), MAX_TITLE_CHARS)
    return title


def _told_together(sentences: list[str], telling: str, *, is_rule: bool) -> str:
    """The sentences that say something only together, if they are short enough for a title; else "".

    These are a short first sentence with what follows it, such as `Python 3.10+. Not 3.9.`, and a rule about something
    that the sentence before it names.
    """
    at = sentences.index(telling)
    if is_rule and at and not names_subject(telling):
        text = " ".join(sentences[at - 1 : at + 1])
    elif not is_rule and len(sentences) > 1 and len(sentences[0].split()) <= MIN_RULE_WORDS:
        text = " ".join(sentences[:2])
    else:
        return ""
    return text if len(text) <= MAX_TITLE_CHARS else ""


def command_of(item: str) -> str:
    """The shell command at the beginning of an item; "" if the item is not a command."""
    code = rule_words.find_command(item)
    is_path = bool(_FOLDER.match(code))
    return code if code and not is_path and Block("code", code).is_shell else ""


def as_code(command: str) -> str:
    """A command in code style, so that `<name>` in it is no markup; "" if it has a mark of code in it."""
    return f"`{command}`" if command and "`" not in command else ""


def key_of(title: str) -> str:
    """The key that identifies a rule in its section: the first words of its title."""
    return " ".join(re.findall(r"\w[\w'./-]*", title.lower())[:MAX_KEY_WORDS]) or "rule"


def names_of_all(blocks: Sequence[Block]) -> str:
    """The names of all items and paragraphs of a part that is left out, so that none hides behind its neighbour."""
    lines = [line for block in blocks if block.kind not in ("heading", "code") for line in block.items or (block.text,)]
    names = [key_of(name_of(" ".join(plain(line).split()))) for line in lines]
    return shorten_words("; ".join(dict.fromkeys(names)), MAX_ALL_CHARS) or "code"


def name_of(item: str) -> str:
    """A name for the subject of an item: its label, else the code at its beginning, else its first words."""
    label = _LABEL.match(item)
    if label and len(label.group(1).split()) < 7:
        return f"`{label.group(1)}`" if item.startswith("`") else label.group(1)
    code = _CODE.match(item)
    if code:
        return f"`{code.group(1)}`"
    line = first_sentence_of(item.partition("\n")[0]).rstrip(" .:;")
    end = _CLAUSE.search(_CODE_SPAN.sub(lambda code: "x" * len(code[0]), line))
    clause = line[: end.start()] if end else line
    words = clause.split()
    # A cut name ends with an ellipsis, so that nobody takes it for the whole name.
    return clause if len(words) <= MAX_NAME_WORDS + 2 else " ".join(words[:MAX_NAME_WORDS]) + "\u2026"


def is_name(name: str) -> bool:
    """Whether the name of an item says what the item is about: it was not cut, and is not an incomplete phrase."""
    is_no_name = name.endswith("\u2026") or len(name) < MIN_NAME_CHARS or rule_words.is_describing_label(name)
    return not is_no_name and (name.startswith("`") or not is_open_end(name))
