"""What was read of a text is kept, and never stands for another text: an edit anywhere shows in the next answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sightline.embed import Embedder
from sightline.frameworks.notes import Notebook
from sightline.retrieval.research.occurrences import Text
from sightline.retrieval.routes import opened
from sightline.retrieval.routes.declared import injections_in, tables_in
from sightline.retrieval.routes.find import Answering, Routes, routes_in
from sightline.server.texts import DiskTexts
from sightline.store import Snapshot
from tests.frameworks.projects import APPLICATIONS
from tests.support.indexes import index_folder, write_files

FILES = {
    "app/main.py": (
        "from fastapi import FastAPI\n\nfrom app.users import router\n\n"
        'app = FastAPI()\napp.include_router(router, prefix="/v1")\n'
    ),
    "app/users.py": (
        "from fastapi import APIRouter\n\nfrom app.names import USERS\n\nrouter = APIRouter(prefix=USERS)\n\n\n"
        '@router.get("/all")\ndef list_users():\n    return []\n'
    ),
    "app/names.py": 'USERS = "/users"\n',
}


class Root:
    """A folder with its index."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.path, self._index, self._embedder = folder / "root", folder / "index", embedder
        self._written = 0
        write_files(self.path, FILES)
        self.snapshot = self.index()

    def index(self) -> Snapshot:
        self.snapshot = index_folder(self.path, self._index, self._embedder)
        return self.snapshot

    def write(self, path: str, text: str) -> None:
        """Write a file so that the clock of the disk tells it, however coarse that is."""
        write_files(self.path, {path: text})
        self._written += 1
        status = (self.path / path).stat()
        os.utime(self.path / path, ns=(status.st_atime_ns, status.st_mtime_ns + self._written * 1_000_000_000))

    def routes(self) -> Routes:
        return routes_in(self.snapshot, DiskTexts(self.path, self.snapshot.files))

    def addresses(self) -> list[str]:
        return [one.route.address for one in self.routes().all]


@pytest.fixture
def root(tmp_path: Path, embedder: Embedder) -> Root:
    return Root(tmp_path, embedder)


class Counting(DiskTexts):
    """Remembers which files were read."""

    def __init__(self, root: Path, snapshot: Snapshot) -> None:
        super().__init__(root, snapshot.files)
        self.read: list[str] = []

    def indexed(self, paths: Sequence[str]) -> Iterator[Text]:
        self.read += paths
        return super().indexed(paths)


def test_an_edited_file_has_its_new_routes_before_it_is_indexed_again(root: Root) -> None:
    assert root.addresses() == ["/v1/users/all"]
    root.write("app/users.py", FILES["app/users.py"].replace("/all", "/every"))
    assert root.addresses() == ["/v1/users/every"]
    assert root.routes().changed == {"app/users.py"}
    root.write("app/users.py", FILES["app/users.py"])
    assert root.addresses() == ["/v1/users/all"]


def test_an_edited_prefix_in_another_file_is_the_new_one(root: Root) -> None:
    assert root.addresses() == ["/v1/users/all"]
    root.write("app/main.py", FILES["app/main.py"].replace("/v1", "/v2"))
    assert root.addresses() == ["/v2/users/all"]


def test_an_edited_constant_of_another_file_is_the_new_one(root: Root) -> None:
    assert root.addresses() == ["/v1/users/all"]
    root.write("app/names.py", 'USERS = "/people"\n')
    assert root.addresses() == ["/v1/people/all"]
    root.index()
    assert root.addresses() == ["/v1/people/all"]
    root.write("app/names.py", FILES["app/names.py"])
    assert root.addresses() == ["/v1/users/all"]


def test_a_file_that_went_takes_its_routes_along(root: Root) -> None:
    assert root.addresses() == ["/v1/users/all"]
    (root.path / "app/users.py").unlink()
    assert root.addresses() == []


def test_a_handler_that_moved_is_found_where_it_is_now(root: Root) -> None:
    assert root.routes().all[0].line == 9
    root.write("app/users.py", FILES["app/users.py"].replace("router = ", "# Users\nrouter = "))
    root.index()
    found = root.routes().all[0]
    assert found.line == 10
    assert found.position is not None
    assert root.snapshot.objects.get([found.position])[0].name == "list_users"
    assert root.snapshot.objects.alive[found.position]


