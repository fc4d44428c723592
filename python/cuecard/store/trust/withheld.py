"""What stands in place of a text that is withheld from agents, and who vouches for a memory (SPEC 52.9)."""

UNREVIEWED = "unreviewed"
WITHHELD = (
    "withheld: nobody on this machine vouches for it, and its text addresses the model, its tools or secrets; "
    "`cuecard trust` in a terminal shows it to a person"
)


class View:
    """Who vouches for a memory, "" where nobody has to, and whether its text is withheld from agents."""

    __slots__ = ("is_withheld", "trust")

    def __init__(self, trust: str, *, is_withheld: bool) -> None:
        """Keep them."""
        self.trust = trust
        self.is_withheld = is_withheld

    @property
    def is_unreviewed(self) -> bool:
        """Whether nobody vouches for the memory."""
        return self.trust == UNREVIEWED


FREE = View("", is_withheld=False)
