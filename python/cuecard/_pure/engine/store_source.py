"""The stores whose documents recall searches together (SPEC 48.6)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.scopes import ScopedStore


class StoreSource:
    """A store whose documents are searched."""

    def __init__(self, root: str, memory_dir: str, label: str = "", *, is_users: bool = False) -> None:
        """`label` is the scope in a block and in the log; "" for the project's own."""
        self.root = root
        self.memory_dir = memory_dir
        self.label = label
        # Whether it is the user's own store.
        self.is_users = is_users


def source_of(store: "ScopedStore") -> StoreSource:
    """The source for a store that counts."""
    from ...files.scopes import USER

    return StoreSource(store.root, store.memory_dir, store.label, is_users=store.scope == USER)
