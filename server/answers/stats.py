"""What agents asked and what the answers spared them: the log of calls (`usage.py`) as sums, for people or as JSON."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sightline.server.usage import Call
from sightline.visible import visible

_DAY_S = 86_400


def collect(calls: Iterable[Call], *, days: int, questions: int, now: float | None = None) -> dict[str, Any]:
    """The sums of the last days, by tool and by root, and the last questions, newest first."""
    since = (time.time() if now is None else now) - days * _DAY_S
    recent = sorted((call for call in calls if call.at >= since), key=lambda call: call.at)
    return {
        "days": days,
        "calls": len(recent),
        "total": _sums(recent) if recent else {},
        "tools": _grouped(recent, "tool"),
        "roots": _grouped(recent, "root"),
        "questions": [
            {
                "at": call.at,
                "tool": call.tool,
                "asked": call.asked,
                "found": call.found,
                "answer_chars": call.answer_chars,
                "files_bytes": call.files_bytes,
            }
            for call in list(reversed(recent))[:questions]
        ],
    }


def _grouped(calls: Sequence[Call], key: str) -> dict[str, Any]:
    names = sorted({str(getattr(call, key)) for call in calls})
    return {name: _sums([call for call in calls if getattr(call, key) == name]) for name in names}


def _sums(calls: Sequence[Call]) -> dict[str, Any]:
    return {
        "calls": len(calls),
        "found": sum(call.found for call in calls),
        "answer_chars": sum(call.answer_chars for call in calls),
        "answer_chars_median": round(statistics.median(call.answer_chars for call in calls)),
        "ms_median": round(statistics.median(call.ms for call in calls)),
        "files": sum(call.files for call in calls),
        "files_bytes": sum(call.files_bytes for call in calls),
    }


def text(stats: Mapping[str, Any]) -> str:
    """The sums as a person reads them."""
    if not stats["calls"]:
        return f"no calls of agents in the last {stats['days']} days\n"
    total = stats["total"]
    lines = [
        f"{stats['calls']:,} calls of agents in the last {stats['days']} days; {total['found']:,} found something",
        f"answers: {total['answer_chars']:,} characters",
        f"the {total['files']:,} files they name, whole: {total['files_bytes']:,}"
        + (f" ({_times(total)})" if total["answer_chars"] else ""),
        "An agent that reads parts of files reads less than that; one that greps first reads more.",
        "",
        f"{'tool':16}{'calls':>8}{'found':>8}{'ms':>8}{'characters':>12}{'files whole':>14}",
    ]
    for name, sums in stats["tools"].items():
        lines.append(
            f"{visible(name)[:15]:16}{sums['calls']:>8,}{sums['found']:>8,}{sums['ms_median']:>8,}"
            f"{sums['answer_chars']:>12,}{sums['files_bytes']:>14,}"
        )
    lines.append("(ms: the median)")
    if len(stats["roots"]) > 1:
        lines += ["", *(f"{sums['calls']:>8,} calls  {visible(name)}" for name, sums in stats["roots"].items())]
    if stats["questions"]:
        lines += ["", "last questions:"]
    for question in stats["questions"]:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(question["at"]))
        nothing = "" if question["found"] else "  (nothing found)"
        lines.append(
            f"{when}  {visible(question['tool'])[:15]:15} {question['answer_chars']:>6,}  "
            f"{visible(question['asked'])}{nothing}"
        )
    return "\n".join(lines) + "\n"


def _times(total: Mapping[str, Any]) -> str:
    return f"{total['files_bytes'] / total['answer_chars']:.1f} times as much"
