"""Secrets are neither indexed nor given out, under whatever name; the file resource gives what is indexed, no more."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from sightline.errors import QueryError
from sightline.indexer.files.read import Skipped, Source, read
from sightline.indexer.files.walk import accepts, walk
from sightline.server.app import App
from sightline.server.mcp import resources
from tests.support.hostile import git, make_root

BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 4
KEY = f"-----BEGIN PRIVATE KEY-----\n{BODY}-----END PRIVATE KEY-----\n"
NAMES = [
    ".cargo/credentials.toml", "application_default_credentials.json", "sa-key.json", "my-sa-key-prod.json",
    ".flaskenv", "env.production", "ENV.Production", "env.local", "kubeconfig.yaml", "kubeconfig", "prod.kubeconfig",
    "local.settings.json", "secrets.ini", "Secrets.INI", "secrets.prod.yaml", ".bash_history", ".psql_history",
    "mysql_history", ".SSH/config", "deploy/.Aws/settings", "deploy_rsa", "private_key.txt", "private-key",
    "x-firebase-adminsdk-1.json", "gcp-key.json", "client-secret.json", ".authinfo", "server.keytab", "office.ovpn",
    "vault_pass.txt", "credentials.ini", "terraform.rc", ".mylogin.cnf", ".envrc", "ID_RSA",
]  # fmt: skip
CODE = [
    "private_key.py", "env.production.ts", "secrets.go", "user_history.rb", "kubeconfig.go", "vault_pass.py",
    "credentials.py", "service_account.rs", "src/history", "env.d.ts", "environment.prod.ts", "docs/secrets.md",
    "ssh/config.py", "browser_history.md", "aws/settings.toml",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_promises_a_secret_is_left_out(tmp_path: Path, name: str) -> None:
    config = make_root(tmp_path / "root", {name: "token = 1\n"})
    assert [candidate.skip_reason for candidate in walk(config)] == ["secret"]


@pytest.mark.parametrize("name", CODE)
def test_code_and_documents_about_secrets_are_indexed(tmp_path: Path, name: str) -> None:
    config = make_root(tmp_path / "root", {name: "token = 1\n"})
    assert [candidate.skip_reason for candidate in walk(config)] == [""]


HIDDEN_KEYS: dict[str, str | bytes] = {
    "deploy": KEY,
    "notes.txt": f"# the key of the server\n\n{KEY}",
    "bundle.txt": f"Bag Attributes\n    friendlyName: x\nKey Attributes: <No Attributes>\n{KEY}",
    "readme.md": f"# How to log in\n\nUse this:\n\n{KEY}",
    "account.json": json.dumps({"type": "service_account", "private_key": KEY}),
    "values.yaml": "tls:\n  key: |\n" + "".join(f"    {line}\n" for line in KEY.splitlines()),
    "old.txt": KEY.replace("PRIVATE", "RSA PRIVATE").replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: x,1\n\n", 1),
    "ssh": KEY.replace("PRIVATE", "OPENSSH PRIVATE"),
    "pgp.txt": KEY.replace("PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
    "windows.txt": KEY.replace("\n", "\r\n"),
    "wide.txt": KEY.encode("utf-16"),
    "putty.txt": "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n",
    "key.py": KEY,  # a key under the name of code
}


@pytest.mark.parametrize("name", HIDDEN_KEYS)
def test_a_private_key_under_a_plain_name_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    config = make_root(tmp_path / "root", {name: HIDDEN_KEYS[name]})
    candidate = accepts(config, name)
    assert candidate is not None
    found = read(config, candidate)
    assert isinstance(found, Skipped)
    assert found.reason == "secret"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("parse.py", f'def load():\n    """Reads keys."""\n    return b"""{KEY}"""\n'),
        (
            "guide.md",
            "Paste it with `-----BEGIN PRIVATE KEY-----`:\n\n-----BEGIN PRIVATE KEY-----\n…\n",
        ),
        ("public.txt", KEY.replace("PRIVATE", "PUBLIC")),
    ],
)
def test_code_and_documents_that_speak_of_keys_are_indexed(tmp_path: Path, name: str, text: str) -> None:
    config = make_root(tmp_path / "root", {name: text})
    candidate = accepts(config, name)
    assert candidate is not None
    assert isinstance(read(config, candidate), Source)


@pytest.mark.parametrize("with_git", [False, True])
def test_the_file_resource_gives_what_is_indexed_and_nothing_else(tmp_path: Path, with_git: bool) -> None:
    config = make_root(
        tmp_path / "root",
        {
            "src/a.py": "a = 1\n", "plain": KEY, ".env": "TOKEN=1\n", "ignored.py": "TOKEN\n", "hidden/b.py": "TOKEN\n",
            ".gitignore": "ignored.py\n", ".sightlineignore": "hidden/\n", ".SSH/config": "TOKEN\n",
            "node_modules/x.js": "TOKEN\n", "logo.png": "TOKEN\n", "secrets.ini": "TOKEN\n", "big.py": "x\n" * 600_000,
        },
    )  # fmt: skip
    (tmp_path / "outside.py").write_text("TOKEN\n")
    (config.root / "link.py").symlink_to(tmp_path / "outside.py")
    (config.root / "out").symlink_to(tmp_path)
    if with_git:
        git(config.root, "init", "-q")
    app = App.open([config.root], index_dir=tmp_path / "indexes")
    try:
        assert resources.read(app, "sightline://file/src/a.py").text == "a = 1\n"
        for path in ("plain", ".env", "ignored.py", "hidden/b.py", ".SSH/config", "node_modules/x.js", "logo.png",
                     "secrets.ini", "big.py", "link.py", "out/outside.py", ".git/config", "missing.py", "src", "",
                     "../outside.py", "/etc/passwd", "src/../../outside.py", "src/./a.py", "src//a.py", "src\\a.py",
                     "a\0b", "x" * 10_000, "out/root/src/a.py"):  # fmt: skip
            for uri in {path, quote(path), quote(quote(path)), quote(path, safe="")}:
                with pytest.raises(QueryError):
                    resources.read(app, f"sightline://file/{uri}")
    finally:
        app.close()
