"""The routes of the page: what a request asks for, and which fragment it gets.

Without the token every address gets the same empty frame. The frame's script takes the token from the fragment of the
address, and asks for the content with it in a header.
"""

from pathlib import Path
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from ..errors import CuecardError
from . import inbox_page, memories_page, memory_page, prompts_page, store_pages
from .drawn_text import drawn
from .filters import FILTERS, finalize
from .guard import TOKEN, Guard
from .viewed import Refused, Viewed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from ..retrieval.project_store import ProjectStore

    Page = Callable[[Viewed, dict[str, str]], tuple[str, dict[str, Any]]]

HERE = Path(__file__).parent
STATIC = {
    "app.css": "text/css",
    "app.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
# The pages by their addresses, and the actions, which answer with the page as it is after them.
PAGES: "dict[str, Page]" = {
    "/": memories_page.memories,
    "/memories": memories_page.memories,
    "/memory": memory_page.memory,
    "/inbox": inbox_page.inbox,
    "/inbox/nearest": inbox_page.nearest,
    "/prompts": prompts_page.prompts,
    "/prompt": prompts_page.prompt,
    "/health": store_pages.health,
    "/health/files": store_pages.files,
    "/health/pairs": store_pages.pairs,
    "/health/secrets": store_pages.secrets,
    "/use": store_pages.use,
}
ACTIONS: "dict[str, Page]" = {
    "/memory/edit": memory_page.edit,
    "/memory/status": memory_page.change_status,
    "/memory/verdict": memory_page.give_verdict,
    "/memory/vouch": memory_page.vouch,
    "/inbox/decide": inbox_page.decide,
    "/inbox/leave": inbox_page.leave,
    "/inbox/edit": inbox_page.edit,
    "/inbox/vouch": inbox_page.vouch,
    "/inbox/retire": inbox_page.retire,
    "/undo": store_pages.undo,
}


def make_app(store: "ProjectStore", token: str, port: int, *, is_read_only: bool = False) -> "ASGIApp":
    """The application that serves the memories of a store at a port of the loopback interface."""
    viewed = Viewed(store, is_read_only=is_read_only)
    # Every text is shown by `finalize`; only what a form sends again is exempt, with the filter `e`.
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, finalize=finalize
    )
    templates.filters.update(FILTERS, drawn=drawn)
    files = {name: (HERE / "static" / name).read_bytes() for name in STATIC}
    frame = templates.get_template("frame.html").render(root=Path(store.root).name, is_read_only=is_read_only)

    def answer(page: "Page", given: dict[str, str]) -> Response:
        try:
            name, context = page(viewed, given)
        except Refused as refused:
            return _html(templates, "problem.html", viewed.context(what=refused.what, hint=refused.hint), 409)
        except CuecardError as error:
            return _html(templates, "problem.html", viewed.context(what=error.what, hint=error.hint), 409)
        return _html(templates, name, viewed.context(**context), 200)

    # The files are read and the page is made before anybody waits for it; later pages read what has changed.
    answer(PAGES["/"], {})

    def showing(page: "Page") -> "Callable[[Request], Response]":
        def show(request: "Request") -> Response:
            if TOKEN not in request.headers:
                return HTMLResponse(frame)
            return answer(page, dict(request.query_params))

        return show

    def acting(page: "Page") -> "Callable[[Request], Awaitable[Response]]":
        async def act(request: "Request") -> Response:
            form = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
            given = {name: ",".join(values) for name, values in form.items()}
            return await run_in_threadpool(answer, page, given)

        return act

    def static(request: "Request") -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            return PlainTextResponse("not found", 404)
        return Response(files[name], media_type=STATIC[name])

    routes = [Route("/static/{name}", static)]
    routes += [Route(path, showing(page)) for path, page in PAGES.items()]
    routes += [Route(path, acting(page), methods=["POST"]) for path, page in ACTIONS.items()]
    return Guard(Starlette(routes=routes), token, port, is_read_only=is_read_only)


def _html(templates: Environment, name: str, context: "dict[str, Any]", status: int) -> Response:
    return HTMLResponse(templates.get_template(name).render(context), status)
