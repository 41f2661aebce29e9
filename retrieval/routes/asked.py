"""Questions about routes: "which code answers POST /users?", "which route leads to create_user?", "list all routes"."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

from sightline.frameworks.addresses import VERBS

_VERB = "|".join(VERBS)
_ADDRESS = r"(?P<address>/(?:[^\s?`'\",;)]|\?(?=\S)|,(?=\S)|\)(?=\S))*)"
_WITH_METHOD = re.compile(
    rf"(?<![\w/])(?P<method>{_VERB}|(?i:{_VERB})(?=\s+(?:request|call)?s?\s*(?:to|for|on|at)?\s*[`'\"]?/))\s+(?:(?:requests?|calls?)\s+)?(?:(?:to|for|on|at)\s+)?(?:the\s+)?(?:route|endpoint|url|path|address)?\s*[`'\"]?{_ADDRESS}"
)
_ROUTE = r"(?:routes?|end-?points?|urls?|ur[il]s?|addresses|address|http paths?|api paths?|api calls?|requests?)"
_ANSWER = (
    r"(?:answers?|answering|handles?|handling|handled|serves?|serving|served|responds? to|responding to|implements?|"
    r"implementing|behind|process(?:es)?|processing|runs? (?:for|on|at)|is called (?:for|by|on|when)|answered|"
    r"receives?|happens (?:on|for|when|at)|is behind|matches|listens (?:on|at|to)|maps? to|mapped to)"
)
_WITHOUT = re.compile(
    rf"\b(?:{_ANSWER}|{_ROUTE}|handlers? (?:of|for)|controllers? (?:of|for)|views? (?:of|for))\b"
    rf"(?:\s+\w+){{0,3}}?\s+[`'\"]?{_ADDRESS}",
    re.IGNORECASE,
)
_NAME = r"[`'\"]?(?P<name>[\w$@.:#\\/]*[\w$!?])(?:\(\))?[`'\"]?"
_LEADS = (
    r"(?:leads?|goes|go|comes?|ends?(?: up)?|points?|maps?|is mapped|are mapped|dispatch(?:es)?|routes?|is routed|"
    r"are routed) (?:to|in|into|at)|"
    r"(?:reach(?:es)?|calls?|invokes?|triggers?|runs?|executes?|uses?|hits?)|"
    r"(?:is|are) (?:handled|answered|served|implemented) by|belongs? to|(?:is|are) behind"
)
_KIND = r"(?:(?:the|a|an)\s+)?(?:(?:handler|controller|function|method|view|action|class|symbol|endpoint)\s+)?"
_WHICH = r"(?:which|what|list|show|find|all|every)?\s*(?:me\s+)?(?:are\s+)?(?:all\s+)?(?:the\s+)?(?:http |api |web )?"
_TO = (
    re.compile(rf"^{_WHICH}{_ROUTE}\s+(?:that\s+|which\s+|can\s+|may\s+|ever\s+|eventually\s+)*(?:{_LEADS})\s+"
               rf"{_KIND}{_NAME}$", re.IGNORECASE),
    re.compile(rf"^{_WHICH}{_ROUTE}\s+(?:of|for|to)\s+{_KIND}{_NAME}$", re.IGNORECASE),
    re.compile(rf"^(?:what|which)\s+{_ROUTE}\s+(?:does|do|is|are)\s+{_KIND}{_NAME}\s+(?:answer|handle|serve|"
               r"implement|respond to|mapped to|bound to|registered (?:at|for|under)|"
               r"reached (?:by|at|from|through))$", re.IGNORECASE),
    re.compile(rf"^(?:at|under|by|through|from|on)\s+(?:which|what)\s+{_ROUTE}\s+(?:is|are|can)\s+{_KIND}{_NAME}\s+(?:be\s+)?"
               r"(?:answered|handled|served|reached|called|available|exposed|registered)$", re.IGNORECASE),
)  # fmt: skip
_ALL = re.compile(
    rf"^(?:(?:which|what|list|show|find|give|get|me|are|all|the|every|http|api|web|rest|of|do|does|we|this|app|application|"
    rf"project|server|service|exist|there|is|have|has|expose|exposes|define|defines|offer|offers|serve|serves|in|available|"
    rf"defined|registered|it)\s*)*\b(?:{_ROUTE})\b(?:\s+(?:are|there|exist|defined|do|does|we|have|has|this|the|app|"
    r"application|project|server|service|api|expose|exposed|define|offer|serve|registered|available|of|in|it|repo|"
    r"repository|root))*$",
    re.IGNORECASE,
)
_MODEL = r"(?:model|class|entity|object|struct|type|code|record)"
_DECLARED: tuple[tuple[Literal["tables", "table", "injected", "injections"], tuple[re.Pattern[str], ...]], ...] = (
    (
        "tables",
        (
            re.compile(
                r"^(?:which|what|list|show|find)?\s*(?:me\s+)?(?:are\s+)?(?:all\s+)?(?:the\s+)?"
                r"(?:(?:orm|database|db)\s+)?(?:tables?(?: and(?: their)? (?:models|entities))?|"
                r"(?:orm |database )?(?:models|entities)(?: and(?: their)? tables)?)"
                r"(?: (?:are there|exist|are defined|do we have|are mapped))?$",
                re.IGNORECASE,
            ),
        ),
    ),
    (
        "table",
        (
            re.compile(
                rf"^(?:which|what)\s+{_MODEL}\s+(?:maps to|is mapped to|is|stands for|represents|belongs to|uses|"
                rf"is behind|reads|writes|is stored in)\s+(?:the\s+)?(?:(?:database|db)\s+)?table\s+{_NAME}$",
                re.IGNORECASE,
            ),
            re.compile(rf"^(?:which|what)\s+{_MODEL}\s+\w+(?: \w+)?\s+(?:the\s+)?{_NAME}\s+table$", re.IGNORECASE),
            re.compile(
                rf"^(?:(?:in|to)\s+)?(?:which|what)\s+(?:database |db )?table\s+(?:does|is|do)\s+(?:the\s+)?"
                rf"(?:{_MODEL}\s+)?{_NAME}\s+(?:map to|mapped to|stored in|stored|use|kept in|saved in|stand for|"
                r"belong to|represent|live in)$",
                re.IGNORECASE,
            ),
            re.compile(
                rf"^(?:the\s+)?(?:model|entity)\s+(?:of|for|behind)\s+(?:the\s+)?table\s+{_NAME}$", re.IGNORECASE
            ),
            re.compile(
                rf"^(?:the\s+)?table\s+(?:of|for|behind)\s+(?:the\s+)?(?:model |entity )?{_NAME}$", re.IGNORECASE
            ),
        ),
    ),
    (
        "injected",
        (
            re.compile(
                rf"^(?:what|which(?: \w+)?)\s+(?:is|gets|are|will be)\s+(?:injected|provided|bound|registered|given)\s+"
                rf"(?:for|as|to|where|in place of)\s+{_KIND}{_NAME}(?: is (?:asked for|needed|requested))?$",
                re.IGNORECASE,
            ),
            re.compile(
                rf"^(?:which|what)\s+(?:implementation|provider|bean|service|class)\s+(?:of|for)\s+{_KIND}{_NAME}\s+"
                r"(?:is|gets)\s+(?:injected|used|provided|registered|bound)$",
                re.IGNORECASE,
            ),
            re.compile(
                rf"^(?:where|how)\s+(?:is|are|does|gets)\s+{_KIND}{_NAME}\s+(?:get\s+)?(?:injected|provided|"
                r"registered (?:for|in) (?:injection|dependency injection|the container))$",
                re.IGNORECASE,
            ),
        ),
    ),
    (
        "injections",
        (
            re.compile(
                r"^(?:which|what|list|show|find)?\s*(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:dependency[ -]injections?|"
                r"injections|injected (?:services|classes|dependencies)|di registrations|"
                r"(?:registered |injected )(?:services|beans|providers))(?: (?:are there|exist|do we have))?$",
                re.IGNORECASE,
            ),
        ),
    ),
)
MAX_CHARS = 400  # of a question; what follows is a report
_TAIL = " \t\n?!.;:"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about routes."""

    kind: Literal["answers", "leads", "all", "tables", "table", "injected", "injections"]
    method: str = ""
    address: str = ""
    name: str = ""


