"""The paragraph that tells an agent when to use which tool, in the file where its client looks for instructions.

It stands between two marks, so that it can be found again: what a person writes around it stays, and taking it out
gives the file back as it was.
"""

from __future__ import annotations

from pathlib import Path

from sightline.errors import ConfigError
from sightline.server.install.clients import Client, Scope
from sightline.server.install.edit import Edit, check_no_link, read_text
from sightline.server.install.settings import owner

BEGIN = "<!-- sightline: begin -->"
END = "<!-- sightline: end -->"
PARAGRAPH = """\
## Finding code

This project is indexed by Sightline (MCP server `sightline`). Before grep, find or reading whole files, ask it:
- where something is done, in your own words or by identifier: `search`
- where a name is defined, even partly known: `symbol_search`
- who calls it, what it calls, implements, overrides or tests: `expand_graph`
- a whole question about structure, such as what breaks if X changes: `code_research`
Lines are those on disk; an answer that accounts for every occurrence needs no grep after it."""


def guide_file(client: Client, scope: Scope, project: Path, home: Path) -> Path | None:
    """Where the client looks for instructions; None when nothing is known for this scope."""
    if scope == "user":
        return client.user_guide(home) if client.user_guide is not None else None
    path = project / client.guide
    check_no_link(project, path)
    return path


def plan_guide(client: Client, scope: Scope, project: Path, path: Path) -> Edit:
    """What writing the paragraph would change."""
    before = read_text(path)
    return Edit(client, path, before, with_paragraph(before or "", path), owner(scope, project))


def plan_no_guide(client: Client, scope: Scope, project: Path, path: Path) -> Edit:
    """What taking the paragraph out would change."""
    before = read_text(path)
    after = without_paragraph(before, path) if before is not None else None
    gone = after is not None and after != before and not after.strip()
    return Edit(client, path, before, None if gone else after, owner(scope, project))


def with_paragraph(text: str, path: Path) -> str:
    """The text with the paragraph: in place of the one there is, else at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    paragraph = f"{BEGIN}\n{PARAGRAPH}\n{END}".replace("\n", newline)
    span = _span(text, path)
    if span is not None:
        return text[: span[0]] + paragraph + text[span[1] :]
    if not text:
        return paragraph + newline
    # A file without an end of line at its end is given back without one.
    return text + newline + paragraph + newline if text.endswith("\n") else text + newline * 2 + paragraph


def without_paragraph(text: str, path: Path) -> str:
    """The text without the paragraph and the empty line before it."""
    span = _span(text, path)
    if span is None:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    before, after = text[: span[0]], text[span[1] :]
    if not after:
        return before.removesuffix(newline * 2)
    if before.endswith(newline * 2) or before == newline:
        before = before.removesuffix(newline)
    return before + after.removeprefix(newline)


def _span(text: str, path: Path) -> tuple[int, int] | None:
    """From the first mark to behind the second; ConfigError when they are not there once and in this order."""
    begins, ends = text.count(BEGIN), text.count(END)
    if not begins and not ends:
        return None
    start, end = text.find(BEGIN), text.find(END)
    if begins != 1 or ends != 1 or end < start:
        raise ConfigError(
            f"the marks of Sightline's paragraph in {path} are not as they were written",
            hint=f"nothing was changed; by hand, remove what stands from {BEGIN} to {END}",
        )
    return start, end + len(END)
