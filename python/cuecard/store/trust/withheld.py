"""The replacement for a text that is withheld from agents, and the view of a memory for agents (SPEC 45.9)."""

UNREVIEWED = "unreviewed"
WITHHELD = (
    "withheld: nobody on this machine vouches for it, and its text addresses the model, its tools or secrets; "
    "`cuecard trust` in a terminal shows it to a person"
)


class View:
    """The trust of a memory ("" if the settings ignore trust), and whether its text is withheld from agents."""

    def __init__(self, trust: str, *, is_withheld: bool) -> None:
        """`trust` is `own`, `reviewed` or `unreviewed`, or "" if the settings ignore trust."""
        self.trust = trust
        self.is_withheld = is_withheld

    @property
    def is_unreviewed(self) -> bool:
        """Whether nobody vouches for the memory."""
        return self.trust == UNREVIEWED


FREE = View("", is_withheld=False)
