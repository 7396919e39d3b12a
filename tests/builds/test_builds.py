"""The checked build finds no card lost, the sanitized one no misuse of memory, in 20,000 games each.

The games are those of `play_many`: random rulesets of 2 to 8 seats and rulesets at every limit. Each build is shown to
find a fault that is planted in it.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from rsc_sim.ruleset import MAX_SEATS, MIN_SEATS
from tests.builds.building import build_copy, run_in_copy
from tests.plugin.building import build_example

pytestmark = pytest.mark.slow

PLAY = ["-m", "tests.builds.play_many"]
REMEMBERING = "rsc_plugin_example.mindful"  # a strategy that keeps a memory
SANITIZED = {"RSC_SIM_SANITIZE": "1"}


def sanitizers() -> dict[str, str]:
    """Give the settings under which a Python that was built without sanitizers runs a module built with them."""
    names = ("libasan.so", "libubsan.so")
    found = [subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip() for name in names]
    return {
        "LD_PRELOAD": " ".join(found),
        "PYTHONMALLOC": "malloc",  # else an overrun inside one of Python's arenas goes unseen
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself leaks at its exit
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }


def with_example(copy: Path, flags: str = "-O1 -g") -> dict[str, str]:
    """Build the example package beside a copy and against it; give the settings under which both are found."""
    built = build_example(copy.parent / "package", against=copy, only="mindful", flags=flags)
    return {"PYTHONPATH": os.pathsep.join([str(copy), str(built)])}


def play_clean(copy: Path, **settings: str) -> None:
    told = json.loads(run_in_copy(copy, [*PLAY, "20000", REMEMBERING], **settings))
    assert Path(told["engine"]).is_relative_to(copy)
    assert told["checked"]
    assert told["games"] >= 20_000
    assert told["searched"] > 50
    assert told["seats"] == list(range(MIN_SEATS, MAX_SEATS + 1))
    assert told["ends"] == [0, 1, 2]
    assert told["stepped"] > 5_000


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{path.name} has no longer one line {old!r}: plant the fault elsewhere"
    path.write_text(text.replace(old, new))


def test_checked_build(tmp_path: Path) -> None:
    copy = build_copy(tmp_path / "checked", RSC_SIM_DEBUG="1")
    play_clean(copy, **with_example(copy))


def test_sanitized_build(tmp_path: Path) -> None:
    copy = build_copy(tmp_path / "sanitized", **SANITIZED)
    play_clean(copy, **sanitizers(), **with_example(copy, "-O1 -g -fsanitize=address,undefined"))


def test_checked_build_finds_a_lost_card(tmp_path: Path) -> None:
    """Planted: the first card of a discard pile that is shuffled into a new pick-up pile falls under the table."""
    copy = build_copy(
        tmp_path / "checked",
        plant=lambda copy: change(
            copy / "rsc_sim" / "engine" / "effects.pxd", "    table.pile_n = n\n", "    table.pile_n = n - 1\n"
        ),
        RSC_SIM_DEBUG="1",
    )
    with pytest.raises(AssertionError, match="cards were lost or gained"):
        run_in_copy(copy, [*PLAY, "2000"])


def test_checked_build_finds_a_false_memory(tmp_path: Path) -> None:
    """Planted: a card that is returned to a hand is seen as two."""
    copy = build_copy(
        tmp_path / "checked",
        plant=lambda copy: change(
            copy / "rsc_sim" / "engine" / "memory.pxd",
            "            g.memories.of[lowest_bit(seats)].seen[owner][kind] += 1\n",
            "            g.memories.of[lowest_bit(seats)].seen[owner][kind] += 2\n",
        ),
        RSC_SIM_DEBUG="1",
    )
    with pytest.raises(AssertionError, match="a seat remembers what is not so"):
        run_in_copy(copy, [*PLAY, "2000", REMEMBERING], **with_example(copy))


def test_sanitized_build_finds_an_overrun(tmp_path: Path) -> None:
    """Planted: the pick-up pile has room for 200 cards."""
    copy = build_copy(
        tmp_path / "sanitized",
        plant=lambda copy: change(
            copy / "rsc_sim" / "engine" / "types.pxd", "uint8_t pile[MAX_CARDS + 1]", "uint8_t pile[200]"
        ),
        **SANITIZED,
    )
    with pytest.raises(AssertionError, match="out of bounds"):
        run_in_copy(copy, [*PLAY, "2000"], **sanitizers())
