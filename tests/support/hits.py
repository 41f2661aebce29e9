"""Small hits to render."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.types import Chunk, Hit, IndexStatus, Object, Relationship, SearchResult

READY = IndexStatus("ready", 3, 12, 0, 12)


def chunk(path: str = "src/auth.py", start: int = 10, lines: int = 3, symbol: str = "AuthService.login") -> Chunk:
    text = "\n".join(f"    line_{number} = {number}" for number in range(start, start + lines))
    return Chunk(path, start, start + lines - 1, "python", text, symbol, "method", "def login(self)", "")


def obj(name: str = "login", path: str = "src/auth.py", start: int = 10) -> Object:
    return Object(
        "e" * 16, "a" * 16, path, name, f"AuthService.{name}", "method", "python", start, start + 2,
        f"def {name}(self, user)", "Check who it is.", "public", "b" * 16,
    )  # fmt: skip


def relationship(
    confidence: float = 0.95, resolution: str = "import", target_path: str = "src/check.py"
) -> Relationship:
    return Relationship(
        "c" * 16, "calls", "src/auth.py", "e" * 16, "AuthService.login", "d" * 16 if target_path else "",
        "validate_credentials", target_path, "AuthService.login calls validate_credentials",
        confidence, resolution, 11,  # type: ignore[arg-type]
    )  # fmt: skip


def chunk_hit(item: Chunk, score: float = 0.9, **more: object) -> Hit:
    return Hit("chunk", "1" * 16, score, "hybrid", item.path, item.start_line, item.end_line, item, **more)  # type: ignore[arg-type]


def object_hit(item: Object, definition: Chunk | None, score: float = 0.8, **more: object) -> Hit:
    return Hit(
        "object", item.version_id, score, "symbol", item.path, item.start_line, item.end_line, item, definition,
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def relationship_hit(item: Relationship, score: float = 0.7, **more: object) -> Hit:
    return Hit("relationship", item.id, score, "semantic", item.path, item.site_line, item.site_line, item, **more)  # type: ignore[arg-type]


def result(hits: Sequence[Hit], *, index: IndexStatus = READY, **more: object) -> SearchResult:
    values = {"total": len(hits), "truncated": False, "next_cursor": None} | more
    return SearchResult("who logs in", "hybrid", "rrf", hits, index=index, **values)  # type: ignore[arg-type]
