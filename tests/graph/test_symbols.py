"""Objects are found by name the way people and agents write names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.graph.read import symbols
from sightline.store import Snapshot

FILES = {
    "src/auth/service.py": '''
class AuthService:
    """Signs people in."""

    def __init__(self, store):
        self.store = store

    def login(self, name):
        return self._check(name)

    def _check(self, name):
        return self.store.find(name)


class AuthServiceFactory:
    def build(self):
        return AuthService(None)


def login(name):
    return AuthServiceFactory().build().login(name)
''',
    "src/auth/__init__.py": "from auth.service import AuthService\n",
    "src/billing/invoices.py": """
class Invoice:
    def total_amount(self):
        return 0


def authservice():
    return None


def _private_login():
    return None
""",
    "tests/test_login.py": """
def login():
    return 1


def test_login():
    assert login() == 1
""",
    "lib/shape.rs": """
pub struct Circle { radius: f64 }

impl Circle {
    pub fn area(&self) -> f64 { self.radius }
}
""",
    "pkg/store/store.go": "package store\n\ntype Store struct{}\n\nfunc (s *Store) Find() int { return 1 }\n",
}


@pytest.fixture(scope="module")
def snapshot(index_of: Callable[[Mapping[str, str]], Snapshot]) -> Snapshot:
    return index_of(FILES)


def found(snapshot: Snapshot, name: str, **options: object) -> list[str]:
    """`match qualified_name`, best first."""
    matches = symbols.find(snapshot, name, **options)  # type: ignore[arg-type]
    return [f"{match.match} {match.object.qualified_name}" for match in matches]


@pytest.mark.req("COD-9")
def test_the_exact_symbol_ranks_highest(snapshot: Snapshot) -> None:
    assert found(snapshot, "AuthService", limit=3) == [
        "exact AuthService",
        "case authservice",
        "prefix AuthServiceFactory",
    ]


@pytest.mark.req("COD-9")
def test_a_class_brings_its_declaration_and_its_methods(snapshot: Snapshot) -> None:
    first = symbols.find(snapshot, "AuthService")[0]
    assert first.object.signature == "class AuthService"
    assert (first.object.path, first.object.start_line) == ("src/auth/service.py", 2)
    assert [member.name for member in first.members] == ["__init__", "login", "_check"]
    assert symbols.find(snapshot, "AuthService", include_members=False)[0].members == []


def test_methods_written_outside_of_their_type_are_its_members(snapshot: Snapshot) -> None:
    members = {m.object.name: [member.name for member in m.members] for m in symbols.find(snapshot, "Circle", limit=1)}
    assert "area" in members["Circle"]
    (store,) = symbols.find(snapshot, "Store", kind="struct", limit=1)
    assert "Find" in [member.name for member in store.members]


def test_levels_come_in_order_and_scores_fall(snapshot: Snapshot) -> None:
    matches = symbols.find(snapshot, "login", limit=20)
    scores = [match.score for match in matches]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    levels = [list(symbols.SCORES).index(match.match) for match in matches]
    assert levels == sorted(levels)


def test_code_comes_before_tests_and_functions_before_members(snapshot: Snapshot) -> None:
    places = [(m.object.path, m.object.qualified_name) for m in symbols.find(snapshot, "login") if m.match == "exact"]
    assert places == [
        ("src/auth/service.py", "login"),
        ("tests/test_login.py", "login"),
        ("src/auth/service.py", "AuthService.login"),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "AuthService.login",
        "AuthService::login",
        "AuthService#login",
        "AuthService/login",
        "auth.service.AuthService.login",
        "src/auth/service.py:AuthService.login",
        "auth/service:AuthService.login",
        "`AuthService.login()`",
        "AuthService.login(name: str)",
        "crate::AuthService::login",
    ],
)
def test_a_qualified_name_is_understood_however_it_is_written(snapshot: Snapshot, written: str) -> None:
    assert found(snapshot, written)[0] == "exact AuthService.login"


def test_a_path_and_a_name_mean_the_one_in_that_file(snapshot: Snapshot) -> None:
    (match, *_) = symbols.find(snapshot, "tests/test_login.py:login")
    assert (match.match, match.object.path) == ("exact", "tests/test_login.py")


def test_packages_around_a_name_narrow_it(snapshot: Snapshot) -> None:
    assert symbols.find(snapshot, "store/Store")[0].object.path == "pkg/store/store.go"
    assert symbols.find(snapshot, "auth.login")[0].object.path == "src/auth/service.py"
    assert all(m.match not in ("exact", "case") for m in symbols.find(snapshot, "billing.login"))


def test_words_of_a_name_find_it_in_any_style(snapshot: Snapshot) -> None:
    for written in ("total amount", "totalAmount", "amount_total", "TotalAmount"):
        assert "Invoice.total_amount" in " ".join(found(snapshot, written)), written


def test_a_typing_error_still_finds_the_name(snapshot: Snapshot) -> None:
    assert found(snapshot, "Invocie")[0] == "fuzzy Invoice"
    assert found(snapshot, "AuthServise")[0] == "fuzzy AuthService"
    assert found(snapshot, "AuthServise.login")[0] == "fuzzy AuthService.login", "what stands before it is misspelt"


def test_a_miss_offers_the_nearest_names(snapshot: Snapshot) -> None:
    assert symbols.find(snapshot, "InvoicePrinterRegistry") == []
    assert "Invoice" in symbols.nearest(snapshot, "InvoicePrinterRegistry")
    assert symbols.nearest(snapshot, "Zqxjkv") == []


def test_kind_and_mask_narrow_before_the_limit(snapshot: Snapshot) -> None:
    assert found(snapshot, "login", kind="method", limit=1) == ["exact AuthService.login"]
    allowed = np.zeros(snapshot.objects.size, bool)
    allowed[snapshot.objects.positions_of_path("tests/test_login.py")] = True
    paths = {match.object.path for match in symbols.find(snapshot, "login", allowed=allowed)}
    assert paths == {"tests/test_login.py"}


@pytest.mark.parametrize("nothing", ["", "   ", "()", "::", ".", "/", "\0"])
def test_nothing_finds_nothing(snapshot: Snapshot, nothing: str) -> None:
    assert symbols.find(snapshot, nothing) == []


@settings(max_examples=60, deadline=None)
@given(written=st.text(max_size=40))
def test_any_text_is_a_legal_name(snapshot: Snapshot, written: str) -> None:
    matches = symbols.find(snapshot, written, limit=5)
    assert len(matches) <= 5
    symbols.nearest(snapshot, written)


@settings(max_examples=60, deadline=None)
@given(a=st.text(alphabet="abcd_", max_size=8), b=st.text(alphabet="abcd_", max_size=8))
def test_edits_are_a_distance(a: str, b: str) -> None:
    assert symbols._edits(a, b) == symbols._edits(b, a)
    assert (symbols._edits(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= symbols._edits(a, b) <= max(len(a), len(b))
