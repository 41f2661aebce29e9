"""An object store for real: a server that speaks S3 on loopback."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline import __version__
from sightline.config import make_config
from sightline.embed import Embedder
from sightline.errors import BundleError
from sightline.indexer.bundles.places import open_place
from sightline.indexer.fleet import job as jobs
from sightline.indexer.fleet.job import Job
from sightline.server import tools
from sightline.server.catalog.app import open_catalog
from sightline.server.cli.main import run
from sightline.store import open_snapshot
from tests.support.catalogs import publish
from tests.support.index_content import content_of, fresh_content
from tests.support.repositories import committed
from tests.support.waiting import BOUND_S

pytest.importorskip("obstore", reason="the extra s3 is not installed")
moto_server = pytest.importorskip("moto.server", reason="moto's server is not installed")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = moto_server.ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": address,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    made = urllib.request.Request(f"{address}/indexes", method="PUT")  # a bucket
    with urllib.request.urlopen(made):
        pass
    yield "s3://indexes/project"
    server.stop()


def test_an_index_goes_through_an_object_store(bucket: str, tmp_path: Path, embedder: Embedder) -> None:
    repository = tmp_path / "repository"
    committed(repository, {"a.py": "def alpha():\n    return 1\n", "b.py": "from a import alpha\nalpha()\n"})
    assert run(["publish", str(repository), "--to", bucket, "--index-dir", str(tmp_path / "ci")]) == 0
    committed(repository, {"c.py": "from b import alpha\n"})
    assert run(["pull", str(repository), "--from", bucket, "--index-dir", str(tmp_path / "laptop")]) == 0
    index_dir = make_config(repository, index_dir=tmp_path / "laptop").index_dir
    assert content_of(open_snapshot(index_dir)) == fresh_content(repository, tmp_path / "fresh", embedder)
    assert run(["publish", str(repository), "--to", bucket, "--index-dir", str(tmp_path / "other")]) == 0
    assert len(open_place(bucket).names("bundles")) == 2


def test_what_is_not_there_and_who_may_not_read_are_named(bucket: str) -> None:
    place = open_place(bucket)
    assert place.read("nothing", 100) is None
    assert not place.has("nothing")
    with pytest.raises(BundleError, match="cannot be written"):
        open_place("s3://no-such-bucket/project").write("name", b"data")


def test_a_catalog_in_an_object_store_is_served_from_there(bucket: str, tmp_path: Path, embedder: Embedder) -> None:
    publish(tmp_path, "team/one", {"a.py": "def alpha():\n    return 1\n"}, bucket, embedder)
    repository = publish(tmp_path, "team/two", {"b.py": "def beta():\n    return 2\n"}, bucket, embedder)
    app = open_catalog(bucket, tmp_path / "home", embedder="static", disk_mb=100, memory_mb=1_000)
    answer = tools.call(app, tools.SYMBOL_SEARCH, {"name": "beta"})
    assert "[team/two] function beta" in answer.text
    (root,) = app.choose("*/two")
    assert content_of(root.snapshot()) == fresh_content(repository, tmp_path / "fresh", embedder)
    job = Job("team/two", str(repository), bucket, "static", embedder.id, __version__, BOUND_S)
    assert jobs.run(job).state == "present"
