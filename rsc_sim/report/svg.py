"""Puts a picture's SVG into a page: without what a page must not hold, and in colours that follow light and dark.

A picture is read, not trusted: elements and attributes that can run, load or restyle anything are left out, since a
directory may come from anybody. Ids are made unique to the picture, for a page holds many.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from rsc_sim.errors import InputError
from rsc_sim.plots.palette import LETTERS, THEMED

__all__ = ["inline_svg"]

_SVG = "http://www.w3.org/2000/svg"
_HREF = "{http://www.w3.org/1999/xlink}href"
_ELEMENTS = {
    *("svg", "g", "path", "text", "tspan", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use", "defs"),
    *("clipPath", "pattern", "linearGradient", "radialGradient", "stop", "image"),
}
_ATTRIBUTES = {
    *("d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width", "height", "points"),
    *("transform", "style", "fill", "stroke", "stroke-width", "clip-path", "viewBox", "offset", "opacity"),
    *("patternUnits", "patternTransform", "gradientUnits", "gradientTransform", "preserveAspectRatio", "text-anchor"),
    *("fill-opacity", "stroke-opacity", "fill-rule", "clip-rule", "clipPathUnits", "font-size", "font-family"),
}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_OUTSIDE = re.compile(r"url\((?!#)|@import|expression|javascript:", re.IGNORECASE)
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline_svg(path: Path, name: str, label: str) -> str:
    """Give the SVG element of a picture, for a page: `name` keeps its ids apart, `label` is what a screen reader says.

    Raises `InputError` where the file is no SVG.
    """
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except (OSError, ElementTree.ParseError) as error:
        raise InputError(f"{path}: not an SVG picture that can be read ({error})") from None
    if root.tag != f"{{{_SVG}}}svg":
        raise InputError(f"{path}: expected an SVG picture, came <{root.tag.rpartition('}')[2]}>")
    numbers: dict[str, str] = {}

    def unique(identity: str) -> str:
        return numbers.setdefault(identity, f"{name}-{len(numbers)}")

    referred = {match for node in root.iter() for value in node.attrib.values() for match in _REFERENCE.findall(value)}
    referred |= {node.get(_HREF, node.get("href", "")).removeprefix("#") for node in root.iter()}
    themed = _follows_themes(root)

    def clean(node: ElementTree.Element) -> ElementTree.Element | None:
        tag = node.tag.removeprefix(f"{{{_SVG}}}") if isinstance(node.tag, str) else ""
        if tag not in _ELEMENTS:
            return None
        copy = ElementTree.Element(tag)
        for key, value in node.attrib.items():
            if key in _ATTRIBUTES and not _OUTSIDE.search(value):
                shown = _REFERENCE.sub(lambda found: f"url(#{unique(found[1])})", value)
                if themed and key in {"style", "fill", "stroke"}:
                    shown = _COLOUR.sub(_letters if tag in {"text", "tspan"} else _marks, shown)
                copy.set(key, " ".join(shown.split()))
        href = node.get(_HREF, node.get("href", ""))
        if href.startswith("#"):
            copy.set("href", f"#{unique(href[1:])}")
        elif tag == "image" and href.startswith("data:image/png;base64,"):
            copy.set("href", "".join(href.split()))
        elif tag in {"use", "image"}:
            return None
        if (identity := node.get("id")) in referred and identity:
            copy.set("id", unique(identity))
        copy.text = node.text if tag in {"text", "tspan"} else None
        for child in node:
            kept = clean(child)
            if kept is not None:
                kept.tail = child.tail if tag in {"text", "tspan"} else None
                copy.append(kept)
        return None if tag in {"g", "defs"} and not len(copy) else copy

    copy = clean(root)
    assert copy is not None
    for key in ("width", "height", "id"):
        copy.attrib.pop(key, None)
    copy.set("xmlns", _SVG)
    copy.set("role", "img")
    copy.set("aria-label", label)
    copy.set("class", "themed" if themed else "plain")
    return ElementTree.tostring(copy, encoding="unicode", short_empty_elements=True)


def _marks(found: re.Match[str]) -> str:
    """Give a mark's colour as one that follows light and dark."""
    return THEMED[found[0].lower()]


def _letters(found: re.Match[str]) -> str:
    """Give the colour of letters likewise, dark enough on white."""
    colour = found[0].lower()
    return THEMED[colour].replace(f", {colour}", f", {LETTERS.get(colour, colour)}")


def _follows_themes(root: ElementTree.Element) -> bool:
    """Say whether every colour has its counterpart for dark pages; a picture with others keeps to white paper."""
    styles = [value for node in root.iter() for key, value in node.attrib.items() if key in {"style", "fill", "stroke"}]
    return all(colour.lower() in THEMED for style in styles for colour in _COLOUR.findall(style))
