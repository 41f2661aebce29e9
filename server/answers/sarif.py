"""A report about changes as SARIF 2.1.0, for code scanning: what somebody has to look at, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import sightline

if TYPE_CHECKING:
    from sightline.changes.model import Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "api-changed": "Public API was removed, or has to be used in another way",
    "must-follow": "An override or implementer of a changed declaration",
    "gone-but-named": "A name that is gone is still used",
    "untested-change": "No test was found that reaches a changed symbol",
    "changes-with": "A file that usually changes together with changed ones did not",
}


def sarif(report: Report) -> dict[str, Any]:
    """One run with its results."""
    rules = [{"id": rule, "shortDescription": {"text": text}} for rule, text in _RULES.items()]
    driver = {"name": "sightline", "version": sightline.__version__, "rules": rules}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": list(_results(report))}],
    }


def _results(report: Report) -> Iterator[dict[str, Any]]:
    for change in report.api:
        text = f"{change.item.qualified_name}: {change.status}"
        if change.status == "signature" and change.old is not None:
            text += f", was `{change.old.signature}`, is `{change.item.signature}`"
        yield _result("api-changed", "warning", text, change.item.path, change.item.start_line)
    for found in report.followers:
        text = f"{found.item.qualified_name} {found.through} {found.cause}, which changed"
        yield _result("must-follow", "warning", text, found.item.path, found.item.start_line)
    for mention in report.mentions:
        yield _result("gone-but-named", "error", f"{mention.name} is gone", mention.path, mention.line)
    for item in report.untested:
        text = f"no test reaches {item.qualified_name}"
        yield _result("untested-change", "note", text, item.path, item.start_line)
    for companion in report.companions:
        text = f"usually changes together with {companion.changed} ({companion.support} commits)"
        yield _result("changes-with", "note", text, companion.path, 1)


def _result(rule: str, level: str, text: str, path: str, line: int) -> dict[str, Any]:
    uri = quote(path.encode("utf-8", "surrogateescape"))
    place = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": max(line, 1)}}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text.encode("utf-8", "backslashreplace").decode()},
        "locations": [{"physicalLocation": place}],
    }
