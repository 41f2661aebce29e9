"""The symbol table of a root, which remembers who looked what up.

Everything that resolving one file reads from another goes through a key here. A file's facts give each of its keys a
fingerprint; when an update changes the fingerprint under a key, exactly the files that read the key are resolved again.
That a look-up found nothing is remembered like any other answer, so a new definition reaches those who missed it.

Keys: ("n", space, owner, name) a name at top level or of a class · ("d", space, qualified name) a definition's
signature and what its result depends on · ("f", path) whether a file is there · ("p", space) the files of a namespace ·
("g", family, name) all definitions of a name · ("s", family, stem) all files of a name · ("*", path) star imports, and
includes · ("w", name) the manifests of a package · ("l", space, qualified name) the names of a class's methods ·
("e", name) the extensions of types of that name · ("c", space, qualified name) whether a name is crowded ·
("t", family, name) the files with a name at top level, in languages whose star imports bring nothing else · ("i", path)
which files a file of C includes, and what these include: thousands of keys behind one, which changes when one of them
does (`Resolver`), since a driver of Linux sees 1,500 headers.
Where a namespace has several files, ("n", path, …) and ("d", path, …) are what one of them says.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from sightline.graph.build.decoded import Decoded
from sightline.graph.build.keys import Key, at_top_level, counts_everywhere, given_keys, key_hash, last_part
from sightline.graph.build.lookups import Givers, Words
from sightline.graph.build.spool import Spool
from sightline.graph.build.tested import is_test_file
from sightline.languages import family_of, rules_of
from sightline.languages.facts import (
    BLOCK_SCOPE,
    EXTENSION,
    FUNCTION_SCOPE,
    TYPE_SCOPE,
    Binding,
    Definition,
    FileFacts,
    Target,
    structure_hashes,
)
from sightline.languages.paths import stem_of
from sightline.languages.rows import Registration, Star

T = TypeVar("T")

_LOOKED = 200_000  # keys that are kept with what was found there, about 250 bytes each
_MANY_READS = 16  # of an answer that is kept
# A type that more files of one namespace define is not one type but many programs side by side; and a name that more
# files define was never decided by the name alone (tokio, django: 0 of 2,000 such calls).
_CROWD = 32


class Table:
    """All facts by key, with the reads of the file that is being resolved."""

    def __init__(self, room: int, folder: Path | None = None) -> None:
        """In `folder` is a file of facts as long as the table is used; without one they stay in memory."""
        self._spool = Spool(folder)
        self.files = Decoded(room, self._spool)
        # Reads of the evaluation in progress, innermost last. Of the keys by number: sets of small numbers are faster.
        self.frames: list[set[int]] = [set()]
        self._hashes = array("Q")  # by number
        self._groups: dict[
            int, tuple[Words, tuple[int, ...]]
        ] = {}  # numbers that stand for many: hashes, further groups
        self._givers = Givers()
        self._expected: dict[str, dict[Key, int]] = {}  # files that are about to be replaced, with what they give
        self._given: dict[str, bytes] = {}  # the keys of added files, until they are asked for
        self._looked: dict[Key, tuple[int, Sequence[str]]] = {}  # keys with number and files, until a file changes
        self._remembered: dict[
            Key, tuple[Any, Collection[int]]
        ] = {}  # answers with what they read, until a file changes
        self._defined: dict[tuple[str, str], list[Target]] = {}  # the same for definitions
        self._settled: dict[str, tuple[Any, Words]] = {}  # answers about a file, until what they read changes

    @classmethod
    def of(cls, spool: Spool, givers: Givers, room: int) -> Table:
        """A table that another one shares; nothing is ever put into it."""
        table = cls(room)
        table._spool, table._givers, table.files = spool, givers, Decoded(room, spool)
        return table

    def shared(self) -> tuple[Spool, Givers]:
        """All that looking things up needs."""
        return self._spool, self._givers

    def load(self, files: Iterable[tuple[str, bytes]], given: Iterable[tuple[str, bytes]]) -> None:
        """Take files as the store keeps them, with the keys that each of them gives."""
        self.files.take(files)
        for path, keys in given:
            self._givers.add(path, keys)

    def add(self, path: str, data: bytes, gives: bytes = b"") -> None:
        """Take a new file while nobody has read anything, so that nobody needs to learn of it. What it `gives` is
        worked out here where nobody has done so."""
        self.files.put(path, data)
        self._given[path] = keys = gives or given_keys(self.files[path])
        self._givers.add(path, keys)

    def expect(self, path: str) -> None:
        """Work out what a file that is about to be replaced gives now."""
        self._expected[path] = _fingerprints(self.files[path])

    def replace(self, path: str, data: bytes | None) -> set[int]:
        """Put a file's facts in place of what was there; returns the keys whose value changed."""
        self.forget()
        old = self._expected.pop(path, None)
        if old is None:
            known = self.files.get(path)
            old = _fingerprints(known) if known is not None else {}
        self.files.put(path, data)
        facts = self.files.get(path)
        new = _fingerprints(facts) if facts is not None else {}
        changed = {key for key in {*old, *new} if old.get(key) != new.get(key)}
        self._givers.change(
            path, [key_hash(key) for key in old if key not in new], [key_hash(key) for key in new if key not in old]
        )
        crowds = self._crowds(path, old.keys() ^ new.keys())
        return {key_hash(key) for key in (*changed, *_own_keys(path, changed), *crowds)}

    def given(self, path: str) -> bytes:
        """The keys that a file gives, as they are stored."""
        known = self._given.pop(path, None)
        return given_keys(self.files[path]) if known is None else known

    def forget(self) -> None:
        """Drop answers, and with them what they read: a file is about to change."""
        self._looked.clear()
        self._remembered.clear()
        self._defined.clear()
        self._hashes = array("Q")
        self._groups.clear()

    def make_room(self) -> None:
        """Let go of what can be had again, where there is too much of it. Not while a file is being resolved."""
        if len(self._looked) > _LOOKED:
            self._looked.clear()
            self._remembered.clear()
        if self.files.is_full():
            self._defined.clear()
            self.files.make_room()

    def _crowds(self, path: str, moved: Iterable[Key]) -> list[Key]:
        """The names of shared namespaces that have just become crowded, or are so no more."""
        edge = (_CROWD, _CROWD + 1)  # as many files as there are when one has just left a crowd, or completed it
        shared = (key for key in moved if key[0] == "d" and key[1] != path)
        return [("c", *key[1:]) for key in shared if len(self._givers.of(key_hash(key))) in edge]

    def read(self, *key: str) -> Sequence[str]:
        """The files that contribute to a key, sorted by path; the read is remembered."""
        found = self._looked.get(key)
        if found is None:
            found = self._look(key)
        self.frames[-1].add(found[0])
        return found[1]

    def _look(self, key: Key) -> tuple[int, Sequence[str]]:
        hashed = key_hash(key)
        files = self._givers.of(hashed) if key[0] != "c" else self._crowd(key)
        found = self._looked[key] = (len(self._hashes), files)
        self._hashes.append(hashed)
        return found

    def _crowd(self, key: Key) -> Sequence[str]:
        """The files that define a crowded name, of which there may be thousands; none where it is not crowded."""
        files = self._givers.of(key_hash(("d", *key[1:])))
        return files if len(files) > _CROWD else ()

    def hashed(self, reads: Collection[int]) -> Words:
        """The hashes of the keys that were read; some may come twice."""
        single, groups = self._split(reads)
        parts = [np.frombuffer(self._hashes, np.uint64)[single] if single else np.empty(0, np.uint64)]
        seen = set(groups)
        while groups:
            words, inner = self._groups[groups.pop()]
            parts.append(words)
            for number in inner:
                if number not in seen:
                    seen.add(number)
                    groups.append(number)
        return np.concatenate(parts)

    def grouped(self, reads: set[int]) -> Collection[int]:
        """Many reads as one number that stands for all of them: noting and keeping them costs no more than a few. What
        is inside of a group is kept once, however many others contain it."""
        if len(reads) <= _MANY_READS:
            return tuple(reads)
        single, groups = self._split(reads)
        words = np.frombuffer(self._hashes, np.uint64)[single] if single else np.empty(0, np.uint64)
        number = len(self._hashes)
        self._hashes.append(0)
        self._groups[number] = (words, tuple(groups))
        return (number,)

    def _split(self, reads: Collection[int]) -> tuple[list[int], list[int]]:
        """Numbers of keys, and numbers of groups."""
        known = self._groups
        return [n for n in reads if n not in known], [n for n in reads if n in known]

    def remember(self, key: Key, answer: Callable[[], T]) -> T:
        """Work an answer out once for all who ask the same; each of them is noted as a reader of what it read."""
        known = self._remembered.get(key)
        if known is None:
            self.frames.append(set())
            try:
                value = answer()
            except BaseException:
                reads = self.frames.pop()
                self.frames[-1].update(reads)  # that nothing is known depends on what was read, too
                raise
            reads = self.frames.pop()
            known = self._remembered[key] = (value, self.grouped(reads))
        self.frames[-1].update(known[1])
        return cast(T, known[0])

    def settle(self, path: str, answer: Callable[[], T]) -> T:
        """Work an answer about a file out once, until `unsettle`: what it reads is noted with the file, not with those
        who ask."""
        known = self._settled.get(path)
        if known is None:
            self.frames.append(set())
            try:
                value = answer()
            except BaseException:
                reads = self.frames.pop()
                self.frames[-1].update(reads)
                raise
            known = self._settled[path] = (value, self.hashed(self.frames.pop()))
        return cast(T, known[0])

    def settled(self, path: str) -> Words:
        """What the settled answer about a file read."""
        return self._settled[path][1]

    def unsettle(self, paths: Iterable[str]) -> None:
        """Have the answers about these files worked out again."""
        for path in paths:
            self._settled.pop(path, None)

    def has_file(self, path: str) -> bool:
        """Is there a file at this path?"""
        return bool(self.read("f", path))

    def notes(self, path: str) -> dict[str, Any]:
        """What a file's notes say; {} when there is no such file."""
        return self.files[path].notes if self.read("f", path) else {}

    def manifests(self, name: str) -> Sequence[str]:
        """The manifests that provide a package."""
        return self.read("w", name)

    def files_with_stem(self, family: str, stem: str) -> Sequence[str]:
        """Files of a family by their name without extension; a package's file goes by its folder's name."""
        return self.read("s", family, stem)

    def files_of_space(self, space: str) -> Sequence[str]:
        """The files that share a namespace."""
        return self.read("p", space)

    def members(
        self, space: str, owner: str, name: str, among: Collection[str] | None = None
    ) -> list[tuple[FileFacts, list[Binding]]]:
        """What a name stands for at the top level of a namespace, or of one file of it (owner ""), or in a class; in
        these files alone where they are given: of a name that a thousand headers define the others are not decoded."""
        result = []
        for path in self.read("n", space, owner, name) or self._alone(space):
            if among is not None and path not in among:
                continue
            facts = self.files[path]
            bindings = facts.members.get((owner, name))
            if bindings:
                result.append((facts, bindings))
        return result

    def _alone(self, space: str) -> Sequence[str]:
        """The file itself, where a file of a namespace of several is asked for as if it was a namespace."""
        facts = self.files.get(space)
        return (space,) if facts is not None and facts.space != space else ()

    def is_crowded(self, space: str, qualified_name: str) -> bool:
        """Do so many files of a namespace define a name that they cannot mean the same thing?"""
        return bool(self.read("c", space, qualified_name))

    def member_names(self, space: str, owner: str) -> list[str]:
        """The names of the methods that a class has in any file of its namespace."""
        found: set[str] = set()
        for path in self.read("l", space, owner):
            found.update(self.files[path].methods_of(owner))
        return sorted(found)

    def definitions(self, space: str, qualified_name: str) -> list[Target]:
        """The definitions of that name, of a namespace or of one file of it."""
        paths = self.read("d", space, qualified_name) or self._alone(space)
        found = self._defined.get((space, qualified_name))
        if found is None:
            found = self._defined[space, qualified_name] = [
                Target(facts, definition)
                for facts in (self.files[path] for path in paths)
                for definition in facts.by_qualified_name.get(qualified_name, ())
            ]
        return found

    def everywhere(self, family: str, name: str) -> list[Target]:
        """All definitions of a simple name in files of a family."""
        return self._named(self.read("g", family, name), name)

    def _named(self, paths: Iterable[str], name: str) -> list[Target]:
        found = (self.files[path] for path in paths)
        return [Target(facts, d) for facts in found for d in facts.by_name[name] if counts_everywhere(d)]

    def guessed(self, family: str, name: str, *, by_test: bool) -> list[Target]:
        """The definitions that a name alone may mean: none of a crowd, which costs as many files and tells nothing.
        What is no test does not mean tests."""
        paths = self.read("g", family, name)
        if not by_test:
            paths = [path for path in paths if not is_test_file(path)]
        return self._named(paths, name) if len(paths) <= _CROWD else []

    def extensions(self, name: str) -> list[Target]:
        """The extensions of types of a simple name; which type each of them means is not decided here."""
        result: list[Target] = []
        for path in self.read("e", name):
            facts = self.files[path]
            result.extend(Target(facts, d) for d in facts.definitions if d.flags & EXTENSION and last_part(d) == name)
        return result

    def kept(self, family: str, field: str) -> list[tuple[FileFacts, Registration]]:
        """Functions that are kept in fields of a name, of whatever type; nothing when they are too many to tell."""
        paths = self.read("r", family, field)
        if len(paths) > _CROWD:
            return []
        return [(facts, r) for facts in map(self.files.__getitem__, paths) for r in facts.registrations
                if r.holder >= 0 and facts.names[r.label] == field]  # fmt: skip

    def files_with_name(self, family: str, name: str) -> Sequence[str]:
        """The files that define a name at their top level, in a language whose star imports bring definitions."""
        return self.read("t", family, name)

    def includes(self, path: str) -> FileFacts | None:
        """A file whose includes are about to be followed."""
        self.read("*", path)
        return self.files.get(path)

    def stars(self, path: str) -> tuple[FileFacts, list[Star]] | None:
        """The star imports of a file."""
        self.read("*", path)
        facts = self.files.get(path)
        return (facts, facts.stars) if facts is not None else None


