"""A report as one HTML file: no network, no script; all strings escaped, pictures put in as SVG."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from rsc_sim import __version__
from rsc_sim.plots.palette import DARK
from rsc_sim.report.model import Bullets, Code, Facts, Picture, Report, Table, Text
from rsc_sim.report.svg import inline_svg

__all__ = ["as_html"]

KINDS = {
    "run": "Report of a run",
    "sweep": "Report of a sweep",
    "comparison": "Report of a comparison of strategies",
    "check": "Report of a check",
    "cards": "Report on cards",
    "feel": "Report on the feel of a game",
}


def as_html(report: Report) -> str:
    """Give the report as an HTML document that stands by itself."""
    titles = {section.id: f"“{section.title}”" for section in report.sections}
    titles["assumed"] = "“What was assumed”"
    return _template().render(
        report=report,
        kind=KINDS[report.kind],
        titles=titles,
        css=Markup(_css()),
        version=__version__,
        svg=_svg,
    )


def _svg(picture: Picture) -> Markup:
    label = f"{picture.title}. {picture.caption}" if picture.caption else picture.title
    return Markup(inline_svg(picture.svg, picture.name.replace(" ", "-"), label))


@cache
def _template() -> Template:
    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_unbroken,
    )
    for block in (Bullets, Code, Facts, Picture, Table, Text):
        environment.tests[block.__name__.lower()] = _is(block)
    return environment.get_template("page.html.j2")


def _unbroken(value: object) -> object:
    """Keep a number and its percent sign on one line; what is markup already stays as it is."""
    return value.replace(" %", "\N{NO-BREAK SPACE}%") if type(value) is str else value


def _is(block: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, block)


def _read(name: str) -> str:
    return resources.files("rsc_sim.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _css() -> str:
    dark = "\n".join(f"    --c-{light[1:]}: {shade};" for light, shade in DARK.items())
    return _read("page.css").replace("/* the palette of pictures, dark */", dark.strip())
