"""A report as plain data, for machines: doubts, findings, sections and pictures."""

from __future__ import annotations

from typing import Any

from rsc_sim.report.model import Report

__all__ = ["as_data"]


def as_data(report: Report) -> dict[str, Any]:
    """Give what `rsc report --json` prints."""
    return {
        "kind": report.kind,
        "title": report.title,
        "doubts": [{"text": doubt.text, "section": doubt.href or None} for doubt in report.doubts],
        "findings": [
            {
                "text": finding.text,
                "number": finding.number or None,
                "limit": finding.limit or None,
                "state": finding.state,
                "beyond": finding.beyond if finding.limit else None,
                "section": finding.href,
            }
            for finding in report.findings
        ],
        "sections": [{"id": section.id, "title": section.title} for section in report.sections],
        "plots": [
            str(path) for section in report.sections for each in section.pictures for path in (each.svg, each.png)
        ],
    }
