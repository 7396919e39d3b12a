"""A report in a real browser, wide and narrow, light and dark, and on paper. Needs a Chromium: `pytest -m browser`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rsc_sim
from rsc_sim import Ruleset
from rsc_sim.cli import main
from rsc_sim.report import build_report, write_report
from tests.report.browser import Tab, chromium, new_tab

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
LONG = "✂ 漢字 <b>&amp; a Card Whose Name Goes On and On_and_on_and_on_without_a_break 100 %"

BEYOND = """
[...document.body.querySelectorAll('*')].filter(e => !e.closest('.wide, pre, .skip, svg, .unseen') &&
    e.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
    .map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))
"""
# Contrast as WCAG 2.2 has it, of every text against what lies behind it.
PALE = """
(() => {
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const colour = numbers(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, e = node.parentElement;
    if (!node.textContent.trim()) continue;
    const style = getComputedStyle(e);
    const ink = numbers(e.closest('svg') ? style.fill : style.color);
    const back = behind(e.closest('svg') ? e.closest('svg') : e);
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + node.textContent.trim().slice(0, 40));
  }
  return [...new Set(found)];
})()
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with chromium(tmp_path_factory.mktemp("chromium")) as listening:
        yield listening


NAMES = ("plain", "awkward", "whole", "feel", "feel awkward", "cards", "comparison", "sweep", "check")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of every kind to look at, and two with the longest names."""
    folder = tmp_path_factory.mktemp("reports")
    four = ["rusher", "raider", "collector", "guardian"]
    rules = Ruleset.booklet().to_dict()
    for kind, card in rules["cards"].items():
        card["name"] = f"{kind} {LONG}"[:80].strip()
    awkward = Ruleset.from_dict(rules).override({"max_rounds": 16})
    (folder / "awkward.toml").write_text(awkward.to_toml(), encoding="utf-8")
    rsc_sim.simulate("booklet", four, games=8_000, out=folder / "plain")
    rsc_sim.simulate("booklet", four, games=8_000, out=folder / "whole")
    rsc_sim.simulate(awkward, [*four, *four], games=2_000, out=folder / "awkward")
    eight = ["--lineup", ",".join([*four, *four]), "--rules", str(folder / "awkward.toml")]
    for name, arguments in {
        "feel": ["feel", "--games", "2k"],
        "feel awkward": ["feel", "--games", "1k", *eight],
        "cards": ["cards", "--games", "2k"],
        "comparison": ["compare", *four, "random", "--games", "4k"],
        "check": ["check", "booklet", "--set", "escape_threshold=800", "--max-games", "20k"],
    }.items():
        assert main([*arguments, "--out", str(folder / name)]) in {0, 1}
    (folder / "whole" / "feel").symlink_to(folder / "feel")
    (folder / "whole" / "cards-study").symlink_to(folder / "cards")
    where = {name: folder / name for name in NAMES} | {"sweep": ROOT / "reports" / "threshold"}
    return {name: write_report(build_report(where[name]), folder / f"{name}.html", "html") for name in NAMES}


def within(port: int, look: Callable[[Tab], Awaitable[Any]]) -> Any:
    async def tabbed() -> Any:
        tab = await new_tab(port)
        try:
            return await look(tab)
        finally:
            await tab.close()

    return asyncio.run(tabbed())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_quiet_and_fits(port: int, files: dict[str, Path], name: str, width: int, scheme: str) -> None:
    async def look(tab: Tab) -> None:
        await tab.look(width=width, scheme=scheme)
        await tab.open(files[name])
        for state in ("closed", "open"):
            if state == "open":
                await tab.tell("document.querySelectorAll('details').forEach(e => { e.open = true; })")
            assert await tab.tell("document.documentElement.scrollWidth") <= width, state
            assert await tab.tell(BEYOND) == [], state
        assert await tab.tell(PALE) == []
        paper = await tab.tell("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(19, 20, 23)") == (scheme == "dark")
        assert tab.complaints == []
        assert all(url.startswith(("file:", "data:")) for url in tab.requests)
        assert tab.requests
        if shots := os.environ.get("RSC_TEST_SHOTS"):
            await tab.open(files[name])
            await tab.picture(Path(shots) / f"{name}-{width}-{scheme}.png")

    within(port, look)


def test_what_does_not_fit_is_noticed(port: int, files: dict[str, Path]) -> None:
    async def look(tab: Tab) -> None:
        await tab.look(width=390, scheme="light")
        await tab.open(files["plain"])
        await tab.tell("document.querySelector('.said').style.width = '600px'")
        await tab.tell("document.querySelector('.hint').style.color = '#ddd'")
        await tab.tell("console.error('planted')")
        assert await tab.tell("document.documentElement.scrollWidth") > 390
        assert any("said" in text for text in await tab.tell(BEYOND))
        assert len(await tab.tell(PALE)) == 1
        assert "planted" in tab.complaints[0]

    within(port, look)


def test_on_paper_everything_is_open_and_light(port: int, files: dict[str, Path]) -> None:
    async def look(tab: Tab) -> None:
        await tab.look(width=800, scheme="dark", media="print")
        await tab.open(files["plain"])
        heights = await tab.tell("[...document.querySelectorAll('details table')].map(e => e.offsetHeight)")
        assert len(heights) >= 3
        assert min(heights) > 100
        assert await tab.tell("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert await tab.tell("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        printed = await tab.ask("Page.printToPDF", printBackground=True)
        assert len(printed["data"]) > 10_000

    within(port, look)


def test_the_keyboard_reaches_the_findings_first(port: int, files: dict[str, Path]) -> None:
    async def look(tab: Tab) -> None:
        await tab.look(width=390, scheme="light")
        await tab.open(files["plain"])
        for kind in ("keyDown", "keyUp"):
            await tab.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        assert await tab.tell("document.activeElement.className") == "skip"
        assert await tab.tell("document.activeElement.getBoundingClientRect().left") >= 0
        assert await tab.tell("getComputedStyle(document.activeElement).outlineStyle") == "solid"

    within(port, look)
