"""The facts of a section of instructions: whether they are a list of names, and what their memory is called."""

from collections.abc import Sequence

from . import rule_words, section_words
from .line_names import is_name, names_of_tree
from .subjects import names_topic
from .titles import first_sentence_of, listing_title, make_title

# A longer line before a list is a sentence about the whole list.
MAX_LEAD_WORDS = 12


def is_named(facts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the title of the facts is a list of names."""
    first = facts[0]
    if rule_words.without_describing_label(first.removeprefix("- ")) != first.removeprefix("- "):
        return False
    if not first.startswith(("- ", "\n")) and len(first.partition("\n")[0].split()) > MAX_LEAD_WORDS:
        return False
    is_list = first.startswith("- ") or "\n- " in first or bool(names_of_tree(first))
    return len(names) > 1 and (is_list or not first_sentence_of(first.split("\n\n")[0]).endswith("."))


def only_describes(facts: Sequence[str], headings: Sequence[str], *, is_glossary: bool) -> bool:
    """Whether the facts below some headings say what something is, or where, and nothing that work must fit.

    `is_glossary` says that one of the headings announces words with their meanings.
    """
    lines = [line for fact in facts for line in fact.split("\n") if line.strip()]
    prose = [line for line in lines if not line.startswith("- ")]
    listed = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    if is_glossary or any(map(section_words.lists_places, headings)):
        return True
    if prose and all(map(section_words.defines, prose)):
        return True
    if not any(map(_says_something, [line.removeprefix("- ") for line in lines])):
        return True
    if len(listed) < 2 or any(map(rule_words.describes, prose)) or section_words.is_about_commands(" ".join(headings)):
        return False
    first = listed[0]
    are_explained = all(rule_words.is_named_code(line) or rule_words.is_named_thing(line) for line in listed)
    return are_explained and rule_words.without_describing_label(first) == first


def _says_something(line: str) -> bool:
    """Whether a line is a sentence, code, or has a label that names its subject."""
    said = rule_words.without_describing_label(line)
    is_labelled = rule_words.is_labelled(line) and said == line
    # A label such as `Returns` is a verb, too.
    is_effect = rule_words.begins_with_effect(line.replace(":", " "))
    return is_labelled or "`" in line or is_effect or section_words.is_sentence(said)


def title_of_facts(facts: Sequence[str], names: Sequence[str], head: str) -> str:
    """The title for the memory of the facts: for a list of names, the heading with the names; else a sentence."""
    first = facts[0]
    is_item = first.startswith("- ")
    line = rule_words.without_describing_label(" ".join(first.removeprefix("- ").split("\n\n")[0].split()))
    sentence = first_sentence_of(line)
    if is_named(facts, names):
        own = "" if is_item or "\n" not in first else first.partition("\n")[0].rstrip(" :")
        return listing_title(head or own, [name for name in names if is_name(name)])
    is_wanted = names_topic(head) and head.lower() not in sentence.lower()
    return make_title(sentence, head if is_wanted else "")
