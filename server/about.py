"""Questions about changes and about history, answered where other questions are: by `code_research`.

Git is asked for these, and what it cannot tell is an answer too: a root without git says so instead of failing, since
the other roots of the same question may have one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.changes.history import History, history
from sightline.changes.past import Past, past_of, past_of_file
from sightline.changes.question import AboutChanges, AboutPast, read, settled
from sightline.changes.repository import SHORT, Repository, repository
from sightline.changes.together import MIN_SUPPORT, changes_with
from sightline.errors import QueryError
from sightline.graph.read.walk import resolve_start
from sightline.retrieval.research.model import QuestionKind, ResearchResult, Section
from sightline.server.answers import changes as answers
from sightline.server.answers.answered import Researched
from sightline.server.progress import Call, CallCancelledError
from sightline.tokens import estimate_tokens
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.server.root import Root
    from sightline.store import Snapshot
    from sightline.types import IndexStatus, Object

_MAX_LISTED = 30
_MESSAGE_LINES = 4  # of a commit that are shown: the subject, and where the reasons begin


def answer(root: Root, question: str, *, max_tokens: int, call: Call) -> Researched | None:
    """Answer a question about changes or history; None when it is another one."""
    about = read(question)
    if isinstance(about, AboutChanges):
        return _changes(root, question, about, max_tokens, call)
    return _past(root, question, about, max_tokens, call) if about is not None else None


def _changes(root: Root, question: str, about: AboutChanges, max_tokens: int, call: Call) -> Researched:
    call.step("comparing")
    began = time.perf_counter()
    try:
        asked = settled(about, _repository(root))
        report, answered = root.changes(asked, call)
    except CallCancelledError:
        raise
    except QueryError as error:
        return _refused(root, question, "changes", error)
    text = answers.text(report, max_tokens=max_tokens)
    paths = tuple(file.path for file in report.compared.files)
    result = _result(question, "changes", text, answered.status, began, paths)
    return Researched(answered.status, answered.stale, answered.warnings, result)


def _past(root: Root, question: str, about: AboutPast, max_tokens: int, call: Call) -> Researched | None:
    """Commits of a symbol, or companions of a file; None when the name is neither: another reading may know it."""
    began = time.perf_counter()

    def ask(snapshot: Snapshot) -> tuple[Object, list[str]] | None:
        items = _named(snapshot, about.name)
        if not items:
            return None
        call.step("reading the history")
        return items[0], _history_lines(root, about, items[0])

    try:
        told, answered = root.ask(ask, lambda found: [found[0].path] if found else [], call)
    except CallCancelledError:
        raise
    except QueryError as error:
        return _refused(root, question, "history", error)
    if told is None:
        return None
    item, lines = told
    lines = [visible(line) for line in lines]
    while len(lines) > 2 and estimate_tokens("\n".join(lines)) > max_tokens:
        lines = [*lines[:-2], "…"]
    result = _result(question, "history", "\n".join(lines), answered.status, began, (item.path,), [item])
    return Researched(answered.status, answered.stale, answered.warnings, result)


def _history_lines(root: Root, about: AboutPast, item: Object) -> list[str]:
    if about.kind == "together":
        return _together_lines(_history(root, _repository(root)), item.path)
    return _past_lines(past(root, item), item)


def past(root: Root, item: Object) -> Past:
    """The commits that touched a symbol; QueryError says why there is no history."""
    found = _repository(root)
    return past_of(root.config, found, _history(root, found), item)


def _history(root: Root, found: Repository) -> History:
    known = history(root.config, found)
    if known is None:
        off = root.config.history_commits == 0
        raise QueryError("the history is not read: SIGHTLINE_HISTORY is 0" if off else "there is no commit yet")
    return known


def _repository(root: Root) -> Repository:
    if not root.has_work_tree:  # and what lies around the cache of bundles is another one's
        raise QueryError("a published index has neither changes nor history", hint="ask where it is checked out")
    return repository(root.config.root)


def _named(snapshot: Snapshot, name: str) -> list[Object]:
    """The file or symbol of a name; [] when there is none, or several."""
    if name in snapshot.files:
        return snapshot.objects.get(snapshot.objects.positions_of_path(name)[:1])
    start = resolve_start(snapshot, name)
    positions = [snapshot.objects.position(entity_id) for entity_id in start.entity_ids]
    return snapshot.objects.get([position for position in positions if position is not None])


def _past_lines(past: Past, item: Object) -> list[str]:
    what = f"{item.kind} {item.qualified_name}  {item.path}:{item.start_line}"
    if not past.touched:
        return [f"No commit that is known touched {what}.", _limits(past)]
    count = "1 commit" if len(past.touched) == 1 else f"{len(past.touched)} commits"
    lines = [f"{count} touched {what}, newest first:"]
    for touched in past.touched[:_MAX_LISTED]:
        date = time.strftime("%Y-%m-%d", time.gmtime(touched.commit.time))
        subject, *rest = [line for line in touched.commit.message.split("\n") if line.strip()][:_MESSAGE_LINES] or [""]
        lines.append(f"{date}  {touched.commit.id[:SHORT]}  {touched.what}: {subject}")
        lines += [f"    > {line}" for line in rest]
    if len(past.touched) > _MAX_LISTED:
        lines.append(f"… {len(past.touched) - _MAX_LISTED} more")
    return [*lines, _limits(past)]


def _limits(past: Past) -> str:
    """What the list cannot know."""
    looked = f"{past.looked} of the {past.commits} commits of {past.path} were looked into"
    cut = "; older commits are cut off in this shallow clone" if past.shallow else ""
    return f"({looked}, without merges; before a move or another name the trail ends{cut}.)"


def _together_lines(known: History, path: str) -> list[str]:
    pairs = [pair for pair in changes_with(known, [path]).get(path, []) if pair.support >= MIN_SUPPORT]
    commits = len(past_of_file(known, path))
    lines = [f"Files that changed together with {path} ({commits} of the last {len(known.commits):,} commits):"]
    lines += [f"  {p.other}  in {p.support} commits, {p.confidence:.0%} of its" for p in pairs[:_MAX_LISTED]]
    return lines if pairs else [*lines, f"  none in {MIN_SUPPORT} commits or more; commits of many files do not count"]


def _refused(root: Root, question: str, kind: QuestionKind, error: QueryError) -> Researched:
    """What git cannot tell, as the answer."""
    snapshot = root.snapshot()
    status = snapshot.status() if snapshot is not None else root.empty_status()
    result = _result(question, kind, visible(f"{error}."), status, time.perf_counter(), ())
    return Researched(status, frozenset(), root.warnings(snapshot), result)


def _result(
    question: str,
    kind: QuestionKind,
    text: str,
    status: IndexStatus,
    began: float,
    paths: Sequence[str],
    symbols: Sequence[Object] = (),
) -> ResearchResult:
    title, *lines = text.split("\n")
    return ResearchResult(
        question=question,
        kind=kind,
        symbols=tuple(symbols),
        sections=(Section(title, tuple(lines)),),
        text=text,
        tokens=estimate_tokens(text),
        facts=(),
        left_out=(),
        warnings=(),
        timings_ms={"changes": (time.perf_counter() - began) * 1000},
        index=status,
        paths=tuple(paths),
    )
