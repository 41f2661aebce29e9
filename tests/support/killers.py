"""Bytes that crash, hang or bloat a grammar, and shapes that any grammar must get over."""

from __future__ import annotations

import os
import random
from pathlib import Path

from sightline.languages import LANGUAGES, spec_of

# tree-sitter-bash 0.25.1 reads far beyond a table at these: a segmentation fault in two processes out of three, by
# what the system has put there.
CRASHES = (
    bytes.fromhex("22227bf48fbfbf"),
    "{\U0010ffff".encode(),
    bytes.fromhex(
        "c2b14cf0ba9e9bc39f37c28dc38139c3b8c2bde48e8961c3967bf29d86a50ac3bd0fc3a3c286c390c3b123c3baf3a882b50a3af0b1a7a535f2"
        "8bb2a3710cc3a2"
    ),
)
HANG = ("hang.rs", b"> -\n" * 5_000)  # half a minute in error recovery, and no memory to speak of
BLOAT = ("bloat.c", b"x=>\n" * 6_000)  # a gigabyte a second

GRAMMARS = sorted(language for language in LANGUAGES if spec_of(language).grammar)
OPENINGS = ("(", "{", "[", "a=", "x=>", "/*", "(\n", "{\n", "x=>\n", "a = b\n", "<a>")
NESTS = (("(", "1", ")"), ("[", "1", "]"), ("{", "", "}"), ("f(", "1", ")"), ("a=", "1", ""), ("x=>", "1", ""),
         ("", "a", ".b()\n"), ("if(a){}else ", "{}", ""), ("class A{", "", "}"), ("1+", "1", ""))  # fmt: skip
_WORDS = ("def ", "class ", "fn ", "func ", "if ", "else", "return ", "import ", "x", "a.b", "1", '"', "'", "`", "\n",
          "  ", "\t", "(", ")", "{", "}", "[", "]", "<", ">", "=", "=>", "->", ":", "::", ";", ",", "/*", "*/", "//",
          "#", "$", "@", "\\", "|", "&", "%{", "<<EOF\n", "\xdf", "\U0010ffff", "\0")  # fmt: skip


def shapes(size: int) -> dict[str, bytes]:
    """One construct over and over, of about this size: never closed, and closed again."""
    opened = {f"{unit!r}…": (unit * (size // len(unit))).encode() for unit in OPENINGS}
    nested = {}
    for left, inner, right in NESTS:
        count = size // len(left + right)
        nested[f"{left!r}{inner}{right!r}"] = (left * count + inner + right * count + "\n").encode()
    return opened | nested


def path_of(language: str, stem: str) -> str:
    """A file name that is of this language."""
    return stem + spec_of(language).extensions[0]


def rubbish(seed: int) -> bytes:
    """Words and marks of all languages in no order, or bytes of no meaning at all."""
    chance = random.Random(seed)
    if chance.random() < 0.3:
        points = [chance.choice((0x7F, 0xFF, 0xFFFF, 0x10FFFF)) for _ in range(chance.randint(1, 60))]
        text = "".join(chr(chance.randint(9, point)) for point in points)
        return text.encode("utf-8", "replace")
    return "".join(chance.choices(_WORDS, k=chance.randint(1, 120))).encode()


def children_of(pid: int) -> list[int]:
    """The processes that a process has started and that live."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has ended
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(stat.parent.name))
    return found


def is_busy(pid: int, at_least_s: float = 1.0) -> bool:
    """Whether a process has used so much processor time that it must be in the middle of a parse."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(fields[11]) / os.sysconf("SC_CLK_TCK") > at_least_s
