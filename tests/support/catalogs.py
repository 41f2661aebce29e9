"""Catalogs of small repositories, published by the real command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sightline.embed import Embedder
from sightline.indexer.bundles import catalog
from sightline.indexer.bundles.places import open_place
from sightline.server.cli.main import run
from tests.support.repositories import committed

REPOSITORIES: Mapping[str, Mapping[str, str]] = {
    "a/shop": {
        "shop/cart.py": "from shop.tax import tax_of\n\n\nclass Cart:\n    def total(self, price):\n"
        "        '''Sum of a cart with tax.'''\n        return price + tax_of(price)\n",
        "shop/tax.py": "def tax_of(price):\n    return price * 0.2\n",
    },
    "a/mail": {"mail.py": "def send_receipt(cart):\n    '''Send a receipt by mail.'''\n    return cart.total(1)\n"},
    "secret/vault": {
        "vault.py": "from shop.tax import tax_of\n\n\ndef open_vault(code):\n"
        "    '''Open the hidden vault of the cart.'''\n    return tax_of(code)\n"
    },
}


def publish(folder: Path, name: str, files: Mapping[str, str], to: str, embedder: Embedder) -> Path:
    """Commit files to a repository, publish it to a catalog, and list it there."""
    repository = folder / "repositories" / name
    commit = committed(repository, files)
    line = ["publish", str(repository), "--to", catalog.address_of(to, name), "--index-dir", str(folder / "ci")]
    assert run(line) == 0
    entry = catalog.find_bundle(catalog.open_repository(to, name), name, commit, embedder.id)
    assert entry is not None
    catalog.write_entry(open_place(to), entry)
    catalog.write_catalog(open_place(to))
    return repository
