"""The samples of `fixtures/languages/` and what their outlines shall be.

`python -m tests.support.samples` writes `expected.toml` anew from what the code says now: read the diff as code.
`python -m tests.support.samples FILE` prints the tree that the grammar makes of a file, nodes with their fields, and
the outline that is read off it.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from sightline.languages import LANGUAGES as TABLE
from sightline.languages import detect, module_doc, outline, parse, sections
from sightline.types import ParsedFile
from tests.support.paths import FIXTURES

FOLDER = FIXTURES / "languages"
EXPECTED = FOLDER / "expected.toml"
LANGUAGES = sorted(set(TABLE) - {"text"})


def sample(language: str) -> Path:
    """The sample file of a language: its name without extension is the language's."""
    (found,) = (path for path in FOLDER.iterdir() if path.stem == language)
    return found


def parsed_sample(language: str) -> ParsedFile:
    """The sample of a language, parsed."""
    path = sample(language)
    source = path.read_bytes()
    return parse(path.name, detect(path.name, source), source)


def described(parsed: ParsedFile) -> list[str]:
    """The outline (or the sections) of a file, a line each."""
    lines = [f"file: {module_doc(parsed)}"] if module_doc(parsed) else []
    for defined in outline(parsed):
        private = "private " if defined.private else ""
        lines.append(
            f"{defined.start_line}-{defined.end_line} {private}{defined.kind} {defined.qualified_name}"
            f" | {defined.signature} | {defined.doc}".rstrip(" |")
        )
    lines.extend(f"{part.start_line}-{part.end_line} {part.qualified_name}" for part in sections(parsed))
    return lines


def expected() -> dict[str, list[str]]:
    """What `expected.toml` says, by language."""
    with EXPECTED.open("rb") as file:
        return {language: entry["outline"] for language, entry in tomllib.load(file).items()}


def write() -> None:
    """Write `expected.toml` from what the code says now."""
    blocks = ["# lines, kind, qualified name | signature | first sentence of its documentation (samples.py writes it)"]
    for language in LANGUAGES:
        quoted = "\n".join(f"  '''{line}'''," for line in described(parsed_sample(language)))
        blocks.append(f"[{language}]\noutline = [\n{quoted}\n]")
    EXPECTED.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def tree_of(parsed: ParsedFile) -> Iterator[str]:
    """The named nodes of a file, each with its field and, at the bottom, its text."""
    waiting = [(parsed.tree.root_node, 0, "")] if parsed.tree is not None else []
    while waiting:
        node, depth, field = waiting.pop()
        text = f" {node.text.decode()[:60]!r}" if node.text is not None and not node.named_child_count else ""
        yield f"{'  ' * depth}{f'{field}: ' if field else ''}{node.type}{text}"
        fields = [(child, node.field_name_for_child(place) or "") for place, child in enumerate(node.children)]
        waiting.extend((child, depth + 1, name) for child, name in reversed(fields) if child.is_named)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        source = Path(sys.argv[1]).read_bytes()
        read = parse(sys.argv[1], detect(sys.argv[1], source), source)
        sys.stdout.writelines(f"{line}\n" for line in [*tree_of(read), "", *described(read)])
    else:
        write()