def asked(question: str, files: Container[str] = ()) -> Asked | None:
    """What a question asks about routes; None where it asks something else. `files`: what is a path of the root is no
    address."""
    text = _text(question)
    found = _address(text, files)
    if found is not None:
        return found
    for pattern in _TO:
        match = pattern.match(text)
        if match is not None and not match["name"].startswith("/"):
            return Asked("leads", name=match["name"])
    for kind, patterns in _DECLARED:
        for pattern in patterns:
            match = pattern.match(text)
            if match is not None:
                return Asked(kind, name=match.groupdict().get("name") or "")
    words = text.split()
    if 2 <= len(words) <= 14 and _ALL.match(text) and not re.search(r"\bfrom\b|\bbetween\b", text):
        return Asked("all")
    return None


def address(question: str, files: Container[str] = ()) -> Asked | None:
    """The address whose answer is asked for; None where the question names none."""
    return _address(_text(question), files)


def _text(question: str) -> str:
    return " ".join(question[:MAX_CHARS].split()).strip(_TAIL)


def _address(text: str, files: Container[str]) -> Asked | None:
    found = _WITH_METHOD.search(text)
    if found is not None:
        return Asked("answers", found["method"].upper(), _trimmed(found["address"]))
    found = _WITHOUT.search(text)
    if found is not None and not _is_file(found["address"], files):
        return Asked("answers", "", _trimmed(found["address"]))
    return None


def _trimmed(address: str) -> str:
    return address.rstrip(".,:!") or "/"


def _is_file(address: str, files: Container[str]) -> bool:
    bare = address.strip("/")
    return (
        bare in files
        or re.search(r"\.(?:py|[jt]sx?|go|java|kt|cs|rb|php|rs|c|h|cpp|md|toml|json|ya?ml)$", bare) is not None
    )
