"""The screen of `cuecard browse`: memories with search and filters, and the inbox, in a terminal."""

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Input, Label, OptionList, Select, Static, TabbedContent, TabPane

from ...actions import person_actions as actions
from ...basics.category import FOLDERS
from ...basics.visible_text import visible
from ...errors import CuecardError, LockError, WriteError
from .. import inbox_page, memories_page, memory_page
from ..viewed import Refused, Viewed, told
from . import texts
from .edit_screen import EditScreen, read_object

if TYPE_CHECKING:
    from ...actions.person_actions import Done
    from ...retrieval.project_store import ProjectStore
    from ...store.writes.undo import Undone

MEMORIES, INBOX = "memories", "inbox"
# So many seconds a text that came by itself is on the screen before `a` accepts it.
MOMENT = 0.5
DRAFTS, UNREVIEWED, WRONG = inbox_page.TABS
LEVELS = ("", *memories_page.LEVELS)
WRITING = ("accept", "reject", "edit", "retire", "judge", "undo")
DECIDED = inbox_page.DECIDED
LISTS = {**inbox_page.TABS, DECIDED: "Decided"}
ACTION, UNDO = "action", "undo"
END = "This was the last one. Those above were left as they are."
STATUSES = (*memories_page.STATUSES, "all")
CSS = """
#filters, #kinds { height: 3; }
#search { width: 1fr; }
Select { width: 24; }
OptionList { width: 2fr; height: 1fr; border: none; text-wrap: nowrap; text-overflow: ellipsis; }
VerticalScroll { width: 3fr; height: 1fr; padding: 0 1; border-left: solid $primary; }
#counts, #waiting-counts { height: 1; padding: 0 1; color: $text-muted; }
TabPane { padding: 0; }
EditScreen { align: center middle; }
EditScreen > #editor { width: 90%; height: 90%; border: round $primary; background: $surface; }
EditScreen TextArea { height: 1fr; }
"""


