"""A package of strategies from outside, as its author and its users have it: rsc-sim from a wheel and editable, the
package from a wheel and editable, each pair in a fresh virtual environment.

No index is asked: what rsc-sim needs is taken from the environment that runs the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.builds.building import NOT_COPIED, ROOT
from tests.plugin.building import EXAMPLE

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("installed")]

NAMES = ("patient", "outspoken", "leveller", "thrifty")
OFFLINE = ("--quiet", "--no-index", "--no-build-isolation", "--disable-pip-version-check")


def say(folder: Path, *command: str | Path) -> str:
    """Run a command in a folder, as somebody would who has nothing of this checkout on the path."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RSC_SIM_"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env={**plain, "CC": "gcc"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
    return done.stdout


def fresh(folder: Path) -> Path:
    """Make a virtual environment that has what the tests' own has, but for rsc-sim; return its folder of programs."""
    say(folder, sys.executable, "-m", "venv", folder / "venv")
    # Older than our pyproject.toml asks for, it would stand before the one of the tests.
    say(folder, folder / "venv/bin/pip", "uninstall", "--quiet", "--yes", "setuptools")
    packages = next((folder / "venv").glob("lib/python*/site-packages"))
    (packages / "from_outside.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "venv" / "bin"


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str | Path]]:
    """Give what pip is to install of rsc-sim: a wheel, and a checkout for `-e`, which the wheel was made of."""
    folder = tmp_path_factory.mktemp("ours")
    shutil.copytree(ROOT, folder / "checkout", ignore=NOT_COPIED, symlinks=True)
    say(folder, sys.executable, "-m", "pip", "wheel", *OFFLINE, "--no-deps", "-w", folder, folder / "checkout")
    (wheel,) = folder.glob("rsc_sim-*.whl")
    return {"wheel": [wheel], "editable": ["-e", folder / "checkout"]}


@pytest.mark.parametrize("package", ["wheel", "editable"])
@pytest.mark.parametrize("of_ours", ["wheel", "editable"])
def test_it_is_listed_and_plays(ours: dict[str, list[str | Path]], tmp_path: Path, of_ours: str, package: str) -> None:
    programs = fresh(tmp_path)
    say(tmp_path, programs / "pip", "install", *OFFLINE, *ours[of_ours])
    sources = tmp_path / "package"
    ignored = shutil.ignore_patterns("*.so", "*.c", "__pycache__", "build", "*.egg-info")
    shutil.copytree(EXAMPLE, sources, ignore=ignored)
    how = ["-e"] if package == "editable" else []
    say(tmp_path, programs / "pip", "install", *OFFLINE, *how, sources)
    (tmp_path / "elsewhere").mkdir()
    where = "import rsc_sim, rsc_plugin_example as p; print(rsc_sim.__file__, p.__file__, sep='\\n')"
    of_rsc, of_package = say(tmp_path / "elsewhere", programs / "python", "-c", where).splitlines()
    assert of_rsc.startswith(str(tmp_path / "venv")) == (of_ours == "wheel")
    assert of_package.startswith(str(sources)) == (package == "editable")
    listed = say(tmp_path / "elsewhere", programs / "rsc", "strategies")
    assert set(NAMES) <= {line.split()[0] for line in listed.splitlines() if line.strip()}
    lineup = ("--lineup", ",".join(NAMES), "--games", "400")
    runs = [
        say(tmp_path / "elsewhere", programs / "rsc", "run", *lineup, "--backend", backend, "--json")
        for backend in ("threading", "loky")
    ]
    digests = {text.split('"outcome_digest": "')[1].split('"')[0] for text in runs}
    assert len(digests) == 1
    assert "passes" in say(tmp_path / "elsewhere", programs / "rsc", "strategies", "--check", "patient(min_table=60)")
