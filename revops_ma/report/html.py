"""HTML and SVG from functions: `p("to ", em("you"), class_="x")`. What is not Markup is escaped.

Attribute names lose a trailing underscore and turn the others into hyphens: `class_`, `aria_label`,
`stroke_width`; a dict passes names that are no identifiers. None and False leave an attribute out,
True writes it bare, numbers are cut to two decimals.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Protocol


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


class Tag(Protocol):
    """A function that makes one kind of element."""

    def __call__(self, *children: object, **attributes: object) -> Markup:
        """Make the element."""
        ...


_CHILDLESS = frozenset({"meta", "input", "br", "rect", "path", "line", "circle"})
"""Elements without an end tag."""


def element(name: str, /, *children: object, **attributes: object) -> Markup:
    """Make one element. Children are Markup, texts, numbers, None, or iterables of these."""
    head = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}"
    if name in _CHILDLESS and not children:
        return Markup(f"{head}/>")
    return Markup(f"{head}>{join(children)}</{name}>")


def join(children: Iterable[object]) -> Markup:
    """Render children one after the other."""
    return Markup("".join(_render(child) for child in children))


def tag(name: str) -> Tag:
    """Make the function that makes elements called `name`."""

    def make(*children: object, **attributes: object) -> Markup:
        return element(name, *children, **attributes)

    return make


def number(value: float) -> str:
    """Write a coordinate: at most two decimals, no trailing zeros, no negative zero."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _render(child: object) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(child, quote=False)
    if isinstance(child, Iterable):
        return join(child)
    return escape(str(child), quote=False)


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = number(value) if isinstance(value, int | float) else str(value)
    return f' {name}="{escape(text)}"'


a, article, blockquote = map(tag, ("a", "article", "blockquote"))
button, caption, code = map(tag, ("button", "caption", "code"))
data, dd, details, div, dl, dt = map(tag, ("data", "dd", "details", "div", "dl", "dt"))
figcaption, figure, footer, h1, h2, h3 = map(
    tag, ("figcaption", "figure", "footer", "h1", "h2", "h3")
)
header, input_, label, li, main, nav = map(tag, ("header", "input", "label", "li", "main", "nav"))
ol, p, pre, section, span, strong, summary = map(
    tag, ("ol", "p", "pre", "section", "span", "strong", "summary")
)
table_, tbody, td, th, thead, tr, ul = map(tag, ("table", "tbody", "td", "th", "thead", "tr", "ul"))
circle, g, line, path, rect, text, title = map(
    tag, ("circle", "g", "line", "path", "rect", "text", "title")
)
