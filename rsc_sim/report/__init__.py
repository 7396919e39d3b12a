"""Reports: one file that says what to look at first, shows it, and says how sure it is.

`build_report` makes one of a directory, `write_report` writes it as HTML or Markdown.
"""

from rsc_sim.report.build import build_report, write_report
from rsc_sim.report.model import Finding, Report, Section

__all__ = ["Finding", "Report", "Section", "build_report", "write_report"]
