"""What a person should know of a waiting draft before accepting it: one rule for all surfaces."""

from .._backend import texts_in
from ..capture.inbox import WaitingDraft
from ..store.intake.personal_data import describe_personal_data, find_personal_data
from ..store.trust.agent_view import sentences_with_signs


def signs_of_draft(waiting: WaitingDraft) -> list[tuple[str, str]]:
    """Why a draft, or what it says of its source, seems to address the model, its tools or secrets.

    Each sign comes with the first sentence that raises it.
    """
    return sentences_with_signs(texts_in([waiting.raw, waiting.source]), learned=False)


def addresses_model(waiting: WaitingDraft) -> bool:
    """Whether the text of a draft, or of its source, addresses the model, its tools or secrets."""
    return bool(signs_of_draft(waiting))


def personal_data_of(waiting: WaitingDraft) -> str:
    """The personal data in a draft, in words; "" for none."""
    found = find_personal_data(waiting.raw)
    return describe_personal_data(found) if found else ""


def needs_a_look(waiting: WaitingDraft) -> bool:
    """Whether a draft is accepted only after somebody has read it and was asked."""
    return addresses_model(waiting) or personal_data_of(waiting) != ""


def notes_of(waiting: WaitingDraft) -> list[str]:
    """What the user should know before accepting a draft, besides its signs."""
    personal = personal_data_of(waiting)
    told = f"it has {personal}, which everybody gets who gets the project" if personal else ""
    return [note for note in (waiting.note, told) if note]
