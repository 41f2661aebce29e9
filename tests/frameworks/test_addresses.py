"""Addresses of all notations are compared segment by segment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.frameworks.addresses import fit, joined, of_pattern

_WORDS = st.text(alphabet="abcxyz-_", min_size=1, max_size=6)
_NOTATIONS = ("{{{}}}", ":{}", "<{}>", "<int:{}>", "[{}]", "{{{}:int}}")


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/users", "/users/"),
        ("/users/", "/users"),
        ("/users/{id}", "/users/42"),
        ("/users/:id", "/users/{id}"),
        ("/users/<int:id>", "/users/:id"),
        ("/users/[id]", "/users/7"),
        ("/files/{*path}", "/files/a/b/c"),
        ("/files/{path:path}", "/files/a/b"),
        ("/docs/[...slug]", "/docs/a/b"),
        ("/docs/[[...slug]]", "/docs"),
        ("/static/**", "/static/css/site.css"),
        ("/users/{id?}", "/users"),
        ("/users/:id?", "/users"),
        ("/users/{user_id:int}/posts", "/users/1/posts"),
        ("/report.<fmt>", "/report.pdf"),
        ("/users/:id(.:format)", "/users/3"),
        ("/users", "/users?page=2"),
        ("/(/locale/:locale)/users", "/users"),
        ("/(/locale/:locale)/users", "/locale/fr/users"),
    ],
)
def test_an_address_answers_what_fits_it(address: str, asked: str) -> None:
    found = fit(address, asked)
    assert found is not None
    assert found.whole == 0


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/users", "/user"),
        ("/users/{id}", "/users"),
        ("/users", "/users/42"),
        ("/users/{id}/posts", "/users/42/comments"),
        ("/files/{*path}", "/other/a"),
        ("/docs/[...slug]", "/docs"),
        ("/{id}", "/"),
    ],
)
def test_an_address_does_not_answer_another_one(address: str, asked: str) -> None:
    assert fit(address, asked) is None


def test_a_literal_fits_better_than_a_parameter() -> None:
    literal, parameter = fit("/users/me", "/users/me"), fit("/users/{id}", "/users/me")
    assert literal is not None
    assert parameter is not None
    assert literal < parameter


def test_what_lacks_the_prefix_fits_at_the_end_only() -> None:
    found = fit("/api/v1/users", "/users")
    assert found is not None
    assert found.whole == 1


def test_a_partial_address_fits_the_end_of_what_is_asked() -> None:
    assert fit("/users/{id}", "/api/users/3") is None
    found = fit("/users/{id}", "/api/users/3", partial=True)
    assert found is not None
    assert found.whole == 1


@given(st.lists(st.tuples(_WORDS, st.booleans(), st.sampled_from(_NOTATIONS)), min_size=1, max_size=6))
def test_every_notation_of_an_address_answers_every_other(parts: list[tuple[str, bool, str]]) -> None:
    def written(notation: str | None) -> str:
        return "/" + "/".join((notation or own).format("id") if taken else word for word, taken, own in parts)

    mine = written(None)
    for notation in _NOTATIONS:
        found = fit(mine, written(notation))
        assert found is not None
        assert found.whole == 0
    concrete = "/" + "/".join("42" if taken else word for word, taken, _ in parts)
    assert fit(mine, concrete) is not None


@given(st.lists(_WORDS, max_size=4), st.lists(_WORDS, max_size=4))
def test_joining_never_doubles_a_slash(left: list[str], right: list[str]) -> None:
    whole = joined("/".join(left), "/" + "/".join(right) + "/")
    assert "//" not in whole
    assert whole.strip("/").split("/") == ([*left, *right] or [""])


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        (r"^users/(?P<pk>\d+)/$", "users/{pk}/"),
        (r"^a/([0-9]+)\.json$", "a/{}.json"),
        (r"^(?P<slug>[\w-]+)/edit/?$", "{slug}/edit/"),
    ],
)
def test_a_regular_expression_becomes_an_address(pattern: str, address: str) -> None:
    assert of_pattern(pattern) == address
