"""The page a picture is drawn on: as wide as a phone, as high as it needs, title above and small print below.

A picture of its own is laid out here by measuring what was drawn; in axes that a caller brings, the caller lays out.
No state of pyplot is touched.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from matplotlib.ticker import MaxNLocator

from rsc_sim.plots.palette import GRID, INK, PAPER, SOFT

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = [
    "LABEL",
    "SMALL",
    "TITLE",
    "WIDTH",
    "Page",
    "house_style",
    "picture",
    "save",
    "shortened",
    "text_width",
    "told",
    "told_apart",
    "wrapped",
]

WIDTH = 4.2
"""Inches: 403 pixels of a browser, the width of a phone."""
TITLE, LABEL, SMALL = 10.5, 8.5, 7.5
"""Sizes of letters in points; 7.5 points are 10 pixels of a browser."""
_EDGE = 0.1
_FOLDER = re.compile(r"^[^(]*/(?=[^/(]+\.(py|toml)\b)")
"""The folders before a strategy's file."""
_WORD = 12
"""Letters that are shown before a difference, at most."""
_DPI = 200
_LEADING = 1.25


class _Draws(Protocol):
    def __call__(self, run: Run, ax: Axes | None = None) -> Axes: ...


Draw = TypeVar("Draw", bound=_Draws)


class Page:
    """Axes to draw on, and where they lie on the page."""

    def __init__(self, ax: Axes | None, *, height: float) -> None:
        """Take the caller's axes, or make a figure with axes `height` inches high."""
        self.own = ax is None
        if ax is None:
            figure = Figure(figsize=(WIDTH, height + 1.0), dpi=_DPI, facecolor=PAPER)
            FigureCanvasAgg(figure)
            ax = figure.add_axes((0.3, 0.2, 0.6, 0.7))
        self.ax = ax
        self._height = height
        self._fitted = False
        ax.tick_params(labelsize=LABEL, length=0, labelcolor=INK, pad=4)
        ax.set_axisbelow(True)
        for name, spine in ax.spines.items():
            spine.set_visible(name == "bottom")
            spine.set_color(SOFT)

    @property
    def width(self) -> float:
        """Inches from edge to edge that text may take."""
        if self.own:
            return WIDTH - 2 * _EDGE
        return float(self.ax.get_window_extent().width / self._dpi)

    @property
    def _dpi(self) -> float:
        return float(self.ax.figure.dpi)

    def label_x(self, text: str, *, bins: int = 6) -> None:
        """Name the horizontal axis and its unit, and lay a light grid on it."""
        self.ax.set_xlabel(text, fontsize=LABEL, color=SOFT, labelpad=4)
        self.ax.xaxis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 5, 10]))
        self.ax.grid(axis="x", color=GRID, linewidth=0.8)

    def label_y(self, text: str, *, bins: int = 5) -> None:
        """Name the vertical axis and its unit, and lay a light grid on it."""
        self.ax.set_ylabel(text, fontsize=LABEL, color=SOFT, labelpad=4)
        self.ax.yaxis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 5, 10]))
        self.ax.grid(axis="y", color=GRID, linewidth=0.8)

    def margins(self) -> tuple[float, float, float, float]:
        """Measure how far labels reach beyond the axes, in inches: left, right, above, below."""
        inner = self.ax.get_window_extent()
        outer = self.ax.get_tightbbox()
        if outer is None:
            return 0.0, 0.0, 0.0, 0.0
        reach = (inner.x0 - outer.x0, outer.x1 - inner.x1, outer.y1 - inner.y1, inner.y0 - outer.y0)
        left, right, above, below = (max(0.0, float(pixels)) / self._dpi for pixels in reach)
        return left, right, above, below

    def fit(self) -> float:
        """Give the axes what width the labels leave, on a page of its own; return the inches left of them."""
        left, right, _, _ = self.margins()
        if self.own and not self._fitted:
            self._fitted = True
            _, y, _, height = self.ax.get_position().bounds
            width = WIDTH - 2 * _EDGE - left - right
            self.ax.set_position(((_EDGE + left) / WIDTH, y, max(width / WIDTH, 0.1), height))
        return left

    def finish(self, title: str, small_print: str) -> Axes:
        """Set the title above and the small print below, and close the page around it all."""
        if not self._fitted:
            self.fit()
        _, _, above, below = self.margins()
        head = wrapped(title, self.width, TITLE, weight="bold")
        foot = wrapped(small_print, self.width, SMALL)
        box = self.ax.get_window_extent()
        width, height = float(box.width) / self._dpi, float(box.height) / self._dpi
        x = 0.0
        if self.own:
            height = self._height
            top = _EDGE + _lines(head, TITLE) + 0.08 + above
            bottom = _EDGE + _lines(foot, SMALL) + 0.08 + below
            page = top + height + bottom
            at = self.ax.get_position()
            x = (_EDGE - at.x0 * WIDTH) / width
            self.ax.figure.set_size_inches(WIDTH, page)  # type: ignore[union-attr]
            self.ax.set_position((at.x0, bottom / page, at.width, height / page))
        self.ax.set_title(
            head, loc="left", fontsize=TITLE, fontweight="bold", color=INK, linespacing=_LEADING, pad=0,
            x=x, y=1 + (above + 0.08) / height, va="bottom", parse_math=False,
        )  # fmt: skip
        self.ax.text(
            x, -(below + 0.08) / height, foot, transform=self.ax.transAxes, fontsize=SMALL, color=SOFT, va="top",
            linespacing=_LEADING, parse_math=False, gid="small print",
        )  # fmt: skip
        return self.ax


