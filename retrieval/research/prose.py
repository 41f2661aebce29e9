"""What a question says in prose: where a chain begins and ends, names of code, and words that only ask.

Nothing here touches the index, and any string is legal.
"""

from __future__ import annotations

import re

from sightline.retrieval.research.question import MAX_PHRASED_CHARS

_BETWEEN = (
    re.compile(
        r"\bfrom (?P<a>.+?)(?:,| on| on,)? (?:up |down |through |all the way )?(?:to|until|till|into) (?P<b>.+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bhow (?:does|do|is|are|can|did|would) (?P<a>.+?) (?:actually |eventually |finally )?"
        r"(?:end(?:s|ed)? up|comes?|gets?|leads?|reach(?:es)?|becomes?|turns?|turned|arrives?|results?|"
        r"makes? (?:it|its way)|propagates?|flows?|travels?|passed|translated|converted|carried|handed|delivered|"
        r"transformed|wired)\b(?: (?:in|to|at|into|as|on|onto|through|over|being|down|up))* (?P<b>.+)$",
        re.IGNORECASE,
    ),
    re.compile(r"\bbetween (?P<a>.+?) and (?P<b>.+)$", re.IGNORECASE),
)
_CODE_NAME = r"[`'\"]?(?P<a>[@$]?[A-Za-z_][\w$]*(?:(?:\.|::|#|->|\\)[A-Za-z_]\w*)*[!?]?)(?:\([^)]*\))?[`'\"]?"
_BEGINS = (
    re.compile(
        r"\b(?:(?:starting|beginning)(?: (?:at|from|with|in))?|from) (?:the )?(?:(?:top-level|public|static|global|"
        r"exported|async|private|internal) )*(?:(?:function|method|call of) )?"
        rf"{_CODE_NAME}"
        r"(?: (?:in|of) (?:(?:package|module|class|the) )*[\w./-]+)?(?: on(?:wards?)?)?"
        r"(?=[,:;?]|$| (?:on|down|up|through|to|until|till|into)\b)",
        re.IGNORECASE,
    ),
    re.compile(r"^how (?:does|do|is|are) (?:the )?(?:(?:function|method) )?`(?P<a>[^`\s]+)`", re.IGNORECASE),
    re.compile(
        r"\b(?:when|after|once|if|as soon as) (?:(?:the|a) )?(?:(?:function|method|user calls|one calls) )?"
        rf"{_CODE_NAME} (?:is|gets|was|has been|runs|starts|executes|returns)\b",
        re.IGNORECASE,
    ),
)
_AFTERWARDS = re.compile(
    r"(?:\s*[:;?(–]|,\s+(?=(?:which|what|in|with|name|list|show|give|step|function|method|and)\b)).*$"
)
_ORDER = re.compile(
    r"^what happens\b|\b(?:chain|in (?:the right |that |which )?order|sequence|step by step|steps|call path|call flow|"
    r"flow|leads? to|ends? up)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"`(?P<quoted>[^`]+)`|(?P<bare>(?<![\w/.'\"-])[@$]?[A-Za-z_][\w$]*(?:(?:\.|::|#|->)[A-Za-z_]\w*)*)(?P<called>\()?"
)
_CODE = re.compile(r"_\w|[a-z0-9][A-Z]|::|\w[.#]\w|->")
_CALLED = re.compile(r"\(.*\)$")
_NAME = re.compile(r"[\w$.:#>\\-]+[!?]?")
# What kind of answer is wanted, not what it is about.
_ASKING = re.compile(
    r"\b(?:(?:the )?(?:whole |full |complete )?(?:call )?(?:chain|sequence|series|list|order) of (?:the )?"
    r"(?:functions?|methods?|calls?|steps?)|(?:functions?|methods?|steps?|calls?) in order|"
    r"in (?:the right |that )?order|step by step|"
    r"(?:the )?(?:functions?|methods?|code|steps?) (?:that|which)(?: are)?(?: involved)?|which (?:functions?|methods?)|"
    r"(?:with|give|show|name|list)? ?(?:the )?(?:file:line|file and line|line numbers?)"
    r"(?: of (?:each|every|all)(?: \w+)?)?|call chain|from the moment(?: that)?)\b",
    re.IGNORECASE,
)
# Spellings of British English, with what code says instead.
_OUR = re.compile(r"\b(?P<head>(?:re|un|de|mis)?(?:col|behavi|neighb|fav|hon|flav|harb))our", re.IGNORECASE)
_ISE = re.compile(
    r"\b(?P<head>(?:re|un|de)?(?:initial|serial|normal|optim|organ|real|recogn|custom|synchron|author|categor|token|util|"
    r"minim|maxim|summar|visual|final|sanit|local|general|special|parallel|capital|memo|random|material|virtual))is"
    r"(?=e|ing|ation|er|or)",
    re.IGNORECASE,
)
_HYPHENED = re.compile(r"\b(\w{2,4})-(\w{3,})\b")


def ends(text: str) -> tuple[str, str] | None:
    """What a chain begins and ends with, as the question says it: ("a changed file", "the re-run of the tests")."""
    asked = " ".join(text[:MAX_PHRASED_CHARS].split()).rstrip(" ?!.;")
    for pattern in _BETWEEN:
        match = pattern.search(asked)
        if match is not None:
            last = _AFTERWARDS.sub("", match["b"]).strip()
            if last:
                return match["a"].strip(" ,"), last
    return None


def begins(text: str) -> list[str]:
    """What may be the name of the function that a chain begins with: "in order from `run`", "when `run` is called"."""
    asked = " ".join(text[:MAX_PHRASED_CHARS].split()).rstrip(" ?!.;")
    return [match["a"] for pattern in _BEGINS for match in pattern.finditer(asked)]


def outside_names(text: str) -> list[str]:
    """Words that may name a function of another library: those written as nobody writes a word, and the last."""
    words = re.findall(r"[A-Za-z_]\w{3,}", text)
    return list(dict.fromkeys([*words[-1:], *(word for word in words if _CODE.search(word))]))


def asks_order(text: str) -> bool:
    """Does a question want to know what comes after what?"""
    return _ORDER.search(text) is not None or ends(text) is not None


def named_in(text: str) -> list[str]:
    """Names of code that stand in prose: quoted, called, or written as nobody writes a word."""
    found: dict[str, None] = {}
    for match in _NAMED.finditer(text[: MAX_PHRASED_CHARS * 2]):
        name = _CALLED.sub("", match["quoted"] or match["bare"]).strip(" @$.,:")
        code = match["quoted"] or match["called"] or _CODE.search(match["bare"])
        if code and _NAME.fullmatch(name):
            found.setdefault(name)
    return list(found)


def about(question: str) -> str:
    """The question without the words that only say what kind of answer is wanted, its words spelt as in code; `re-run`
    is `rerun`, too."""
    rest = _ASKING.sub(" ", question)
    rest = _HYPHENED.sub(lambda match: f"{match[0]} {match[1]}{match[2]}", rest)
    rest = _ISE.sub(r"\g<head>iz", _OUR.sub(r"\g<head>or", rest))
    rest = " ".join(rest.split()).strip(" ,:;")
    return rest if len(rest.split()) > 1 else question
