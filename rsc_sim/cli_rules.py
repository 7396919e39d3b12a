"""The commands on what there is: `rsc rules show|diff|validate|export` and `rsc strategies`.

Like `cli`, which mounts them, these take arguments in, make one call into a room, and import what is heavy where it is
needed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rsc_sim.cli_common import JsonOption
from rsc_sim.errors import InputError, StrategyError

__all__ = ["mount"]

_RULES = typer.Option(help="A ruleset file, a deck (.csv), or `booklet`.", metavar="FILE", show_default=False)
_SET = typer.Option("--set", help="Change a figure of the rules; may be given again.", metavar="KEY=VALUE")

rules_app = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
    short_help="Show, compare, check and write rulesets.",
    help="Show the cards and figures of a ruleset, compare two, check one, or write one to begin with. Without a "
    "command: show.",
    epilog="Example: rsc rules",
)


def mount(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(rules_app, name="rules")
    app.command(epilog="Example: rsc strategies --check collector")(strategies)


@rules_app.callback()
def _rules(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show()


@rules_app.command(epilog="Example: rsc rules show --set cards.escape_ticket.copies=3")
def show(
    rules: Annotated[str, _RULES] = "booklet",
    settings: Annotated[list[str] | None, _SET] = None,
    as_json: JsonOption = False,
) -> None:
    """Show all figures, switches and cards.

    What the booklet does not give, and is assumed, is marked. A deck (.csv) stands for the booklet's rules with those
    cards.
    """
    from rsc_sim import present_rules

    shown = _load(rules).override_text(settings or ())
    if as_json:
        _print_json(present_rules.rules_data(shown))
    else:
        from rsc_sim.console import open_console

        present_rules.show_rules(open_console(), shown)


@rules_app.command(epilog="Example: rsc rules diff mine.toml")
def diff(
    first: Annotated[str, typer.Argument(help="A ruleset file, a deck (.csv), or `booklet`.", metavar="A")] = "booklet",
    second: Annotated[
        str | None,
        typer.Argument(help="What to compare it with; without B, A is compared with the booklet.", metavar="B"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a figure of the later one; may be given again.", metavar="KEY=VALUE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is different between two rulesets.

    That is from A to B, or, where only A is given, from the booklet to A.

    The exit code is 0 whether anything is different or not.
    """
    from rsc_sim import present_rules

    old, new = ("booklet", first) if second is None else (first, second)
    before, after = _load(old), _load(new).override_text(settings or ())
    names = old, " with ".join([new, ", ".join(settings)]) if settings else new
    if as_json:
        _print_json(present_rules.diff_data(before, after, names))
    else:
        from rsc_sim.console import open_console

        present_rules.show_diff(open_console(), before, after, names)


@rules_app.command(epilog="Example: rsc rules validate mine.toml")
def validate(
    file: Annotated[str, typer.Argument(help="A ruleset file, or a deck (.csv).", metavar="FILE")],
    as_json: JsonOption = False,
) -> None:
    """Check a ruleset file.

    Every problem is named, one a line; the exit code is then 2.
    """
    from rsc_sim import present_rules

    try:
        sound = _load(file)
    except InputError as error:
        problems = [text.removeprefix(f"{file}: ") for text in str(error).splitlines()]
        if as_json:
            _print_json({"file": file, "sound": False, "problems": problems, "notes": []})
            raise typer.Exit(InputError.exit_code) from None
        raise InputError(present_rules.problem_text(file, problems)) from None
    if as_json:
        _print_json({"file": file, "sound": True, "problems": [], "notes": present_rules.notes(sound)})
    else:
        from rsc_sim.console import open_console

        present_rules.show_sound(open_console(), sound, file)


@rules_app.command(epilog="Example: rsc rules export --out mine.toml")
def export(
    rules: Annotated[str, _RULES] = "booklet",
    form: Annotated[
        str | None,
        typer.Option("--format", help="toml: the whole ruleset. csv: the deck, for a spreadsheet.", metavar="toml|csv"),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A new file; without it, printed.", metavar="FILE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a ruleset to begin with.

    That is a file to edit, check and play. A csv holds the deck alone, one kind a row. Wherever a ruleset file is asked
    for, a deck (.csv) stands for the booklet's rules with those cards. The format goes by the name of --out, and is
    toml otherwise. Nothing is overwritten.
    """
    from rsc_sim import export_rules

    form = export_rules.choose_format(form, out)
    written = _load(rules)
    text = export_rules.as_text(written, form, commented=rules == "booklet", name_after=out)
    if out is not None:
        export_rules.write_new(out, text, form)
    if as_json:
        told = {"text": text} if out is None else {"out": str(out)}
        _print_json({"format": form, "digest": written.digest, **told})
    elif out is None:
        print(text, end="")
    else:
        print(export_rules.next_steps(out, form))


def strategies(
    check: Annotated[
        str | None,
        typer.Option(
            help="Put a strategy through the checks that each must pass; exit code 4 if it fails.", metavar="SPEC"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the strategies, or check one.

    A check plays some hundred games at 2 to 8 seats by the booklet and by odd rules.
    """
    from rsc_sim import present_strategies
    from rsc_sim.sources import outside
    from rsc_sim.strategy import built_in, resolve

    if check is None:
        known = list(built_in().values())
        for name in outside():
            try:
                known.append(resolve(name))
            except InputError as error:  # one that does not load hides none of the others
                print(f"rsc: {error}", file=sys.stderr)
        if as_json:
            print(json.dumps([present_strategies.strategy_data(strategy) for strategy in known]))
            return
        from rsc_sim.console import open_console

        present_strategies.show_strategies(open_console(), known)
        return
    from rsc_sim.conformance import check_strategy

    strategy = resolve(check)
    report = check_strategy(strategy)
    if as_json:
        _print_json({"spec": strategy.spec, **report.to_dict()})
    else:
        from rsc_sim.console import open_console

        present_strategies.show_report(open_console(), strategy.spec, report)
    if not report.passed:
        failed = sum(finding.passed is False for finding in report.findings)
        raise StrategyError(f"strategy {strategy.spec!r} fails {failed} of {len(report.findings)} checks")


def _load(rules: str) -> Any:
    from rsc_sim.ruleset import Ruleset

    return Ruleset.booklet() if rules == "booklet" else Ruleset.load(rules)


def _print_json(data: Any) -> None:
    print(json.dumps(data))
