"""What the steward reads: one JSON document, and pages made from it."""

from discreet.report.document import result_document
from discreet.report.html import render_html, write_html

__all__ = ["render_html", "result_document", "write_html"]
