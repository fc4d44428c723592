"""What was said in the sessions that drafts are about: whose words evidence has, and in which session they stand.

Rules: docs/reference/capture-commit.md, "Evidence" and "Provenance".
"""

import re
import unicodedata
from collections.abc import Sequence

from .._backend import document_terms
from ..files.user_folder import open_store_folder
from ..store.records.record_file import Fields, texts_within
from ..store.records.repair import repair_extension
from .commit_folder import AskedSession
from .ledger.ledger_file import CLAIMED, FOLDER, OPEN, ledger_names, read_in
from .ledger.ledger_lines import Entry, Ledger, own_words_of

USER, AGENT = "user", "agent"
_WORDS = re.compile(r"[^\W_]+")
# A quotation may leave words out.
_OMISSION = re.compile(r"\[?(?:\.\.\.|\u2026)\]?")
# The beginning of the scripts that are written without blanks between words, or with endings at them.
_FIRST_OF_ASIA = "\u0e00"


class Said:
    """What the user typed, by the ledgers of a store."""

    def __init__(self, memory_dir: str, asked: Sequence[AskedSession] = ()) -> None:
        """Nothing is read until it is needed. `asked` are the sessions that the drafts are about."""
        self._memory_dir = memory_dir
        self._asked = asked
        self._ledgers: dict[str, list[Ledger]] | None = None
        self._typed: dict[str, list[str]] = {}

    @property
    def sessions(self) -> list[str]:
        """The sessions that the drafts are about."""
        return [each.session for each in self._asked]

    def source_of(self, fields: Fields) -> Fields:
        """The session in which a draft was said, in the form of `cuecard.source`; {} if the drafts are about none.

        Of several sessions it is the one with the words of the draft's evidence, otherwise the one with the most terms
        of the draft.
        """
        if not self._asked:
            return {}
        session = self._asked[0] if len(self._asked) == 1 else self._find(fields)
        ledgers = self._of(session.session)
        transcript = next((ledger.transcript for ledger in ledgers if ledger.transcript), session.transcript)
        base = next((ledger.base for ledger in reversed(ledgers)), 0)
        source: Fields = {"session": session.session}
        if transcript:
            source["transcript"] = transcript.replace("\\", "/").rpartition("/")[2][:200]
        return source | {"start": max(0, session.start - base), "end": max(0, session.end - base)}

    def check_evidence(self, extension: Fields) -> tuple[Fields, list[str]]:
        """The `cuecard` fields with evidence of the kind `user` only where the user typed its words, and notes.

        Other evidence of this kind becomes that of an agent: it is what the agent says that the user said.
        """
        evidence = extension.get("evidence")
        if not isinstance(evidence, list):
            return extension, []
        checked = [{**piece, "kind": AGENT} if self._is_claim(piece) else piece for piece in evidence]
        count = sum(one != another for one, another in zip(checked, evidence, strict=True))
        if not count:
            return extension, []
        note = "evidence of the kind `user` is now that of an agent: the user did not type these words"
        return {**extension, "evidence": checked}, [note]

    def _is_claim(self, piece: object) -> bool:
        """Whether a piece of evidence says that the user said something that is in no ledger."""
        if not isinstance(piece, dict) or piece.get("kind") != USER:
            return False
        words = [piece.get(name) for name in ("quote", "ref")]
        quoted = next((text for text in words if isinstance(text, str) and text.strip()), "")
        return not quoted or not any(self._has_typed(name, quoted) for name in self._names())

    def _names(self) -> list[str]:
        """The sessions with a ledger; those that the drafts are about come first."""
        return list(dict.fromkeys([*[each.session for each in self._asked], *self._read()]))

    def _has_typed(self, session: str, quoted: str) -> bool:
        if session not in self._typed:
            entries = [entry for ledger in self._of(session) for entry in ledger.entries]
            self._typed[session] = [words_of(text) for entry in entries for text in _typed_in(entry)]
        parts = [words for part in _OMISSION.split(quoted) if (words := words_of(part)).strip()]
        return bool(parts) and all(any(part in typed for typed in self._typed[session]) for part in parts)

    def _find(self, fields: Fields) -> AskedSession:
        evidence = fields.get("evidence")
        quotes = [piece.get("quote") for piece in evidence if isinstance(piece, dict)] if evidence else []
        quoted = [quote for quote in quotes if isinstance(quote, str) and quote.strip()]
        terms = {term for text in texts_within(fields) for term in document_terms(text)}

        def points(asked: AskedSession) -> tuple[int, int]:
            ledgers = self._of(asked.session)
            entries = [each for ledger in ledgers for each in ledger.entries if asked.start <= each["at"] < asked.end]
            said = {term for entry in entries for text in texts_within(entry) for term in document_terms(text)}
            return sum(self._has_typed(asked.session, quote) for quote in quoted), len(terms & said)

        return max(self._asked, key=points)

    def _of(self, session: str) -> list[Ledger]:
        return self._read().get(session, [])

    def _read(self) -> dict[str, list[Ledger]]:
        if self._ledgers is None:
            self._ledgers = {}
            folder = open_store_folder(self._memory_dir, FOLDER)
            if folder:
                with folder:
                    for name in sorted(ledger_names(folder)):
                        ledger = read_in(folder, name)
                        session = name.removesuffix(OPEN).removesuffix(CLAIMED)
                        if ledger:
                            self._ledgers.setdefault(session, []).append(ledger)
        return self._ledgers


def with_true_evidence(memory_dir: str, fields: Fields) -> Fields:
    """The fields of a memory that an agent wants to write, with its evidence as `check_evidence` leaves it."""
    extension = fields.get("cuecard")
    if not isinstance(extension, dict) or "evidence" not in extension:
        return fields
    return {**fields, "cuecard": Said(memory_dir).check_evidence(repair_extension(extension)[0])[0]}


def words_of(text: str) -> str:
    """The words of a text with a blank before, between and behind them; characters of CJK and Thai scripts alone."""
    words = _WORDS.findall(unicodedata.normalize("NFKC", text).casefold())
    split = [" ".join(word) if word[:1] >= _FIRST_OF_ASIA else word for word in words]
    return f" {' '.join(split)} " if split else " "


def _typed_in(entry: Entry) -> list[str]:
    """What the user typed or chose in an entry; quotations of others are left out."""
    if entry["k"] == "choice":
        return [entry["text"]]
    return [own_words_of(entry)] if entry["k"] == "prompt" else []
