"""What two rulesets differ in, as data and in a designer's words."""

from __future__ import annotations

__all__ = ["Difference", "describe_diff", "find_differences"]


class Difference: ...


def describe_diff() -> None: ...


def find_differences() -> None: ...