def includes_key(path: str) -> Key:
    """The key that stands for the files which a file includes, and for what these include."""
    return ("i", path)


def _own_keys(path: str, changed: Iterable[Key]) -> list[Key]:
    """The keys of one file in a namespace of several."""
    return [(key[0], path, *key[2:]) for key in changed if key[0] in "nd" and key[1] != path]


def _fingerprints(facts: FileFacts) -> dict[Key, int]:
    """A fingerprint per key for everything that other files may look up."""
    hashes = structure_hashes(facts)
    family = family_of(facts.language)
    scope_names = [facts.definitions[s.definition].qualified_name if s.definition else "" for s in facts.scopes]
    found: dict[Key, int] = {
        ("f", facts.path): hash((facts.language, facts.space, facts.module, repr(facts.notes))),
        ("p", facts.space): 1,
        ("s", family, stem_of(facts.path, facts.language)): 1,
        ("*", facts.path): hash(
            (
                *((star.scope, hashes[star.module], star.seen_by) for star in facts.stars),
                *(spec for _, spec, _ in (facts.imports if rules_of(facts.language).linked else ())),
            )
        ),
    }
    for name in facts.notes.get("provides", ()):
        found["w", name] = 1
    for name in at_top_level(facts):
        found["t", family, name] = 1
    for (owner, name), bindings in facts.members.items():
        found["n", facts.space, owner, name] = hash(
            tuple((hashes[b.expression], b.flags, scope_names[b.scope], facts.scopes[b.scope].kind) for b in bindings)
        )
    local = _locals_by_definition(facts, hashes)
    by_qualified: dict[str, list[Any]] = {}
    by_name: dict[str, list[Any]] = {}
    extensions: dict[str, list[Any]] = {}
    for definition in facts.definitions:
        signature = _signature(facts, definition, hashes, local.get(definition.index, ()))
        if definition.flags & EXTENSION:
            extensions.setdefault(last_part(definition), []).append((definition.qualified_name, signature))
        by_qualified.setdefault(definition.qualified_name if definition.index else "", []).append(signature)
        if counts_everywhere(definition):
            by_name.setdefault(definition.name, []).append(
                (definition.qualified_name, definition.kind, definition.ordinal)
            )
    for qualified_name, signatures in by_qualified.items():
        found["d", facts.space, qualified_name] = hash(tuple(signatures))
    for owner in {d.owner for d in facts.definitions if d.kind == "method"}:
        found["l", facts.space, owner] = hash(tuple(facts.methods_of(owner)))
    for name, places in by_name.items():
        found["g", family, name] = hash(tuple(places))
    for name, added in extensions.items():
        found["e", name] = hash((facts.space, *added))
    kept: dict[str, list[Any]] = {}
    for registration in facts.registrations:
        if registration.holder >= 0:
            around = facts.scopes[registration.scope].definition
            kept.setdefault(facts.names[registration.label], []).append((
                hashes[registration.holder],
                hashes[registration.value],
                registration.at - (facts.definitions[around].line << 10) if around else 0,
                scope_names[registration.scope],
                tuple(local.get(around, ())) if around else (),
                tuple(spec for _, spec, _ in facts.imports),
            ))  # fmt: skip
    for name, functions in kept.items():
        found["r", family, name] = hash(tuple(functions))
    return found


