"""Reports as queries: an issue, a pasted stack trace, the output of a failing test → the functions it is about.

A long text is no question: most of its words are not the subject, and some of it is near-certain evidence. `reading`
takes it apart (title, prose, code, output, frames, paths, names, errors, versions), `locate` looks up what it names,
`terms` says what the lanes look for, and `ranking` orders functions by it. Questions never come here: what is short
ranks as `retrieval/ranking` has it.
"""

from sightline.retrieval.report.files import FILES, named
from sightline.retrieval.report.ranking import rank, ranks
from sightline.retrieval.report.reading import MAX_REPORT_CHARS, Report, is_report, read
from sightline.retrieval.report.retrieve import retrieve
from sightline.retrieval.report.terms import analysis_of, embedded_text

__all__ = [
    "FILES",
    "MAX_REPORT_CHARS",
    "Report",
    "analysis_of",
    "embedded_text",
    "is_report",
    "named",
    "rank",
    "ranks",
    "read",
    "retrieve",
]
