"""The page of a report: sound HTML that stands by itself, escapes every string, and can be read by anybody."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.errors import InputError
from rsc_sim.report.html import as_html
from rsc_sim.report.markdown import as_markdown
from rsc_sim.report.model import (
    Bullets,
    Code,
    Facts,
    Finding,
    Picture,
    Remark,
    Report,
    Section,
    Table,
    Text,
    ordered,
)
from rsc_sim.report.svg import inline_svg
from tests.report.reading import Page

EVIL = '<script>alert("1")</script> & </style> \'"`{{ 7 * 7 }} [x](y) | *z* 5 %'
SVG = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt" height="9pt"
     viewBox="0 0 9 9" onload="alert(1)">
<defs><style>*{fill: red}</style><clipPath id="c"><rect width="9" height="9"/></clipPath><path id="m" d="M 0 0"/></defs>
<script>alert(2)</script><foreignObject><p>x</p></foreignObject>
<g id="value &lt;b&gt;"><path d="M 0 0 L 1 1" clip-path="url(#c)" style="stroke: #1A1A1A; fill: url(https://example.org/x)"/></g>
<a href="https://example.org"><text x="1" y="2" style="fill: #595959">a &lt; b</text></a>
<text x="1" y="2" style="fill: #595959" onclick="alert(3)">1 &lt; 2</text>
<use xlink:href="#m" x="1" y="1" style="fill: #0072b2"/><use xlink:href="https://example.org/x.svg#y"/>
<image href="https://example.org/x.png" width="1" height="1"/>
</svg>"""


@pytest.fixture
def picture(tmp_path: Path) -> Picture:
    svg = tmp_path / "plots" / "evil.svg"
    svg.parent.mkdir()
    svg.write_text(SVG)
    return Picture("evil", EVIL, EVIL, svg, svg.with_suffix(".png"))


@pytest.fixture
def report(picture: Picture) -> Report:
    table = Table(EVIL, ("", EVIL), ((EVIL, EVIL),))
    return Report(
        kind="run",
        title=EVIL,
        lead=(EVIL,),
        doubts=(Remark(EVIL, "made"), Remark(EVIL)),
        findings=(Finding(EVIL, EVIL, EVIL, "made", "beyond", 2.0),),
        assumed=(Bullets((EVIL,)),),
        sections=(
            Section("made", EVIL, (picture, Text(EVIL), table, Facts(((EVIL, EVIL),)), Code(EVIL))),
            Section("other", EVIL, (Table(EVIL, (EVIL, EVIL), ((EVIL, EVIL),), folded=True),)),
        ),
    )


def test_every_string_is_escaped(report: Report) -> None:
    html = as_html(report)
    page = Page(html)
    assert page.all("script", "foreignobject", "iframe", "object") == []
    assert {e.tag for e in page.elements if any(key.startswith("on") for key in e.attributes)} == set()
    assert page.all("h1")[0].text == EVIL.replace(" %", "\N{NO-BREAK SPACE}%")
    assert page.all("caption")[0].text == page.all("h1")[0].text
    assert EVIL in page.of(role="img")[0].attributes["aria-label"]
    assert "49" not in html  # nothing is rendered twice
    assert len(page.all("style")) == 1


def test_pictures_lose_what_a_page_must_not_hold(picture: Picture) -> None:
    text = inline_svg(picture.svg, "name", "label")
    page = Page(text)
    assert "example.org" not in text
    assert "alert" not in text
    assert page.all("script", "style", "a", "foreignobject", "image") == []
    assert [e.text for e in page.all("text")] == ["1 < 2"]
    (use,) = page.all("use")
    assert {e.attributes["id"] for e in page.elements if "id" in e.attributes} == {"name-0", "name-1"}
    assert use.attributes["href"] in {"#name-0", "#name-1"}
    assert "var(--c-0072b2, #0072b2)" in use.attributes["style"]
    (svg,) = page.all("svg")
    assert svg.attributes["aria-label"] == "label"
    assert "width" not in svg.attributes


def test_a_picture_in_other_colours_keeps_to_white_paper(picture: Picture) -> None:
    picture.svg.write_text(SVG.replace("#0072b2", "#123456"))
    text = inline_svg(picture.svg, "name", "label")
    assert 'class="plain"' in text
    assert "var(" not in text


@pytest.mark.parametrize("text", ["not xml", "<p>no picture</p>", ""])
def test_a_picture_that_is_none_is_refused(picture: Picture, text: str) -> None:
    picture.svg.write_text(text)
    with pytest.raises(InputError, match=r"evil\.svg"):
        inline_svg(picture.svg, "name", "label")


def test_links_and_landmarks(report: Report) -> None:
    page = Page(as_html(report))
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    hrefs = [e.attributes["href"] for e in page.all("a", "use")]
    assert hrefs
    assert {href[1:] for href in hrefs} <= set(ids)
    assert [len(page.all(tag)) for tag in ("header", "nav", "main", "footer", "h1")] == [1] * 5
    assert page.all("a")[0].attributes == {"class": "skip", "href": "#main"}
    assert {e.attributes["aria-labelledby"] for e in page.all("section")} <= set(ids)
    assert all(e.attributes["scope"] in {"col", "row"} for e in page.all("th"))


def test_what_is_wrong_most_comes_first() -> None:
    def finding(text: str, state: Any, beyond: float) -> Finding:
        return Finding(text, "", "", "made", state, beyond)

    mixed = [
        finding("fine", "within", 0.9),
        finding("noted", "told", 0.0),
        finding("worse", "beyond", 3.0),
        finding("perhaps", "unsure", 9.0),
        finding("bad", "beyond", 1.2),
    ]
    assert [f.text for f in ordered(mixed)] == ["worse", "bad", "perhaps", "noted", "fine"]


def test_markdown_means_every_string_as_it_is(report: Report, tmp_path: Path) -> None:
    told = as_markdown(report, tmp_path)
    outside = re.sub(r"```\n.*?\n```", "", told, flags=re.DOTALL)
    assert r"\<script\>" in outside
    assert "<script>" not in outside
    assert "(<plots/evil.png>)" in told
    links = set(re.findall(r"\]\(#([\w-]+)\)", told))
    assert links == {"made"}
    assert links <= set(re.findall(r'<a id="([\w-]+)"></a>', told))
    for row in (line for line in outside.splitlines() if line.startswith("|")):
        assert len(re.findall(r"(?<!\\)\|", row)) == 3