def _locals_by_definition(facts: FileFacts, hashes: list[int]) -> dict[int, list[Any]]:
    """Names inside functions: seen from outside only where a result is inferred from them."""
    local: dict[int, list[Any]] = {}
    for scope, (parent, kind, definition) in enumerate(facts.scopes):
        if kind in (FUNCTION_SCOPE, BLOCK_SCOPE, TYPE_SCOPE):
            start = facts.definitions[definition].line << 10
            names: Iterable[Any] = (
                (name, *[(hashes[b.expression], b.at - start, b.until and b.until - start, b.flags) for b in bindings])
                for name, bindings in facts.bindings[scope].items()
            )
            first = facts.definitions[definition].scope
            local.setdefault(definition, []).append((scope - first, parent - first, kind, *names))
    return local


def _signature(facts: FileFacts, definition: Definition, hashes: list[int], local: Iterable[Any]) -> Any:
    start = definition.line << 10
    return (
        definition.kind,
        definition.flags,
        definition.owner,
        definition.ordinal,
        tuple((hashes[base.expression], base.role) for base in definition.bases),
        tuple((facts.names[name], hashes[type_] if type_ >= 0 else 0) for name, type_ in definition.parameters),
        hashes[definition.result] if definition.result >= 0 else 0,
        tuple((hashes[returned.expression], returned.at - start) for returned in definition.returns),
        tuple(local) if definition.result < 0 else (),
        tuple(hashes[decorator.expression] for decorator in definition.decorators),
        facts.notes.get("signature", ""),
    )
