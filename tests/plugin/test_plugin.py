"""A strategy from outside: it is built against the installed package, plays, and its failures are told in full."""

import importlib.util
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rsc_sim
from rsc_sim import conformance, simulate
from rsc_sim.cli import main
from rsc_sim.engine import CompiledRules, Game, play_blocks
from rsc_sim.errors import InputError, StrategyError
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import uniform
from rsc_sim.strategy import installed, resolve
from tests.plugin.building import build_example

RULES = CompiledRules(Ruleset.booklet().to_dict(), seats=3)
RANDOM = uniform.bind()


def play(lineup: list[Any], *, first_block: int = 0, n_blocks: int = 1) -> np.ndarray:
    ids = [lineup.index(strategy) for strategy in lineup]
    return play_blocks(RULES, lineup, seed=5, first_block=first_block, n_blocks=n_blocks, strategy_ids=ids)


# ---- it plays


def test_parameters_reach_each_strategy(example: SimpleNamespace) -> None:
    never, always = example.patient.bind(min_table=10**6), example.patient.bind(min_table=0)
    # Where nobody is troubled Read never goes from seat to seat and there is nothing to cancel.
    peace, war = play([never] * 3, n_blocks=200), play([always] * 3, n_blocks=200)
    assert peace["cancelled"].sum() == peace["read_moves"].sum() == 0
    assert war["cancelled"].sum() > 100
    assert war["read_moves"].sum() > 100
    both = play([never, always, never], n_blocks=200)
    assert 0 < both["read_moves"].sum() < war["read_moves"].sum() * 3


def test_scratch_lives_for_one_game(example: SimpleNamespace) -> None:
    """A game comes out the same played first, played after others, and played by itself."""
    lineup = [example.patient.bind(min_table=60), example.patient.bind(min_table=200), RANDOM]
    rows = play(lineup, n_blocks=40)
    assert rows.tobytes() == b"".join(play(lineup, first_block=block).tobytes() for block in range(40))
    for row in rows[:30]:
        game = Game(RULES, seed=5, block=int(row["block"]))
        while game.decision is not None:
            game.apply(game.choose(lineup[(game.seat + row["rotation"]) % 3]))
        assert game.row()["trace"] == row["trace"]


def test_scratch_is_used(example: SimpleNamespace) -> None:
    """Without its scratch `patient` would play otherwise: a robbed one stays bold."""
    patient = example.patient.bind(min_table=200)
    game, forgetful = Game(RULES, seed=5, block=0), 0
    for block in range(40):
        game = Game(RULES, seed=5, block=block)
        while game.decision is not None:
            fresh = (
                Game.from_position(RULES, game.state(), seed=5, block=block) if game.decision == "put_down" else None
            )
            index = game.choose(patient)
            bold_but_poor = game.state()["merch"][game.seat] < 200 and game.moves()[index].target is not None
            if bold_but_poor and fresh is not None and fresh.moves() == game.moves():
                forgetful += fresh.moves()[fresh.choose(patient)].target is None
            game.apply(index)
    assert forgetful > 0


# ---- it is found by name


@pytest.mark.parametrize(
    ("name", "kind"),
    [("patient", "native"), ("outspoken", "python"), ("leveller", "batched"), ("thrifty", "weights")],
)
def test_an_entry_point_is_found_by_name_and_plays(
    example: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    kind: str,
) -> None:
    monkeypatch.setattr(conformance, "GAMES", 28)
    strategy = resolve(name)
    assert (strategy.name, strategy.spec, strategy.kind) == (name, name, kind)
    assert name in installed()
    run = simulate("booklet", [name, "random"], games=200, jobs=1, backend="threading")
    assert run.games.collect().height == 200
    assert main(["strategies"]) == 0
    assert name in capsys.readouterr().out
    assert main(["strategies", "--check", name]) == 0, capsys.readouterr().out


def test_one_that_does_not_load_hides_no_other(
    example: SimpleNamespace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    about = tmp_path / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[rsc_sim.strategies]\nbroken = no_such_module:choose\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["strategies"]) == 0
    told = capsys.readouterr()
    assert "thrifty" in told.out
    assert "strategy 'broken': its entry point no_such_module:choose of the package broken cannot be loaded" in told.err


def test_parameters_of_an_entry_point(example: SimpleNamespace) -> None:
    assert resolve("outspoken(greed=2.0)").spec == "outspoken(greed=2.0)"
    with pytest.raises(InputError, match=r"no parameter 'greedy' \(did you mean greed\?\)"):
        resolve("outspoken(greedy=2.0)")


# ---- it is refused


@pytest.mark.parametrize("figure", ["abi", "view_size", "moves_size", "table_size", "rules_size", "memory_size"])
@pytest.mark.parametrize("by", [-1, 8])
def test_another_interface_is_refused(example: SimpleNamespace, figure: str, by: int) -> None:
    stale = example.faulty.stale(figure, by)
    with pytest.raises(InputError, match=r"compiled for another version of rsc-sim .* build it again against this one"):
        play([RANDOM, RANDOM, stale])
    with pytest.raises(InputError, match="another version"):
        Game(RULES, seed=1, block=0).choose(stale)
    assert len(play([RANDOM, RANDOM, example.faulty.stale(figure, 0)])) == 3


