"""Prose, data and pages: no objects, but titled parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, text_of
from sightline.languages.spec import LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*\r?$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RST_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*\r?$")


def markdown_headings(text: str) -> list[tuple[int, int, str]]:
    """The headings of a Markdown text as (row, level, title): `#` and underlined ones, outside code fences."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    lines = text.split("\n")
    row = 0
    if lines and lines[0].strip() == "---":  # front matter
        row = next((i + 1 for i, line in enumerate(lines[1:200], start=1) if line.strip() in ("---", "...")), 0)
    while row < len(lines):
        line = lines[row]
        if opened := _FENCE.match(line):
            mark = opened.group(1)
            if not fence:
                fence = mark
            elif mark.startswith(fence) and not line.strip().strip(mark[0]):
                fence = ""
        elif fence:
            pass
        elif heading := _HEADING.match(line):
            found.append((row, len(heading.group(1)), (heading.group(2) or "").strip()))
        elif (underline := _UNDERLINE.match(line)) and _is_title(lines, row - 1):
            found.append((row - 1, 1 if underline.group(1)[0] == "=" else 2, lines[row - 1].strip()))
        row += 1
    return found


def _is_title(lines: list[str], row: int) -> bool:
    """A line that stands alone and is no list, quote, table or heading of its own."""
    if row < 0 or (row > 0 and lines[row - 1].strip()):
        return False
    return bool(lines[row].strip()) and not lines[row].lstrip().startswith(("#", ">", "-", "*", "|", "```", "~~~"))


def rst_headings(text: str) -> list[tuple[int, int, str]]:
    """The headings of a reStructuredText: a line and, below it, as many punctuation marks. Levels by first use."""
    found: list[tuple[int, int, str]] = []
    levels: list[str] = []
    lines = text.split("\n")
    for row in range(1, len(lines)):
        title, underline = lines[row - 1].rstrip(), _RST_UNDERLINE.match(lines[row])
        if not underline or not title.strip() or _RST_UNDERLINE.match(title):
            continue
        if len(lines[row].rstrip()) < len(title) or title.startswith((" ", "\t")):
            continue
        mark = underline.group(1)
        if mark not in levels:
            levels.append(mark)
        found.append((row - 1, levels.index(mark) + 1, title.strip()))
    return found


def _key(node: Node) -> str:
    """The key of a pair; in TOML of a table."""
    key = node.child_by_field_name("key") or child_of_type(node, "bare_key", "dotted_key", "quoted_key")
    return text_of(key).strip("\"'")


_TITLED_TAGS = frozenset({"header", "main", "nav", "section", "article", "footer", "form", "template", "head", "body"})


def _element(node: Node) -> str:
    """An element with an id, or one that structures the page."""
    start = child_of_type(node, "start_tag")
    if start is None or child_of_type(node, "end_tag") is None:
        return ""
    tag = text_of(child_of_type(start, "tag_name"))
    for attribute in start.named_children:
        if attribute.type == "attribute" and text_of(child_of_type(attribute, "attribute_name")) == "id":
            return f"{tag}#{text_of(attribute).partition('=')[2].strip(chr(34) + chr(39))}"
    return tag if tag in _TITLED_TAGS or node.type in ("script_element", "style_element") else ""


def _rule(node: Node) -> str:
    """A rule's selectors, or the words of an at-rule."""
    return (node.text or b"").partition(b"{")[0].decode("utf-8", "replace")


def _document(name: str, grammar: str, *extensions: str, **more: tuple[str, ...]) -> LanguageSpec:
    titles = {"pair": _key, "block_mapping_pair": _key, "table": _key, "table_array_element": _key}
    used = {"json": ("pair",), "yaml": ("block_mapping_pair",), "toml": ("table", "table_array_element", "pair")}[name]
    return LanguageSpec(
        name=name,
        grammar=grammar,
        extensions=extensions,
        filenames=more.get("filenames", ()),
        document=True,
        sections={node_type: titles[node_type] for node_type in used},
    )


JSON = _document(
    "json", "tree_sitter_json:language", ".json", ".jsonc", ".json5", ".webmanifest", ".ipynb",
    filenames=(".babelrc", ".eslintrc", ".prettierrc", ".swcrc"),
)  # fmt: skip
YAML = _document("yaml", "tree_sitter_yaml:language", ".yaml", ".yml", filenames=(".clang-format", ".clang-tidy"))
TOML = _document("toml", "tree_sitter_toml:language", ".toml", filenames=("Pipfile",))
MARKDOWN = LanguageSpec(
    name="markdown",
    grammar="",  # lines say all that is needed; the grammar nests underlined headings wrongly
    extensions=(".md", ".markdown", ".mdx", ".mdc", ".qmd", ".rmd"),
    document=True,
    headings=markdown_headings,
)
TEXT = LanguageSpec(
    name="text", grammar="", extensions=(".txt", ".rst", ".adoc", ".org"), document=True, headings=rst_headings
)
HTML = LanguageSpec(
    name="html",
    grammar="tree_sitter_html:language",
    extensions=(".html", ".htm", ".xhtml"),
    document=True,
    sections={"element": _element, "script_element": _element, "style_element": _element},
)
CSS = LanguageSpec(
    name="css",
    grammar="tree_sitter_css:language",
    extensions=(".css", ".scss", ".less", ".pcss"),
    document=True,
    sections={"rule_set": _rule, "media_statement": _rule, "keyframes_statement": _rule, "at_rule": _rule,
              "supports_statement": _rule},
)  # fmt: skip
SPECS = (HTML, CSS, MARKDOWN, JSON, YAML, TOML, TEXT)
