"""The report: one offline page about a clustering, for people who never heard of silhouettes."""

from polyclust.report.page import render_report
from polyclust.report.subject import ReportSubject

__all__ = ["ReportSubject", "render_report"]
