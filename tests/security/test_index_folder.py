"""An index folder that somebody else made, or can change, is not believed; a user without a home gets a clear word."""

from __future__ import annotations

import os
import pwd
import sys
from pathlib import Path

import pytest

from sightline.config import check_index_dir, make_config
from sightline.errors import ConfigError, RootError
from sightline.indexer.files.root import check_root
from sightline.server.app import App
from sightline.server.cli.main import run
from tests.support.hostile import make_root

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")


def test_an_index_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a"})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    config.index_dir.parent.mkdir()
    config.index_dir.symlink_to(elsewhere)
    with pytest.raises(ConfigError, match="not a folder"):
        App.open([config.root], index_dir=config.index_dir.parent)


@pytest.mark.parametrize("which", ["index", "home"])
def test_an_index_folder_that_everybody_can_write_is_refused(tmp_path: Path, which: str) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a"})
    config.index_dir.mkdir(parents=True)
    (config.index_dir if which == "index" else config.index_dir.parent).chmod(0o777)
    with pytest.raises(ConfigError, match="written by everybody"):
        App.open([config.root], index_dir=config.index_dir.parent)
    config.index_dir.parent.chmod(0o1777)  # like /tmp: everybody may add, nobody may replace
    config.index_dir.chmod(0o755)
    check_index_dir(config.index_dir)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("which", ["index", "home"])
def test_an_index_folder_of_another_user_is_refused(tmp_path: Path, which: str) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a"})
    config.index_dir.mkdir(parents=True)
    os.chown(config.index_dir if which == "index" else config.index_dir.parent, 12_345, 12_345)
    with pytest.raises(ConfigError, match="another user"):
        App.open([config.root], index_dir=config.index_dir.parent)


@pytest.fixture
def _homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> None:
        raise KeyError("uid not found")

    for name in ("HOME", "XDG_CACHE_HOME", "SIGHTLINE_INDEX_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)


@pytest.mark.usefixtures("_homeless")
def test_a_user_without_a_home_gets_a_clear_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = make_root(tmp_path / "root", {"a.py": "a = 1\n"}).root
    monkeypatch.chdir(root)
    assert check_root(root) == root.resolve()
    with pytest.raises(RootError):
        check_root("~/x")
    with pytest.raises(ConfigError, match="home folder"):
        make_config(root, environ={})
    with pytest.raises(ConfigError, match="home folder"):
        make_config(root, index_dir="~/indexes", environ={})
    assert run(["index"]) == 2
    assert run(["install", "cursor", "--scope", "user"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert run(["index", "--index-dir", str(tmp_path / "indexes"), "--embedder", "none"]) == 0
    assert sorted(path.name for path in root.iterdir()) == ["a.py"]