class Browser(App[None]):
    """Looks through a store. Every action can be undone with `u`, the last one first."""

    CSS = CSS
    TITLE = "cuecard"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search"),
        Binding("m", "open('memories')", "Memories"),
        Binding("i", "open('inbox')", "Inbox"),
        Binding("a", "accept", "Accept"),
        Binding("r", "reject", "Reject"),
        Binding("e", "edit", "Edit"),
        Binding("l", "leave", "Leave for now"),
        Binding("x", "retire", "Retire or restore"),
        Binding("w", "judge('wrong')", "Wrong"),
        Binding("g", "judge('good')", "Good"),
        Binding("n", "page(1)", "More"),
        Binding("p", "page(-1)", "Back"),
        Binding("space", "read", "Read on"),
        Binding("escape", "leave_field", show=False),
        Binding("u", "undo", "Undo"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, store: "ProjectStore", tab: str = MEMORIES, *, is_read_only: bool = False) -> None:
        """`tab` is what is shown first: the memories or the inbox."""
        super().__init__()
        self.viewed = Viewed(store, is_read_only=is_read_only)
        self._first = tab
        # The memories in the list, the rows of the inbox, and the page number of each.
        self._rows: list[Any] = []
        self._waiting: list[Any] = []
        self._pages = {MEMORIES: 1, INBOX: 1}
        self._places: dict[str, int] = {}
        # The values of what is shown at the right, and the ids of what was done here.
        self._shown: dict[str, dict[str, Any]] = {}
        self._done: list[str] = []
        # Lists are filled before all of the screen is there; what they show is kept here, and not looked up.
        self._texts = {f"#{name}": Static(id=name, markup=False) for name in ("memory", "draft")}
        # The list of the inbox that `_waiting` is of; the field may say another one already.
        self._kind = ""
        self._page_counts = {MEMORIES: 1, INBOX: 1}
        # Why the lists are filled now, the time from which `a` counts, and what the person was asked about.
        self._last_step = ""
        self._ready_at = 0.0
        self._asked: Any = None
        self.clock: Callable[[], float] = monotonic

    def compose(self) -> ComposeResult:
        """Make the two tabs."""
        with TabbedContent(initial=self._first):
            with TabPane("Memories", id=MEMORIES):
                with Horizontal(id="filters"):
                    yield Input(placeholder="search with the real engine", id="search")
                    yield _select("category", ["", *[category for _folder, category in FOLDERS]], "every category")
                    yield _select("status", STATUSES, "")
                    yield _select("trust", LEVELS, "every trust")
                yield Label("", id="counts", markup=False)
                with Horizontal():
                    yield OptionList(id="rows")
                    with VerticalScroll(can_focus=True):
                        yield self._texts["#memory"]
            with TabPane("Inbox", id=INBOX):
                with Horizontal(id="kinds"):
                    yield Select([(name, key) for key, name in LISTS.items()], allow_blank=False, id="kind")
                yield Label("", id="waiting-counts", markup=False)
                with Horizontal():
                    yield OptionList(id="waiting")
                    with VerticalScroll(can_focus=True):
                        yield self._texts["#draft"]
        yield Footer()

    def on_mount(self) -> None:
        """Show the first tab, with the fullest list of the inbox."""
        _name, page = inbox_page.inbox(self.viewed, {})
        self.query_one("#kind", Select).value = page["tab"]
        self._list_memories()
        self._list_waiting()
        self.query_one("#waiting" if self._first == INBOX else "#rows").focus()

    @property
    def _tab(self) -> str:
        return self.query_one(TabbedContent).active

    @property
    def _text(self) -> Static:
        """The text at the right of the list."""
        return self._texts["#draft" if self._tab == INBOX else "#memory"]

    def _chosen(self, name: str) -> str:
        value = self.query_one(f"#{name}", Select).value
        return value if isinstance(value, str) else ""

    def _list_memories(self) -> None:
        given = {name: self._chosen(name) for name in ("category", "status", "trust")}
        given |= {"q": self.query_one("#search", Input).value, "page": str(self._pages[MEMORIES])}
        _name, page = memories_page.memories(self.viewed, given)
        self._rows, is_gone = page["rows"], page["page_number"] < self._pages[MEMORIES]
        self._pages[MEMORIES], self._page_counts[MEMORIES] = page["page_number"], page["pages"]
        words = f"{page['total']:,} of {page['every']:,} memories, page {page['page_number']} of {page['pages']} (n, p)"
        empty = "no memory fits" if page["every"] else "no memory yet: `cuecard add` or `cuecard import` writes one"
        self.query_one("#counts", Label).update(words if page["total"] else empty)
        prompts = [Text.assemble((f"{row.category:<16}", "dim"), visible(row.title)) for row in self._rows]
        self._fill("rows", prompts, is_gone=is_gone)

    def _list_waiting(self) -> None:
        kind = self._kind = self._chosen("kind")
        _name, page = inbox_page.inbox(self.viewed, {"tab": kind, "page": str(self._pages[INBOX])})
        self._waiting = page["cards"] or page["unreviewed"] or page["wrong"] or page["decided"]
        is_gone = page["page_number"] < self._pages[INBOX]
        self._pages[INBOX], self._page_counts[INBOX] = page["page_number"], page["pages"]
        counts = ", ".join([f"{page['counts'][name]} {label.lower()}" for name, label in inbox_page.TABS.items()])
        words = f"{counts}; page {page['page_number']} of {page['pages']} (n, p)"
        self.query_one("#waiting-counts", Label).update(words if page["total"] else f"{counts}; nothing waits here")
        self._fill("waiting", [_line_of(kind, one) for one in self._waiting], is_gone=is_gone)

    def _fill(self, name: str, prompts: list[Text], *, is_gone: bool) -> None:
        """Replace the options of a list; the place of the cursor stays, where it can.

        After an action on the last row no row is chosen: those above were left on purpose. `is_gone` says that the page
        of the last row is gone, too.
        """
        options = self.query_one(f"#{name}", OptionList)
        place = len(prompts) if is_gone else self._places.get(name, 0)
        options.clear_options()
        options.add_options(prompts)
        self._shown.pop(name, None)
        is_here = name == ("waiting" if self._tab == INBOX else "rows")
        is_over = not prompts or (is_here and place >= len(prompts) and self._last_step == ACTION)
        options.highlighted = None if is_over else min(place, len(prompts) - 1)
        if is_over:
            self._texts["#memory" if name == "rows" else "#draft"].update(END if prompts else "")
        self.refresh_bindings()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show what the cursor stands on."""
        if not self.screen_stack:
            # The screen was closed meanwhile.
            return
        self._places[event.option_list.id or ""] = event.option_index
        try:
            if event.option_list.id == "rows" and event.option_index < len(self._rows):
                self._show_memory("rows", "#memory", self._rows[event.option_index].name)
            elif event.option_list.id == "waiting" and event.option_index < len(self._waiting):
                self._show_waiting(self._waiting[event.option_index])
        except CuecardError as error:
            self._tell_problem(error.what)
        self.refresh_bindings()

    def _show_memory(self, name: str, place: str, memory: str) -> None:
        self._shown[name] = memory_page.memory(self.viewed, {"name": memory})[1]
        self._show(place, texts.lines_of_memory(self._shown[name]))

    def _show_waiting(self, one: Any) -> None:  # noqa: ANN401 - a row of one of three lists
        kind = self._kind
        if kind == WRONG and not one.scope:
            self._show_memory("waiting", "#draft", one.memory.name)
            return
        if kind == WRONG:
            # Nothing is done to a memory of another store here.
            self._shown.pop("waiting", None)
            self._show("#draft", texts.lines_of_wrong(one))
            return
        self._shown["waiting"] = one
        if kind == DECIDED:
            self._show("#draft", texts.lines_of_decided(one))
        elif kind == DRAFTS:
            near = inbox_page.nearest(self.viewed, {"id": one["id"]})[1]
            self._show("#draft", texts.lines_of_draft(one, near))
        else:
            self._show("#draft", texts.lines_of_unreviewed(one))

    def _show(self, place: str, lines: list[Text]) -> None:
        shown = self._texts[place]
        shown.update(Text("\n").join(lines))
        if shown.parent:
            shown.parent.scroll_to(y=0, animate=False)  # type: ignore[attr-defined]

    def on_input_submitted(self) -> None:
        """Search, and go to what was found."""
        self._pages[MEMORIES] = 1
        self._places.pop("rows", None)
        self._list_memories()
        self.query_one("#rows").focus()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Filter the memories, or show another list of the inbox."""
        self._pages[INBOX if event.select.id == "kind" else MEMORIES] = 1
        if event.select.id == "kind":
            self._list_waiting()
        else:
            self._list_memories()

    def action_search(self) -> None:
        """Go to the search field."""
        self.action_open(MEMORIES)
        self.query_one("#search").focus()

    def action_leave_field(self) -> None:
        """Go back to the list."""
        self.query_one("#waiting" if self._tab == INBOX else "#rows").focus()

    def action_open(self, tab: str) -> None:
        """Show a tab."""
        self.query_one(TabbedContent).active = tab
        self.query_one("#waiting" if tab == INBOX else "#rows").focus()

    def action_page(self, step: int) -> None:
        """Show the next or the previous page of the list."""
        self._pages[self._tab] += step
        self._places.clear()
        self._refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key does something now; the footer leaves out those that do not."""
        if action not in (*WRITING, "page", "read", "leave") or not self.query(TabbedContent):
            return True
        if action == "page":
            to = self._pages[self._tab] + (1 if parameters == (1,) else -1)
            return 1 <= to <= self._page_counts[self._tab]
        shown = self._shown.get("waiting" if self._tab == INBOX else "rows") or {}
        if action in WRITING and self.viewed.is_read_only:
            return False
        is_draft = "raw" in shown
        answers = {
            "accept": bool(shown.get("can", "one" in shown)),
            "reject": is_draft,
            "edit": is_draft or "memory" in shown,
            "leave": is_draft or "one" in shown,
            "retire": "memory" in shown,
            "judge": any(row["is_shown"] for row in shown.get("events", ())),
            "undo": bool(self._done) or "undo" in shown,
            "read": bool(self._text.content),
        }
        return answers[action]

    def action_read(self) -> None:
        """Scroll the text that is shown."""
        if self._text.parent:
            self._text.parent.scroll_page_down(animate=False)  # type: ignore[attr-defined]

    def action_accept(self) -> None:
        """Accept the draft or the unreviewed memory that is shown; one that addresses the model after a question."""
        shown = self._shown["waiting"]
        if self.clock() < self._ready_at:
            self._tell_problem("this is the next one: read it first")
            return
        given = {"sure": "1"} if self._asked is shown else {}
        if "raw" in shown:
            given |= {"ids": shown["text"], "seen": shown["text"], "do": "accept"}
            self._act(lambda: inbox_page.decide(self.viewed, given)[1])
        else:
            given["texts"] = f"{shown['memory'].name}:{shown['one'].trust_hash}"
            self._act(lambda: inbox_page.vouch(self.viewed, given)[1])

    def action_reject(self) -> None:
        """Take the draft that is shown out of the inbox; it does not come back in other words."""
        shown = self._shown["waiting"]
        self._act(lambda: inbox_page.decide(self.viewed, {"ids": shown["id"], "do": "reject"})[1])

    def action_leave(self) -> None:
        """Let the draft or the memory that is shown stand last, or put it in its place again."""
        shown = self._shown["waiting"]
        given = {"tab": self._kind, "key": shown["id"] if "raw" in shown else shown["memory"].path}
        self._act(lambda: inbox_page.leave(self.viewed, given)[1])

    def action_retire(self) -> None:
        """Retire the memory that is shown, or restore it."""
        memory = self._memory()
        if memory:
            shown = self._shown["waiting" if self._tab == INBOX else "rows"]
            read = [(memory.name, shown["one"].trust_hash if "one" in shown else shown["trust_hash"])]
            store = self.viewed.store
            is_over = memory.status != "active"
            self._act(lambda: actions.restore(store, memory.name) if is_over else actions.retire_as_read(store, read))

    def action_judge(self, kind: str) -> None:
        """Say that the memory was wrong or good when it was shown last."""
        memory = self._memory()
        if memory:
            self._act(lambda: actions.judge(self.viewed.store, kind, memory.path, scope=""))

    def action_edit(self) -> None:
        """Edit the memory or the draft that is shown."""
        shown = self._shown.get("waiting") if self._tab == INBOX else None
        if shown and self._kind == DRAFTS:
            self._edit(shown["raw"], lambda raw: actions.edit(self.viewed.store, shown["id"], raw)[1])
            return
        memory = self._memory()
        if memory:

            def change(given: "dict[str, Any]") -> "Done | None":
                patch = {
                    name: given[name] for name in texts.EDITED if name in given and given[name] != before.get(name)
                }
                return actions.change(self.viewed.store, memory.name, patch, memory.hash) if patch else None

            before = memory.record
            self._edit(texts.json_of_memory(before), change)

    def _edit(self, text: str, save: Any) -> None:  # noqa: ANN401 - a function that returns what was done
        def try_to_save(edited: str) -> str:
            """Save a text, or say what is wrong with it."""
            try:
                self._note(save(read_object(edited)))
            except CuecardError as error:
                return f"{error.what}. {error.hint or ''}".strip()
            self._refresh()
            return ""

        self.push_screen(EditScreen(text, try_to_save))

    def action_undo(self) -> None:
        """Take back the decision that is shown, or else the last action of this screen that was not taken back yet."""
        shown = self._shown.get("waiting") if self._tab == INBOX else None
        name = shown["undo"] if shown and "undo" in shown else self._done[-1]

        def take_back() -> "Undone | Done":
            done = self._done
            self._done = [one for one in done if one != name]
            try:
                return actions.undo(self.viewed.store, name)
            except (LockError, WriteError):
                # Only this can succeed later. What never can must not stand before the earlier actions.
                self._done = done
                raise

        self._act(take_back, is_undo=True)

    def _memory(self) -> Any:  # noqa: ANN401 - the memory of the page's function
        """The memory that is shown; None, and a message, if it is none."""
        shown = self._shown.get("waiting" if self._tab == INBOX else "rows") or {}
        if "memory" not in shown:
            self._tell_problem("no memory is shown")
            return None
        return shown["memory"]

    def _act(self, act: Any, *, is_undo: bool = False) -> None:  # noqa: ANN401 - a function of an action or a page
        """Do something once, say what was done, and show the lists as they are now."""
        try:
            done = act()
        except (CuecardError, Refused) as error:
            self._tell_problem(error.what)
            return
        page = done if isinstance(done, dict) else {}
        if page.get("problem"):
            self._tell_problem(page["problem"])
        if page.get("asks"):
            self._ask(page["asks"])
            return
        self._note(page.get("done") if page else done, is_undo=is_undo)
        self._refresh(UNDO if is_undo else ACTION)
        self._ready_at = self.clock() + MOMENT

    def _ask(self, asks: "list[dict[str, Any]]") -> None:
        """Say why the text needs a look; the next `a` accepts it."""
        why = "; ".join([f"it {sign}: {sentence}" for one in asks for sign, sentence in one["signs"]])
        words = [f"this text is withheld from agents, {why}"] if why else []
        words += [
            f"it has {one['personal']}, which everybody gets who gets the project" for one in asks if one["personal"]
        ]
        self._tell_problem(f"{'; '.join(words)} (a accepts it all the same)")
        self._asked = self._shown["waiting"]
        self._ready_at = self.clock() + MOMENT

    def _note(self, done: Any, *, is_undo: bool = False) -> None:  # noqa: ANN401 - what an action or a page's function returns
        self.clear_notifications()
        if not done:
            self.notify("nothing was changed", markup=False)
            return
        said = done if isinstance(done, dict) else told(done) or {}
        can_be_undone = bool(said["id"]) and not is_undo
        if can_be_undone:
            self._done.append(said["id"])
        words = ": ".join([word for word in (said["text"], said["name"]) if word])
        self.notify(f"{visible(words)}{'; u takes it back' if can_be_undone else ''}", markup=False)

    def _refresh(self, step: str = "") -> None:
        """Show both lists as they are now, after an action, an undo, or something else."""
        self._last_step = step
        self._list_memories()
        self._list_waiting()
        self._last_step = ""

    def _tell_problem(self, words: str) -> None:
        self.notify(visible(words), severity="error", markup=False)


def _line_of(kind: str, one: Any) -> Text:  # noqa: ANN401 - a row of one of three lists
    if kind == WRONG:
        return Text(visible(f"wrong in {one.sessions} sessions: {one.memory.title}"))
    if kind == DECIDED:
        return Text.assemble((f"{one['decision']:<10}", "dim"), visible(one["title"]))
    title = one["memory"].title if kind == UNREVIEWED else one["title"]
    marks = ["cannot be accepted"] if kind == DRAFTS and not one["can"] else []
    marks += ["withheld"] if one["signs"] else []
    marks += [one["status"]] if one["status"] else []
    return Text.assemble((visible("".join([f"{mark}: " for mark in marks])), "yellow"), visible(str(title)))


def _select(name: str, values: "Any", every: str) -> Select[str]:  # noqa: ANN401 - a list or a tuple of names
    """A field with a choice; "" stands for no choice."""
    return Select([(value or every, value) for value in values], allow_blank=False, id=name)
