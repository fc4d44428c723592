"""Draws the lists and the code of a memory's text; all else stays as it was typed.

People vouch for what they see, so nothing of the text is markup, and nothing of it is left out: a text of which a
character would be lost stays plain.
"""

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from .filters import seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from markdown_it.token import Token

# Links, pictures, HTML, escapes and emphasis are not read: they would hide what was typed.
_PARSER = MarkdownIt("zero").enable(["list", "fence", "backticks"])
# The marks of lists and code, which the drawing replaces.
_MARKS = frozenset("`~*-+.)")
_TAGS = {
    "bullet_list_open": "<ul>",
    "bullet_list_close": "</ul>",
    "ordered_list_open": "<ol>",
    "ordered_list_close": "</ol>",
    "list_item_close": "</li>",
    "paragraph_open": "<p>",
    "paragraph_close": "</p>",
}


def drawn(text: object) -> Markup:
    """A text as HTML, with its lists and code drawn."""
    plain = seen(text)
    parts: list[str] = []
    said: list[str] = []
    for token in _PARSER.parse(plain):
        _draw(token, parts, said)
    return Markup("".join(parts)) if _kept(said) == _kept([plain]) else escape(plain)


def _draw(token: "Token", parts: list[str], said: list[str]) -> None:
    if token.type == "list_item_open":
        # A number such as 007 would be drawn as another one.
        number = str(int(token.info)) if token.info.isdecimal() else ""
        said.append(number)
        parts.append(f'<li value="{number}">' if number else "<li>")
    elif token.type == "fence":
        said += [token.info, token.content]
        named = f"<em>{escape(token.info.strip())}</em>" if token.info.strip() else ""
        parts.append(f"{named}<pre><code>{escape(token.content.removesuffix(chr(10)))}</code></pre>")
    elif token.type == "inline":
        for child in token.children or []:
            said.append(child.content)
            is_code = child.type == "code_inline"
            parts.append(f"<code>{escape(child.content)}</code>" if is_code else str(escape(child.content)))
    elif not token.hidden:
        parts.append(_TAGS[token.type])


def _kept(texts: list[str]) -> list[str]:
    """The characters of texts that a drawing must keep, in their order."""
    return [char for text in texts for char in text if not char.isspace() and char not in _MARKS]
