"""Reading a report's page back: its elements, in order, with their attributes and words."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "br", "img", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    within: tuple[str, ...]
    text: str = ""
    position: int = field(default=0)


class Page(HTMLParser):
    """Every element of a page; one that is not closed, or closed out of order, fails."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        self.close()
        assert not self._open, [element.tag for element in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"<{tag}> names an attribute twice"
        at = self.getpos()[0]
        element = Element(tag, {key: value or "" for key, value in attrs}, tuple(e.tag for e in self._open), "", at)
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open
        assert self._open[-1].tag == tag, f"line {self.getpos()[0]}: </{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, *tags: str) -> list[Element]:
        return [element for element in self.elements if element.tag in tags]

    def of(self, **attributes: Any) -> list[Element]:
        wanted = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
        return [e for e in self.elements if all(e.attributes.get(key) == value for key, value in wanted.items())]