def test_a_plugin_compiled_against_an_older_package_is_refused(tmp_path: Path) -> None:
    """The real thing: its view has a field that this one lacks, and nobody raised the interface's number."""
    here = Path(rsc_sim.__file__).parent
    for path in [*here.glob("*.pxd"), *here.glob("engine/*.pxd")]:
        target = tmp_path / "old" / "rsc_sim" / path.relative_to(here)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    for folder in ("", "engine"):
        (tmp_path / "old" / "rsc_sim" / folder / "__init__.py").touch()
    types = tmp_path / "old" / "rsc_sim" / "engine" / "types.pxd"
    lines = types.read_text().splitlines()
    (at,) = (i for i, line in enumerate(lines) if line.strip().startswith("const memory_t *memory"))
    lines.insert(at, "    const void *no_more")
    types.write_text("\n".join(lines))
    built = build_example(tmp_path / "package", against=tmp_path / "old", only="patient")
    path = next((built / "rsc_plugin_example").glob("patient.*.so"))
    spec = importlib.util.spec_from_file_location("rsc_plugin_example.patient", path)
    assert spec is not None
    assert spec.loader is not None
    old = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(old)
    with pytest.raises(InputError, match=r"its view \d+ bytes, here \d+\): build it again"):
        play([RANDOM, RANDOM, old.bind()])


@pytest.mark.parametrize("thing", [None, "random", uniform.bind, object()])
def test_what_is_no_strategy_is_refused(thing: object) -> None:
    with pytest.raises(InputError, match="expected a bound native strategy, got"):
        play([RANDOM, RANDOM, thing])


# ---- it fails


def where_it_is_asked(first_block: int, from_turn: int) -> tuple[int, int, int, int]:
    """Find by stepping where the last of three seats is first asked from that turn on: game, turn, seat, moves."""
    for block in range(first_block, first_block + 100):
        for rotation in range(3):
            seat = 2 - rotation
            game = Game(RULES, seed=5, block=block)
            while game.decision is not None:
                if game.seat == seat and game.turn >= from_turn:
                    return 3 * block + rotation, game.turn, seat, len(game.moves())
                game.apply(0 if game.seat == seat else game.choose(RANDOM))
    raise AssertionError("it is never asked")


@pytest.mark.parametrize("from_turn", [1, 8, 150])
@pytest.mark.parametrize(
    ("index", "past_the_end"),
    [(0, True), (1000, True), (-1, False), (-2, False), (-(2**31), False), (2**31 - 1, False)],
)
def test_an_index_of_no_move(example: SimpleNamespace, index: int, past_the_end: bool, from_turn: int) -> None:
    strategy = example.faulty.answers(index, from_turn=from_turn, past_the_end=past_the_end)
    game, turn, seat, n_moves = where_it_is_asked(7, from_turn)
    answer = index + n_moves if past_the_end else index
    with pytest.raises(StrategyError) as caught:
        play([RANDOM, RANDOM, strategy], first_block=7, n_blocks=100)
    told = f"returned {answer} for a decision with {n_moves} moves (game {game}, turn {turn}, seat {seat})"
    assert str(caught.value) == told
    assert (caught.value.game, caught.value.turn, caught.value.seat) == (game, turn, seat)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("from_turn", [1, 8, 150])
def test_an_exception_is_the_cause(example: SimpleNamespace, from_turn: int) -> None:
    game, turn, seat, _ = where_it_is_asked(7, from_turn)
    with pytest.raises(StrategyError) as caught:
        play([RANDOM, RANDOM, example.faulty.raises(from_turn=from_turn)], first_block=7, n_blocks=100)
    no_idea = f"no idea in turn {turn}"
    assert str(caught.value) == f"raised LookupError: {no_idea} (game {game}, turn {turn}, seat {seat})"
    assert (caught.value.game, caught.value.turn, caught.value.seat) == (game, turn, seat)
    assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.__cause__.args == (no_idea,)


def test_nothing_is_left_of_an_exception(example: SimpleNamespace) -> None:
    """The next call plays as if nothing had been, in the same thread and in others."""
    before = play([RANDOM] * 3, n_blocks=5)

    def fail_and_play(turn: int) -> bytes:
        with pytest.raises(StrategyError, match=rf"turn {turn}\b") as caught:
            play([example.faulty.raises(from_turn=turn)] * 3)
        assert caught.value.__cause__.args == (f"no idea in turn {turn}",)
        return play([RANDOM] * 3, n_blocks=5).tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(fail_and_play, range(1, 41))) == {before.tobytes()}


def test_an_interruption_is_not_the_strategys_failure(example: SimpleNamespace) -> None:
    with pytest.raises(KeyboardInterrupt):
        play([RANDOM, RANDOM, example.faulty.raises(interrupt=True)])


def test_a_failure_prints_nothing(example: SimpleNamespace, tmp_path: Path) -> None:
    """An exception lost on the way out of the engine would be printed, not raised."""
    program = (
        "from rsc_plugin_example import faulty\n"
        "from tests.plugin.test_plugin import RANDOM, StrategyError, play\n"
        "try: play([RANDOM, RANDOM, faulty.raises()])\n"
        "except StrategyError: print('told')\n"
    )
    folders = [Path(example.faulty.__file__).parents[1], Path(rsc_sim.__file__).parents[1], Path(__file__).parents[2]]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("told\n", "")
