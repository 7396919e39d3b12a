"""Pictures that lie in a directory already: what each shows to have been found, read from its SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from rsc_sim.errors import InputError
from rsc_sim.report.model import Picture

__all__ = ["kept_pictures"]

_SVG = "{http://www.w3.org/2000/svg}"


def kept_pictures(folder: Path, names: Sequence[str] = ()) -> list[Picture]:
    """Give the pictures of a folder that are there as SVG, those named first, in that order."""
    found = {path.stem: path for path in sorted(folder.glob("*.svg"))}
    order = [*(name for name in names if name in found), *(name for name in found if name not in names)]
    return [_picture(name, found[name]) for name in order]


def _picture(name: str, path: Path) -> Picture:
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except (OSError, ElementTree.ParseError) as error:
        raise InputError(f"{path}: not an SVG picture that can be read ({error})") from None
    title = " ".join((root.findtext(f"{_SVG}title") or name.replace("_", " ")).split())
    small = next((node for node in root.iter(f"{_SVG}g") if node.get("id") == "small print"), None)
    words = [] if small is None else ["".join(node.itertext()) for node in small.iter(f"{_SVG}text")]
    png = path.with_suffix(".png")
    return Picture(name, title, " ".join(" ".join(words).split()), path, png if png.is_file() else path)