def _lines(text: str, size: float) -> float:
    """Give the height of a text in inches."""
    return (text.count("\n") + 1) * size * _LEADING / 72 if text else 0.0


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Measure a line of text in inches."""
    with _no_glyph_warnings():
        width, _, _ = TextToPath().get_text_width_height_descent(
            text, FontProperties(family="DejaVu Sans", size=size, weight=weight), ismath=False
        )
    return float(width) / 72


def wrapped(text: str, width: float, size: float, *, weight: str = "normal") -> str:
    """Break a text into lines of at most `width` inches, within a word only where that alone is longer."""
    lines: list[str] = []
    for word in text.replace(" %", "\N{NO-BREAK SPACE}%").split(" "):
        if lines and text_width(f"{lines[-1]} {word}", size, weight) <= width:
            lines[-1] += f" {word}"
            continue
        rest = word
        while len(rest) > 1 and text_width(rest, size, weight) > width:
            n = next((n for n in range(len(rest) - 1, 1, -1) if text_width(rest[:n], size, weight) <= width), 1)
            lines.append(rest[:n])
            rest = rest[n:]
        lines.append(rest)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def shortened(text: str, width: float, size: float, *, head: float = 0.5) -> str:
    """Cut a line of text to `width` inches, with an ellipsis where something was cut: of a file first its folder, then
    the middle, so that `head` of what is kept are from the start.
    """
    text = " ".join(text.split())
    if text_width(text, size) <= width:
        return text
    return _cut(_FOLDER.sub("…/", text), width, size, head)


def _cut(text: str, width: float, size: float, head: float) -> str:
    if text_width(text, size) <= width:
        return text
    for kept in range(len(text) - 1, 0, -1):
        first = round(head * kept)
        cut = f"{text[:first].rstrip()}…{text[len(text) - kept + first :].lstrip()}"
        if text_width(cut, size) <= width:
            return cut
    return "…"


def told_apart(names: Sequence[str], width: float, size: float, *, head: float = 0.5) -> list[str]:
    """Cut names to `width` inches so that those that differ still do.

    Where the difference would be cut away with `head` of a name kept, it is cut elsewhere; where no one cut shows all
    differences, names that would be the same begin at the first of theirs, and as a last resort are numbered.
    """
    for first in (head, 0.5, 0.25, 0.75, 0.0, 1.0):
        told = {name: shortened(name, width, size, head=first) for name in names}
        if len(set(told.values())) == len(told):
            return [told[name] for name in names]
    told = {name: shortened(name, width, size, head=head) for name in names}
    for _ in range(3):
        for same in _alike(told):
            start = _first_difference(same)
            told |= {name: _cut(f"…{name[start:]}", width, size, 1.0) for name in same}
    for same in _alike(told):
        for number, name in enumerate(same, 1):
            told[name] = f"{_cut(name, width - text_width(f' #{number}', size), size, 0.5)} #{number}"
    return [told[name] for name in names]


def _alike(told: Mapping[str, str]) -> list[list[str]]:
    """Group the names that are told by the same label."""
    groups: dict[str, list[str]] = {}
    for name, label in told.items():
        groups.setdefault(label, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _first_difference(names: Sequence[str]) -> int:
    """Say where the word begins in which names first differ."""
    ended = min(map(len, names))
    common = next((i for i, letters in enumerate(zip(*names, strict=False)) if len(set(letters)) > 1), ended)
    words = [match.end() for match in re.finditer(r"[/(,:]\s*", names[0]) if match.end() <= common]
    return max([0, *words, common - _WORD])


def picture(draw: Draw) -> Draw:
    """Make a drawing function draw in the house's style, unless it draws into axes that the caller brings."""

    @wraps(draw)
    def drawn(run: Run, ax: Axes | None = None) -> Axes:
        with house_style() if ax is None else nullcontext():
            return draw(run, ax)

    return cast("Draw", drawn)


@contextmanager
def house_style() -> Iterator[None]:
    """Draw the same whatever a caller's settings of matplotlib."""
    plain: dict[Any, Any] = {
        name: value for name, value in mpl.rcParamsDefault.items() if not name.startswith("backend")
    }
    own: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "rsc-sim",
        "font.sans-serif": ["DejaVu Sans"],
    }
    with mpl.rc_context({**plain, **own}), _no_glyph_warnings():
        yield


@contextmanager
def _no_glyph_warnings() -> Iterator[None]:
    """Let a name in letters that the font lacks be drawn as boxes, without a warning for each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def told(ax: Axes) -> tuple[str, str]:
    """Give a picture's title and its small print, each on one line."""
    small = next((text.get_text() for text in ax.texts if text.get_gid() == "small print"), "")
    return " ".join(ax.get_title(loc="left").split()), " ".join(small.split())


def save(ax: Axes, folder: Path, name: str) -> list[Path]:
    """Write a picture as SVG, its text as text, and as PNG; the same bytes for the same picture."""
    figure: Any = ax.figure
    metadata: dict[str, dict[str, str | None]] = {
        "svg": {"Date": None, "Creator": None, "Title": ax.get_title(loc="left").replace("\n", " ")},
        "png": {"Software": None},
    }
    paths = []
    for kind in ("svg", "png"):
        path = folder / f"{name}.{kind}"
        beside = path.with_suffix(f".{kind}.tmp")
        how = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}  # half the time of 6, a tenth more bytes
        figure.savefig(beside, format=kind, dpi=_DPI, facecolor=PAPER, metadata=metadata[kind], **how)
        os.replace(beside, path)  # noqa: PTH105
        paths.append(path)
    return paths
