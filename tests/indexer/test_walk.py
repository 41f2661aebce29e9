"""Which files count: ignore rules with and without git, secrets, links, sizes; one path alone like the whole walk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.errors import RootError
from sightline.indexer.files.walk import Candidate, accepts, accepts_all, check_root, ignored, walk
from tests.support.hostile import git, make_root


def reasons(candidates: list[Candidate]) -> dict[str, str]:
    return {candidate.path: candidate.skip_reason for candidate in candidates}


NESTED = {
    ".gitignore": "*.log\n/build/\n!keep.log\ncache\n",
    "a.py": "a",
    "x.log": "x",
    "keep.log.py": "k",
    "build/out.py": "o",
    "src/build/in.py": "i",
    "src/.gitignore": "*.tmp.py\n!important.tmp.py\nsecret_dir/\n",
    "src/b.tmp.py": "b",
    "src/important.tmp.py": "c",
    "src/secret_dir/d.py": "d",
    "src/cache": "a file of that name",
    "lib/cache/e.py": "e",
    "lib/.gitignore": "# comment\n\n*.gen.py\n",
    "lib/f.gen.py": "f",
    "lib/deep/g.gen.py": "g",
    "lib/deep/.gitignore": "!g.gen.py\n",
    "docs/read me.md": "spaces",
    "docs/ünïcode.md": "umlauts",
    "docs/[odd]*.md": "pattern characters",
    ".sightlineignore": "docs/ünïcode.md\nlib/deep/*\n!lib/deep/g.gen.py\n",
    "lib/deep/h.py": "h",
}


def test_nested_ignore_files_are_obeyed_with_and_without_git(tmp_path: Path) -> None:
    plain = make_root(tmp_path / "plain", NESTED)
    tracked = make_root(tmp_path / "tracked", NESTED)
    git(tracked.root, "init", "-q")
    expected = {
        ".gitignore", ".sightlineignore", "a.py", "keep.log.py", "src/.gitignore", "src/build/in.py",
        "src/important.tmp.py", "lib/.gitignore", "lib/deep/g.gen.py", "docs/read me.md", "docs/[odd]*.md",
    }  # fmt: skip
    assert set(reasons(walk(plain))) == expected
    assert set(reasons(walk(tracked))) == expected


@pytest.mark.parametrize("with_git", [False, True])
def test_every_file_is_walked_to_or_named_as_ignored(tmp_path: Path, with_git: bool) -> None:
    config = make_root(tmp_path / "root", {**NESTED, "node_modules/x.js": "x"})
    if with_git:
        git(config.root, "init", "-q")
    hidden = dict(ignored(config))
    for name in [*NESTED, "node_modules/x.js"]:
        below = [path for path in hidden if name == path or (path.endswith("/") and name.startswith(path))]
        assert len(below) == (0 if name in reasons(walk(config)) else 1), name
    assert hidden["node_modules/"] == "folder that is never looked into"
    assert hidden["x.log"] == ".gitignore"
    assert hidden["docs/ünïcode.md"] == ".sightlineignore"


@pytest.mark.parametrize("with_git", [False, True])
def test_one_path_alone_gets_the_same_answer_as_in_the_walk(tmp_path: Path, with_git: bool) -> None:
    config = make_root(tmp_path / "root", NESTED)
    if with_git:
        git(config.root, "init", "-q")
    walked = {candidate.path: candidate for candidate in walk(config)}
    for name in NESTED:
        assert accepts(config, name) == walked.get(name)
    assert accepts_all(config, [*NESTED, "src", "missing.py", "../a.py", "/a.py", "src/../a.py", ""]) == {
        **{name: walked.get(name) for name in NESTED},
        **dict.fromkeys(["src", "missing.py", "../a.py", "/a.py", "src/../a.py", ""]),
    }


_NAMES = st.sampled_from(["a.py", "b.py", "build", "x.log", "src", "lib", "vendor", "node_modules", ".env", "c.min.js"])
_PATTERNS = st.sampled_from(
    [
        "*.py",
        "!a.py",
        "/src",
        "src/",
        "lib/*",
        "!lib/a.py",
        "**/build",
        "build/**",
        "x.*",
        "/lib/**/b.py",
        "!*/",
        "#a",
        "[",
    ]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_git_and_the_own_rules_agree_on_any_tree(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    base = tmp_path_factory.mktemp("tree")
    paths = data.draw(st.lists(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=12))
    files: dict[str, str | bytes] = {}
    for path in dict.fromkeys(paths):
        inside = any(other.startswith(path + "/") or path.startswith(other + "/") for other in files)
        if not inside:
            files[path] = "text"
    folders = ["", *{path.rpartition("/")[0] for path in files} - {""}]
    for folder in folders:
        rules = data.draw(st.lists(_PATTERNS, max_size=3))
        prefix = folder + "/" if folder else ""
        files[f"{prefix}.gitignore"] = "\n".join(rules) + "\n"
    plain, tracked = make_root(base / "plain", files), make_root(base / "tracked", files)
    git(tracked.root, "init", "-q")
    assert reasons(walk(plain)) == reasons(walk(tracked))
    for config in (plain, tracked):
        walked = {candidate.path: candidate for candidate in walk(config)}
        assert accepts_all(config, files) == {path: walked.get(path) for path in files}


def test_a_tracked_file_counts_although_a_rule_would_ignore_it(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {".gitignore": "*.py\n", "a.py": "a", "b.py": "b"})
    git(config.root, "init", "-q")
    git(config.root, "add", "-f", "a.py")
    assert set(reasons(walk(config))) == {".gitignore", "a.py"}
    assert accepts(config, "a.py") is not None
    assert accepts(config, "b.py") is None


def test_a_deleted_file_that_git_still_lists_is_no_candidate(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a", "b.py": "b"})
    git(config.root, "init", "-q")
    git(config.root, "add", ".")
    (config.root / "a.py").unlink()
    assert set(reasons(walk(config))) == {"b.py"}
    assert accepts(config, "a.py") is None


def test_nested_repositories_and_submodules_are_walked(tmp_path: Path) -> None:
    config = make_root(
        tmp_path / "root",
        {"a.py": "a", "inner/.gitignore": "*.log.py\n", "inner/b.py": "b", "inner/c.log.py": "c", "module/d.py": "d"},
    )
    git(config.root, "init", "-q")
    for nested in ("inner", "module"):
        git(config.root / nested, "init", "-q")
        git(config.root / nested, "add", ".")
        git(config.root / nested, "commit", "-qm", "x")
    git(config.root, "add", "module")  # a gitlink, as a submodule is; `inner` stays untracked
    expected = {"a.py", "inner/.gitignore", "inner/b.py", "module/d.py"}
    assert set(reasons(walk(config))) == expected
    for path in (*expected, "inner/c.log.py"):
        assert (accepts(config, path) is not None) == (path in expected)


def test_a_root_inside_a_folder_that_an_outer_repository_ignores_is_still_walked(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("scratch/\n")
    config = make_root(tmp_path / "scratch" / "root", {"a.py": "a", ".gitignore": "b.py\n", "b.py": "b"})
    assert set(reasons(walk(config))) == {".gitignore", "a.py"}
    assert accepts(config, "a.py") is not None


def test_a_repository_cannot_make_the_walk_run_its_own_commands(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a"})
    git(config.root, "init", "-q")
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/executed'\n")
    hook.chmod(0o755)
    git(config.root, "config", "core.fsmonitor", str(hook))
    assert set(reasons(walk(config))) == {"a.py"}
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    "name",
    [".env", ".env.local", "prod.env", "server.pem", "tls/private.KEY", "id_rsa", "id_ed25519.pub", "a.p12",
     "credentials.json", "credentials-prod.json", ".npmrc", ".netrc", ".aws/config", ".ssh/known_hosts",
     "terraform.tfstate", "service-account.json", "secrets.yml"],
)  # fmt: skip
def test_files_that_look_like_secrets_are_never_indexed(tmp_path: Path, name: str) -> None:
    config = make_root(tmp_path / "root", {name: "TOKEN=1"})
    assert reasons(walk(config)) == {name: "secret"}


def test_code_about_secrets_is_not_a_secret(tmp_path: Path) -> None:
    names = ["environment.py", "src/credentials.py", "keys.ts", "secrets.go", "id_generator.rs", "docker/config.py"]
    config = make_root(tmp_path / "root", dict.fromkeys(names, "x"))
    assert set(reasons(walk(config)).values()) == {""}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("vendor/github.com/x/y.go", "vendored"),
        ("service/vendor/golang.org/x/net.go", "vendored"),
        ("app/vendor/composer/installed.php", "vendored"),
        ("src/models/vendor/contract.py", ""),
        ("src/vendor.py", ""),
        ("third_party/lib.c", "vendored"),
        ("static/jquery.min.js", "minified"),
        ("package-lock.json", "generated"),
        ("Cargo.lock", "generated"),
        ("go.sum", "generated"),
        ("api/user_pb2.py", "generated"),
        ("api/user.pb.go", "generated"),
        ("dist/index.js", "generated"),
        ("build/release.py", ""),
        ("bundle.js.map", "generated"),
        ("logo.png", "binary"),
        ("data/table.csv", "data"),
        ("src/dist.ts", ""),
    ],
)
def test_names_say_what_is_not_worth_indexing(tmp_path: Path, name: str, reason: str) -> None:
    config = make_root(tmp_path / "root", {name: "x"})
    assert reasons(walk(config)) == {name: reason}


def test_tool_folders_are_never_entered(tmp_path: Path) -> None:
    names = ["a.py", "node_modules/x/index.js", "web/node_modules/y.js", ".venv/lib/z.py", "__pycache__/a.pyc"]
    config = make_root(tmp_path / "root", dict.fromkeys(names, "x"))
    assert set(reasons(walk(config))) == {"a.py"}
    assert all(accepts(config, name) is None for name in names[1:])


def test_a_huge_file_is_too_large_and_prose_has_a_smaller_limit(tmp_path: Path) -> None:
    config = make_root(
        tmp_path / "root", {"big.py": "x\n" * 600_000, "long.md": "x\n" * 150_000, "fine.py": "x\n" * 150_000}
    )
    assert reasons(walk(config)) == {"big.py": "too large", "long.md": "too large", "fine.py": ""}


@pytest.mark.parametrize("with_git", [False, True])
def test_links_are_never_followed(tmp_path: Path, with_git: bool) -> None:
    config = make_root(tmp_path / "root", {"a/x.py": "x", "b/y.py": "y"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "z.py").write_text("z")
    (config.root / "a" / "loop").symlink_to(config.root)
    (config.root / "b" / "again").symlink_to(config.root / "a")
    (config.root / "out").symlink_to(outside)
    (config.root / "link.py").symlink_to(config.root / "a" / "x.py")
    (config.root / "dangling.py").symlink_to(config.root / "nowhere")
    if with_git:
        git(config.root, "init", "-q")
    links = {"a/loop", "b/again", "out", "link.py", "dangling.py"}
    assert reasons(walk(config)) == {"a/x.py": "", "b/y.py": "", **dict.fromkeys(links, "symlink")}
    assert accepts(config, "out/z.py") is None
    assert accepts(config, "b/again/x.py") is None
    link = accepts(config, "link.py")
    assert link is not None
    assert link.skip_reason == "symlink"


def test_pipes_are_not_regular_files(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a"})
    os.mkfifo(config.root / "pipe.py")
    assert reasons(walk(config)) == {"a.py": "", "pipe.py": "not a regular file"}


def test_a_name_that_is_not_utf8_is_counted_and_left_out(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a"})
    with open(os.fsencode(config.root) + b"/b\xff.py", "wb") as file:  # noqa: PTH123
        file.write(b"b")
    assert reasons(walk(config)) == {"a.py": "", "b\ufffd.py": "name not UTF-8"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_cannot_be_entered_does_not_stop_the_walk(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a", "closed/b.py": "b"})
    (config.root / "closed").chmod(0)
    try:
        assert set(reasons(walk(config))) == {"a.py"}
    finally:
        (config.root / "closed").chmod(0o755)


def test_roots_that_are_obviously_wrong_are_refused_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "me"))
    (tmp_path / "home" / "me" / "project").mkdir(parents=True)
    (tmp_path / "file.py").write_text("x")
    for wrong in ("/", "~", str(tmp_path / "home"), str(tmp_path / "missing"), str(tmp_path / "file.py")):
        with pytest.raises(RootError) as caught:
            check_root(wrong)
        assert caught.value.hint
    assert check_root("~", allow=True) == (tmp_path / "home" / "me").resolve()
    assert check_root("~/project") == (tmp_path / "home" / "me" / "project").resolve()
