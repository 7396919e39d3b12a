"""What a run costs beside the games in it: recording, a second job, memory, the start of the command.

    python benchmarks/run.py
    python benchmarks/run.py --games 10_000_000 --only memory
    python -m benchmarks.run --games 2_000_000 --only backends      # from the checkout's top: ten seconds of play each

What is compared takes turns, because a shared machine changes its speed within seconds: read the medians of the ratios,
not the seconds. Recording is a run with everything kept, in files, against the engine alone with neither tallies nor
files. Processor time is added up over all threads and shows what recording costs; wall time shows what a user waits,
and recording hides in it where a processor is idle.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rsc_sim.cluster import disconnect
from rsc_sim.engine import CHECKED, CompiledRules, play_blocks
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.plan import LEAF_BLOCKS
from rsc_sim.runner import available_jobs, play
from rsc_sim.strategy import resolve


def engine_alone(experiment: ResolvedExperiment, jobs: int) -> None:
    """Play the games of an experiment, leaf by leaf, and forget them."""
    rules = CompiledRules(experiment.ruleset, seats=experiment.seats)
    lineup = [resolve(spec).bind() for spec in experiment.lineup]

    def leaf(first_block: int) -> None:
        play_blocks(
            rules,
            lineup,
            seed=experiment.seed,
            first_block=first_block,
            n_blocks=min(LEAF_BLOCKS, experiment.n_blocks - first_block),
            strategy_ids=experiment.strategy_ids,
        )

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(leaf, range(0, experiment.n_blocks, LEAF_BLOCKS)))


def in_files(experiment: ResolvedExperiment, jobs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(experiment, jobs=jobs, out=Path(folder))


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Seconds of wall and of processor time."""
    wall, processor = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - processor


def interleaved(one: Callable[[], object], other: Callable[[], object], n: int) -> list[tuple[float, ...]]:
    """Give (wall, processor) of one and of the other, n times; which goes first takes turns too."""
    pairs = []
    for i in range(n):
        if i % 2:
            second, first = timed(other), timed(one)
        else:
            first, second = timed(one), timed(other)
        pairs.append((*first, *second))
    return pairs


def told(what: str, ratios: list[float]) -> None:
    ratios = sorted(ratios)
    print(f"{what:<58} {statistics.median(ratios):6.3f}   ({ratios[0]:.3f} to {ratios[-1]:.3f})")


def recording(experiment: ResolvedExperiment, n: int) -> None:
    for jobs in (1, 2):
        pairs = interleaved(lambda j=jobs: in_files(experiment, j), lambda j=jobs: engine_alone(experiment, j), n)
        told(f"run / engine alone, {jobs} job{'s' * (jobs > 1)}, processor time", [pair[1] / pair[3] for pair in pairs])
        told(f"run / engine alone, {jobs} job{'s' * (jobs > 1)}, wall time", [pair[0] / pair[2] for pair in pairs])


def second_job(experiment: ResolvedExperiment, n: int) -> None:
    pairs = interleaved(lambda: in_files(experiment, 1), lambda: in_files(experiment, 2), n)
    told("one job / two, playing and recording, wall time", [pair[0] / pair[2] for pair in pairs])
    pairs = interleaved(lambda: engine_alone(experiment, 1), lambda: engine_alone(experiment, 2), n)
    told("one job / two, engine alone (what the machine gives)", [pair[0] / pair[2] for pair in pairs])
    games = str(experiment.n_games)
    pairs = interleaved(
        lambda: command("--games", games, "--jobs", "1"), lambda: command("--games", games, "--jobs", "2"), n
    )
    told("one job / two, the whole command, wall time", [pair[0] / pair[2] for pair in pairs])


def backends(experiment: ResolvedExperiment, n: int) -> None:
    """Compare processes and the workers of a Dask cluster on this machine with threads, start of processes included."""
    from tests.run.dask_cluster import local_cluster

    def run(backend: str) -> float:
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            play(experiment, jobs=2, backend=backend, out=Path(folder))
            return time.perf_counter() - start

    with tempfile.TemporaryDirectory() as folder, local_cluster(Path(folder), workers=2) as cluster:
        small = Experiment.load("baseline").changed(games=1_000).resolve()
        while available_jobs(cluster.address) < 2:
            time.sleep(0.1)
        play(small, backend=cluster.address)  # what Dask costs to import is not what a run costs
        seconds: dict[str, list[float]] = {}
        names = {"threads": "threading", "loky": "loky", "dask": cluster.address}
        for i in range(n):
            for name in sorted(names, key=lambda name, i=i: (list(names).index(name) + i) % 3):
                seconds.setdefault(name, []).append(run(names[name]))
        disconnect(cluster.address)
    print(f"threads: {statistics.median(seconds['threads']):.1f} s for {experiment.n_games:,} games at 2 jobs")
    for name in ("loky", "dask"):
        ratios = [threads / other for threads, other in zip(seconds["threads"], seconds[name], strict=True)]
        told(f"{name} / threads, games/s at 2 jobs", ratios)


def command(*arguments: str) -> tuple[float, float]:
    """Run `rsc run` as a process of its own; give its wall seconds and its peak of memory in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "rsc_sim", "run", *arguments, "--out", f"{folder}/run"], stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(process.returncode)
        return time.perf_counter() - start, usage.ru_maxrss / 1024


def start(n: int) -> None:
    seconds = [command("--games", "1000")[0] for _ in range(n)]
    print(f"rsc run --games 1000: {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})")


def memory(games: int) -> None:
    seconds, mib = command("--games", str(games))
    print(f"rsc run --games {games:,}: {seconds:.1f} s, {games / seconds:,.0f} games/s, at most {mib:.0f} MiB")
    n = min(games, 1_000_000)
    code = (
        "from rsc_sim.experiment import Experiment; from rsc_sim.runner import available_jobs, play; "
        f"run = play(Experiment.load('baseline').changed(games={n}).resolve()); "
        "held = run.games.collect().estimated_size() + sum(len(part) for t in run._tallies.values() for part in t); "
        f"print(f'in memory, {n:,} games: {{held / {n}:.1f}} bytes a game')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=262_144)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", choices=["recording", "jobs", "backends", "start", "memory"])
    arguments = parser.parse_args()
    if CHECKED:
        raise SystemExit("this is a checked build, whose times mean nothing; build without RSC_SIM_DEBUG")
    experiment = Experiment.load("baseline").changed(games=arguments.games).resolve()
    print(f"baseline, {experiment.n_games:,} games; medians of {arguments.repeats} (least to most)")
    if arguments.only in {None, "recording"}:
        recording(experiment, arguments.repeats)
    if arguments.only in {None, "jobs"}:
        second_job(experiment, arguments.repeats)
    if arguments.only in {None, "backends"}:
        backends(experiment, arguments.repeats)
    if arguments.only in {None, "start"}:
        start(arguments.repeats)
    if arguments.only in {None, "memory"}:
        memory(arguments.games)


if __name__ == "__main__":
    main()