def test_only_what_was_edited_is_read_again_in_the_next_generation(root: Root) -> None:
    first = Counting(root.path, root.snapshot)
    routes_in(root.snapshot, first)
    again = Counting(root.path, root.snapshot)
    routes_in(root.snapshot, again)
    assert again.read == []
    root.write("app/users.py", FILES["app/users.py"] + "\n# the end\n")
    root.index()
    edited = Counting(root.path, root.snapshot)
    assert [one.route.address for one in routes_in(root.snapshot, edited).all] == ["/v1/users/all"]
    assert set(edited.read) == {"app/users.py"}


def test_a_file_that_is_written_while_it_is_read_is_not_taken_for_what_it_was(root: Root) -> None:
    class Moving(DiskTexts):
        def indexed(self, paths: Sequence[str]) -> Iterator[Text]:
            if "app/users.py" in paths:
                root.write("app/users.py", FILES["app/users.py"].replace("/all", "/every"))
            return super().indexed(paths)

    root.write("app/users.py", FILES["app/users.py"] + "# read by nobody yet\n")
    root.index()
    routes_in(root.snapshot, Moving(root.path, root.snapshot.files))
    root.write("app/users.py", FILES["app/users.py"] + "# read by nobody yet\n")
    assert root.addresses() == ["/v1/users/all"]
    root.index()
    assert root.addresses() == ["/v1/users/all"]


@pytest.mark.parametrize("framework", APPLICATIONS)
def test_what_was_kept_gives_the_same_routes_as_reading_anew(
    framework: str, tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = APPLICATIONS[framework][0]
    write_files(tmp_path / "root", files)
    first = index_folder(tmp_path / "root", tmp_path / "index", embedder)
    _told(tmp_path / "root", first)
    for path, text in list(files.items())[::2]:
        if not path.endswith((".json", ".toml")):
            write_files(tmp_path / "root", {path: f"\n{text}" if not text.startswith("<?php") else f"{text}\n"})
    kept = _told(tmp_path / "root", index_folder(tmp_path / "root", tmp_path / "index", embedder))
    monkeypatch.setattr(opened, "_NOTEBOOK", Notebook(100_000_000))
    anew = _told(tmp_path / "root", index_folder(tmp_path / "root", tmp_path / "index", embedder))
    assert kept == anew
    assert kept[0]


def _told(root: Path, snapshot: Snapshot) -> tuple[list[Answering], object, object]:
    texts = DiskTexts(root, snapshot.files)
    found = routes_in(snapshot, texts).all
    return found, tables_in(snapshot, texts).tables, injections_in(snapshot, texts).injections


def test_a_model_whose_base_is_no_model_any_more_has_no_table(root: Root) -> None:
    base = "from django.db import models\n\n\nclass Base(models.Model):\n    pass\n"
    child = "from django.db import models\n\nfrom shop.base import Base\n\n\nclass Item(Base):\n    pass\n"
    write_files(root.path, {"shop/base.py": base, "shop/item.py": child})
    root.index()

    def models() -> list[str]:
        return [one.model for one in tables_in(root.snapshot, DiskTexts(root.path, root.snapshot.files)).tables]

    assert models() == ["Base", "Item"]
    root.write("shop/base.py", base.replace("models.Model", "object"))
    assert models() == []


def test_notes_are_kept_on_the_texts_that_were_used_last() -> None:
    book = Notebook(100)
    for name in ("a", "b"):
        book.of(name, 50).once("key", lambda: True)
    assert book.of("a", 50).has("key")
    book.of("c", 50)
    assert book.of("a", 50).has("key")
    assert not book.of("b", 50).has("key")


def test_a_search_without_an_address_loads_nothing_of_routes() -> None:
    code = (
        "import sys\nimport sightline.retrieval.search\nfrom sightline.retrieval.routes.shown import shown\n"
        "from sightline.types import Query\n"
        "assert shown(None, None, Query('where is the cart emptied')) == []\n"
        "print([name for name in sys.modules if 'frameworks' in name or 'routes.find' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
