"""C and C++ without what a preprocessor would take out and a grammar cannot place: macros that stand for attributes,
statements, template parameters or the beginning of a namespace. Every replacement has the length of what it stands
for, so that places stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

# Every byte of every file is gone through by these patterns. `re` skips quickly to where a pattern may begin if that is
# a certain byte, less so if it is one of a set, and not behind `^` or `\b` (four times the time, 2026-11). So the text
# has one line end before it, lines begin with `\n`, a word's beginning is looked at behind its first letter, and most
# patterns are tried only where `_WORDS` finds a macro: one way through a file in place of seven.
_CAPITAL = rb"[A-Z](?<!\w[A-Z])"  # that begins a word


def _kinds() -> bytes:
    """What stands for each byte where only its kind matters."""
    kinds = bytearray(b"." * 256)
    for like, of in ((b"A", b"AZ"), (b"a", b"az"), (b"0", b"09")):
        kinds[of[0] : of[1] + 1] = like * (of[1] + 1 - of[0])
    for like, of in ((b" ", b" \t\r\f\v"), (b"*", b"*&"), (b"~", b"~[")):
        for byte in of:
            kinds[byte] = like[0]
    for byte in b"_\n(){:":
        kinds[byte] = byte
    return bytes(kinds)


_KINDS = _kinds()
# A word in capitals, and behind it or its arguments a block, a colon, or another word. It is looked for in a text of
# kinds, where it begins with one certain byte: half the time.
_WORDS = re.compile(
    rb"A(?<![Aa0_]A)[A0_]{2,99}+[Aa0_]*+"
    rb"(?=(?:\([^()\n]{0,80}\))?+(?:[ \n]{0,20}+(?P<opens>[{:])|[ \n*]{1,99}+[Aa_~]))"
)
# Macros that stand where the grammar expects none: attributes before a class's name, before a function's type or behind
# its parameters, and what clang's analysis of threads asks for behind a member.
_OF_CLASSES = re.compile(
    rb"(?:class(?<!\wclass)|struct(?<!\wstruct)|union(?<!\wunion)|enum(?<!\wenum)(?:\s{1,20}class)?)\s{1,20}(?P<of_class>[A-Z][A-Z0-9_]{2,99}(?:\([^()\n]{0,80}\))?"
    rb"(?:\s{1,20}[A-Z][A-Z0-9_]{2,99}(?:\([^()\n]{0,80}\))?){0,2})"
    rb"(?=\s{1,20}[A-Za-z_]\w{0,99}(?:::[A-Za-z_]\w{0,99}){0,5}(?:<[^<>;{}()]{0,200}>)?\s{0,20}(?:final\s{0,20})?[:{])"
)
# `class A FINAL : public B`: only `final` and the bases stand behind the name of a class.
_BEHIND_CLASSES = re.compile(
    rb"(?:class(?<!\wclass)|struct(?<!\wstruct))\s{1,20}[A-Za-z_]\w{0,99}(?:::[A-Za-z_]\w{0,99}){0,5}\s{1,20}"
    rb"(?P<behind_class>[A-Z][A-Z0-9_]{3,99})(?=\s{0,20}(?:\{|:[^:]))"
)
_OF_FUNCTIONS = re.compile(
    rb"(?P<of_function>"
    + _CAPITAL
    + rb"[A-Z0-9_]{0,99}(?:EXPORT|_API|_PUBLIC|INLINE|_EXTERN|_VISIBLE|NODISCARD|NORETURN"
    rb"|_CONSTEXPR\w*|_ATTRIBUTE\w*|_LIKELY|_UNLIKELY|_FUNC|_DECL|_NOEXCEPT))\b(?=\s{1,20}[A-Za-z_:~\[])"
)
_OF_MEMBERS = re.compile(
    rb"(?P<of_member>(?:[A-Z]+_)?(?:GUARDED_BY|PT_GUARDED_BY|GUARDED_VAR|ACQUIRED_AFTER|ACQUIRED_BEFORE|LOCKS_EXCLUDED"
    rb"|EXCLUSIVE_LOCKS?_\w+|SHARED_LOCKS?_\w+|EXCLUSIVE_TRYLOCK_FUNCTION|SHARED_TRYLOCK_FUNCTION|UNLOCK_FUNCTION"
    rb"|ASSERT_EXCLUSIVE_LOCK|ASSERT_SHARED_LOCK|LOCK_RETURNED|REQUIRES_SHARED|RETURN_CAPABILITY|REQUIRES|EXCLUDES)\([^()\n]{0,200}\)"
    rb"|NO_THREAD_SAFETY_ANALYSIS\b)"
)
_MEMBER_WORDS = re.compile(_CAPITAL + rb"[A-Z]\w{5,99}+(?:(?=\()|(?<=NO_THREAD_SAFETY_ANALYSIS))")
# One of these is in whatever `_OF_MEMBERS` finds; most files have none.
_MEMBER_MARKS = (
    *(b"GUARDED_", b"ACQUIRED_", b"LOCKS_EXCLUDED", b"SIVE_LOCK", b"SHARED_LOCK", b"LOCK_FUNCTION", b"LOCK_RETURNED"),
    *(b"REQUIRES", b"EXCLUDES", b"RETURN_CAPABILITY", b"NO_THREAD_SAFETY"),
)
_BEHIND_PARAMETERS = re.compile(
    rb"\)\s{0,20}(?:(?:const|noexcept|override|final)\s{1,20}){0,4}(?P<behind>[A-Z][A-Z0-9_]{3,99})"
    rb"(?=\s{0,20}(?:\{|;|override\b|final\b|=\s{0,20}(?:0|default|delete)\b))"
)
_BEFORE_BODIES = re.compile(
    rb"\)\s{0,20}(?:const\s{1,20})?(?P<before_body>[A-Z][A-Z0-9_]{3,99}\([^()\n]{0,200}\))(?=\s{0,20}\{)"
)
_ALONE = re.compile(
    rb"\n[ \t]{0,40}+(?P<alone>[A-Z][A-Z0-9]{0,99}_[A-Z0-9_]{1,99})[ \t]{0,40}(?=\n[ \t]{0,40}[A-Za-z_])"
)
# A conditional in the middle of a declaration or a list: nothing in it is whole, and no grammar places its directives.
_BROKEN_CONDITIONALS = re.compile(
    rb"\n(?P<if>[ \t]*#[ \t]*if[^\n\\]*)\n(?:[^\n#;{}\\]*\n){1,6}?"
    rb"(?P<else>[ \t]*#[ \t]*(?:else|elif)[^\n\\]*\n(?:[^\n#;{}\\]*\n){1,6}?)?(?P<endif>[ \t]*#[ \t]*endif[^\n]*)$",
    re.MULTILINE,
)
_CONDITIONALS = re.compile(rb"#[ \t]*if")
# A conditional of which each branch opens a block (or closes one): to a grammar that is one block too many.
_LINES_BETWEEN = rb"(?:(?![ \t]*#)[^\n\\]*\n){1,8}?"
_BLOCK_CONDITIONALS = re.compile(
    rb"\n(?P<if>[ \t]*#[ \t]*if[^\n\\]*)\n(?P<first>" + _LINES_BETWEEN + rb")"
    rb"(?P<else>[ \t]*#[ \t]*else[^\n\\]*\n(?P<second>" + _LINES_BETWEEN + rb"))(?P<endif>[ \t]*#[ \t]*endif[^\n]*)$",
    re.MULTILINE,
)
# The text of a macro over several lines: a comment in it makes the grammar take the rest for code.
_LONG_MACROS = re.compile(rb"\n[ \t]*#[ \t]*define\b(?:[^\n]*\\\r?\n){1,400}")
_COMMENTS = re.compile(rb"/\*[^\n]*?\*/")
_GIVEN = rb"\((?:[^()]{1,400}+|\((?:[^()]{1,400}+|\([^()]{0,400}+\)){0,20}+\)){0,20}+\)"  # arguments, bounded
# What cannot stand behind the name of a type: the word before it in capitals is a macro.
_BEFORE_TYPES = re.compile(
    rb"(?P<before_type>"
    + _CAPITAL
    + rb"[A-Z0-9_]{2,99}+(?:\([^()\n]{0,80}\))?+)(?=\s{1,20}(?:static|inline|virtual|explicit"
    rb"|constexpr|auto|void|int|bool|char|double|float|long|short|unsigned|template|friend|typename|class|struct|enum"
    rb"|extern|typedef)\s)"
)
# `API(int) f(…)`: a macro around the result of a function.
_AROUND_RESULTS = re.compile(
    rb"\n(?:(?:static|extern|inline)\s{1,20}){0,2}(?P<opening>[A-Z][A-Z0-9_]{2,99}\()\s{0,20}"
    rb"(?:(?:const|struct|unsigned|enum)\s{1,20}){0,3}[A-Za-z_]\w{0,99}(?:\s{0,5}\*|\s{1,5}const\b){0,4}\s{0,5}"
    rb"(?P<closing>\))(?=\s{1,20}[*\s]{0,9}[A-Za-z_]\w{0,99}\s{0,20}\()"
)
# `API std::string f(…)`, `bool API A::f(…)`: three words before a bracket; the one in capitals is a macro.
_NO_TYPE = (
    rb"(?!(?:case|class|co_return|co_yield|const|constexpr|delete|else|enum|explicit|extern|friend|goto|inline|new|operator"
    rb"|return|signed|static|struct|throw|typedef|typename|union|unsigned|using|virtual|volatile)\b)"
)
_TYPE = _NO_TYPE + rb"[A-Za-z_][\w:]{0,99}(?:<[^<>;{}()\n]{0,99}>)?"
_THIRD_WORD = re.compile(
    rb"\n[ \t]{0,40}(?:template[ \t]{0,9}<[^{};()\n]{0,200}>[ \t]{1,9})?"
    rb"(?:(?:static|inline|virtual|extern)[ \t]{1,9}){0,3}"
    rb"(?:(?P<first>[A-Z][A-Z0-9_]{3,99})[ \t]{1,9}" + _TYPE + rb"(?:[ \t*&]{1,9}(?P<also>[A-Z][A-Z0-9_]{3,99}))?"
    rb"|"
    + _TYPE
    + rb"[ \t*&]{1,9}(?P<second>[A-Z][A-Z0-9_]{3,99}))[ \t*&]{1,9}(?!operator\b)[A-Za-z_][\w:~]{0,99}[ \t]{0,9}\("
)
# Attributes with numbers, in whatever letters: `void printflike(1, 2) f(…)`, `int f(const char *, ...) PRINTF(1, 2);`,
# and words of a compiler before a result: `__dead void f(void);`.
_NUMBERED = re.compile(rb"(?P<numbered>\(\s?\d{1,2}\s?,\s?\d{1,2}\s?\))(?=\s{1,20}\*{0,3}[A-Za-z_]\w{0,99}\s?\()")
_BEHIND_REST = re.compile(rb"\.\.\.\s?\)\s{0,20}(?P<behind_rest>[A-Za-z_]\w{3,99}\([^()\n]{0,80}\))(?=\s{0,20};)")
_LEADING = re.compile(
    rb"\n(?P<leading>__(?!inline|extension)[a-z]\w{1,40})(?=\s{1,20}(?:static|void|int|char|struct|unsigned)\s)"
)
# `T x = INIT(KIND, { 1, 2 });`: a list among the arguments of a macro may make all of a file unreadable.
_GIVEN_LISTS = re.compile(
    rb"[=,(]\s{0,80}+[A-Z][A-Z0-9_]{2,99}\([^(){};]{0,200}(?P<open>\{)[^(){};]{0,999}(?P<close>\})"
)
_TEMPLATE_PARAMETER = re.compile(rb"[<,]\s{0,80}+(?P<parameter>[A-Z][A-Z0-9_]{2,99}" + _GIVEN + rb")(?=\s{0,80}[,>])")
_LOOKED_FOR = re.compile(rb"(?:has_include|HAS_INCLUDE)\w{0,40}(?P<header>\([^()\n]{0,200}\))")
# A macro that is a line of its own, with or without arguments, and one before a block.
_LINES = re.compile(
    rb"\n(?P<line>[ \t]{0,40}+(?P<name>[A-Z][A-Z0-9_]{2,99})(?:[ \t]?(?P<given>" + _GIVEN + rb"))?[ \t]{0,40})"
    rb"(?=//|/\*|\r?\n|\Z)"
)
_BLOCKS = re.compile(rb"(?P<block>[A-Z][A-Z0-9]{0,99}_[A-Z0-9_]{1,99})(?=[ \t]{0,9}\{)")
_WORD_BEFORE = re.compile(rb"\w*\Z")
_NO_CODE = (b"#", b"//", b"*")  # lines that begin so are directives and comments
_CLASS_KEYWORDS = (b"class", b"struct", b"union", b"enum")
_BEGINNINGS = (b"\n", b";", b"{", b"}")  # what a statement stands behind
_MAX_TABS = 41  # bytes between a statement and what it stands behind
_MAX_INDENT = 200  # bytes before a macro in which its line is looked for
_MAX_PARAMETERS = 800  # bytes from `template` to a parameter of it
_AS_SPACES = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))
_NO_WORD = re.compile(rb"(?:\"[^\"\n]{0,200}+\"|[\d\s,]){0,99}+")  # arguments that name nothing


def _prepared(source: bytes) -> bytes:
    """The source behind one line end, with conditionals and long macros that a grammar can place."""
    source = b"\n" + source
    if b"#" not in source:
        return source
    conditionals = _line_ends_before(_CONDITIONALS, source)
    source = _replaced(_BROKEN_CONDITIONALS, _first_branch, source, conditionals)
    source = _replaced(_BLOCK_CONDITIONALS, _first_block, source, conditionals)
    return _LONG_MACROS.sub(_without_comments, source) if b"\\\n" in source else source


def _line_ends_before(directive: re.Pattern[bytes], source: bytes) -> list[int]:
    """Where the lines begin that consist of such a directive: each with the end of the line before it."""
    ends = ((source.rfind(b"\n", 0, match.start()), match.start()) for match in directive.finditer(source))
    return [end for end, start in ends if not source[end:start].strip(b"\n\t ")]


def _replaced(
    pattern: re.Pattern[bytes], replace: Callable[[re.Match[bytes]], bytes], source: bytes, places: list[int]
) -> bytes:
    """What `sub` makes of a source where a match can begin at these places only."""
    parts: list[bytes] = []
    done = 0
    for place in places:
        match = pattern.match(source, place) if place >= done else None
        if match is not None:
            parts += [source[done:place], replace(match)]
            done = match.end()
    return b"".join([*parts, source[done:]]) if parts else source


def _without_comments(macro: re.Match[bytes]) -> bytes:
    return _COMMENTS.sub(lambda comment: b" " * len(comment[0]), macro[0]) if b"/*" in macro[0] else macro[0]


def _first_branch(conditional: re.Match[bytes]) -> bytes:
    """A conditional without its directives and its second branch, on as many lines."""
    text = conditional[0]
    for group in ("if", "else", "endif"):
        start, end = (place - conditional.start() for place in conditional.span(group))
        if start >= 0:
            text = text[:start] + _spaces(text[start:end]) + text[end:]
    return text


def _first_block(conditional: re.Match[bytes]) -> bytes:
    """The first branch of a conditional whose branches both leave a block open, or close one."""
    first, second = (conditional[group].count(b"{") - conditional[group].count(b"}") for group in ("first", "second"))
    return _first_branch(conditional) if first == second != 0 else conditional[0]


def cpp_without_macros(source: bytes) -> bytes:
    """C++ with spaces where a preprocessor would leave nothing; its directives stay where they can be placed."""
    source = _prepared(source)
    text = bytearray(source)
    words = [(word.start(), word["opens"]) for word in _WORDS.finditer(source.translate(_KINDS))]
    _blank(text, source, _macros(source, words))
    if any(mark in source for mark in _MEMBER_MARKS):
        _blank(text, source, (_OF_MEMBERS.match(source, word.start()) for word in _MEMBER_WORDS.finditer(source)))
    _blank(text, source, _BEHIND_PARAMETERS.finditer(source))
    _blank(text, source, _BEFORE_BODIES.finditer(source))
    _blank(text, source, _AROUND_RESULTS.finditer(source))
    _end_lines(text, source, [start for start, opens in words if opens == b"{"])
    if b"emplate" in source:
        for match in _TEMPLATE_PARAMETER.finditer(source):
            before = source[max(match.start() - _MAX_PARAMETERS, 0) : match.start() + 1].rpartition(b"template")
            if before[1] and not any(mark in before[2] for mark in (b";", b"{", b"}")):
                start, end = match.span("parameter")
                text[start:end] = b"int" + _spaces(source[start + 3 : end])
    for match in _LOOKED_FOR.finditer(source) if b"has_include" in source or b"HAS_INCLUDE" in source else ():
        start, end = match.span("header")
        text[start:end] = b" " * (end - start)
    return bytes(text[1:])


def c_without_macros(source: bytes) -> bytes:
    """C without macros that stand for attributes."""
    source = _prepared(source)
    text = bytearray(source)
    _blank(text, source, _BEFORE_TYPES.finditer(source))
    _blank(text, source, _AROUND_RESULTS.finditer(source))
    _blank(text, source, _NUMBERED.finditer(source))
    _blank(text, source, _BEHIND_REST.finditer(source))
    _blank(text, source, _LEADING.finditer(source))
    _blank(text, source, _GIVEN_LISTS.finditer(source))
    return bytes(text[1:])


def _macros(source: bytes, words: list[tuple[int, bytes | None]]) -> Iterator[re.Match[bytes] | None]:
    """What is to be taken out where these words in capitals stand."""
    line = -1
    for start, opens in words:
        before = source[max(start - _MAX_INDENT, 0) : start]
        line_end = before.rfind(b"\n")
        indent = before[line_end + 1 :].lstrip()
        if line_end >= 0 and indent.startswith(_NO_CODE):
            continue
        word_before = before.rstrip()
        if opens is not None:
            yield _behind_class(source, start, word_before)
        yield _BEFORE_TYPES.match(source, start) or _OF_FUNCTIONS.match(source, start)
        for keyword in _CLASS_KEYWORDS:
            if word_before.endswith(keyword):
                yield _OF_CLASSES.match(source, start - len(before) + len(word_before) - len(keyword))
        line, last_line = source.rfind(b"\n", 0, start), line
        if not indent:
            yield _ALONE.match(source, line)
        if line != last_line:
            yield _THIRD_WORD.match(source, line)


def _behind_class(source: bytes, start: int, before: bytes) -> re.Match[bytes] | None:
    """`class A FINAL {`, told from the end of what stands before the third word."""
    parts = before.rsplit(None, 2)
    keyword = next((k for k in (b"class", b"struct") if len(parts) > 1 and parts[-2].endswith(k)), None)
    if keyword is None:
        return None
    return _BEHIND_CLASSES.match(source, source.rfind(keyword, 0, source.rfind(parts[-1], 0, start)))


def _blank(text: bytearray, source: bytes, matches: Iterable[re.Match[bytes] | None]) -> None:
    """Put spaces where groups of a pattern are, unless their line is a directive or a comment."""
    for match in matches:
        if match is None:
            continue
        for group in range(1, match.re.groups + 1):
            start, end = match.span(group)
            if start < 0:
                continue
            if match.re is _NUMBERED:  # found by its numbers, which are rarer than words before a bracket
                start -= len(_WORD_BEFORE.search(source[max(start - _MAX_INDENT, 0) : start])[0])  # type: ignore[index]
            line = source.rfind(b"\n", max(start - _MAX_INDENT, 0), start) + 1  # 0: a line so long is no directive
            if not line or not source[line:start].lstrip().startswith(_NO_CODE):
                text[start:end] = _spaces(source[start:end])


def _spaces(text: bytes) -> bytes:
    """As many spaces, on as many lines."""
    return text.translate(_AS_SPACES)


def _end_lines(text: bytearray, source: bytes, before_blocks: list[int]) -> None:
    """End the statements that only a macro makes whole, and take out the macros that are no statement."""
    for match in _LINES.finditer(source):
        start, end = match.span("line")
        given, behind = match["given"], source[end : end + 400].lstrip()
        before = bytes(text[max(start - _MAX_INDENT, 0) : start]).rstrip()
        last_line = before[before.rfind(b"\n") + 1 :].lstrip()
        if b"//" in last_line and not last_line.startswith(b"//"):
            before = before[: before.rfind(b"//")].rstrip()
        fresh = not before or before[-1:] in b";{}:)" or last_line.startswith((b"#", b"//")) or before.endswith(b"*/")
        if not fresh or before.endswith((b"::", b"\\")):
            continue
        if given is None:
            open_list = before[-1:] in b"{:)" and behind[:1] == b"}"  # the one value of a list
            if b"_" in match["name"] and not open_list and _begins(behind, b"}#/~["):
                start += text[start] == ord(";")  # which ends the line before
                text[start:end] = b" " * (end - start)
        elif _begins(behind, b"}#/~"):
            place = end if source[end : end + 1] in (b" ", b"\t", b"\r") else end + 1
            if _NO_WORD.fullmatch(given[1:-1]) is None and source[place : place + 1] in (b" ", b"\t", b"\r"):
                text[place] = ord(";")
            else:
                start += text[start] == ord(";")
                text[start:end] = _spaces(source[start:end])
    for place in before_blocks:
        block = _BLOCKS.match(source, place)
        if block is None or source[max(place - _MAX_TABS, 0) : place].rstrip(b"\t ")[-1:] not in _BEGINNINGS:
            continue
        if source[max(place - _MAX_INDENT, 0) : place].rstrip()[-1:] in b";{})":
            text[place : block.end()] = b" " * (block.end() - place)


def _begins(behind: bytes, marks: bytes) -> bool:
    """Does a declaration, a statement, or one of these marks come next, or nothing at all?"""
    return not behind or behind[0] in marks or behind[:1].isalpha() or behind[:1] == b"_"
