"""Routes of real projects in real indexes: each framework's own forms, prefixes included, and what is no route."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sightline import Client
from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.occurrences import IndexedTexts
from sightline.retrieval.research.source import Source
from sightline.retrieval.routes.find import Answering, routes_in
from sightline.store import Snapshot
from tests.frameworks.projects import APPLICATIONS
from tests.support.indexes import index_folder, write_files

Build = Callable[[Mapping[str, str]], Snapshot]
Application = Callable[[str], Snapshot]


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Application:
    """The index of one of the applications, made when first asked for."""
    made: dict[str, Snapshot] = {}

    def index(framework: str) -> Snapshot:
        if framework not in made:
            folder = tmp_path_factory.mktemp("application")
            write_files(folder / "root", APPLICATIONS[framework][0])
            made[framework] = index_folder(folder / "root", folder / "index", embedder)
        return made[framework]

    return index


def _routes(snapshot: Snapshot) -> list[Answering]:
    return routes_in(snapshot, IndexedTexts(Source(snapshot, None), snapshot)).all


def _said(found: list[Answering]) -> dict[str, str]:
    return {
        f"{','.join(one.route.methods) or 'ANY'} {one.route.address}": f"{one.name or '(inline)'} {one.path}:{one.line}"
        for one in found
    }


@pytest.mark.parametrize("framework", APPLICATIONS)
def test_the_routes_of_an_application_lead_to_their_handlers(application: Application, framework: str) -> None:
    expected = APPLICATIONS[framework][1]
    found = _routes(application(framework))
    assert {one.route.framework for one in found} == {framework}
    said = _said(found)
    assert {route: said.get(route) for route in expected} == expected
    extra = said.keys() - expected.keys()
    assert extra <= {"ANY /admin/<path:rest>", "ANY /extra/one/"}, extra


@pytest.mark.parametrize("framework", APPLICATIONS)
def test_every_route_is_whole_and_likely(application: Application, framework: str) -> None:
    for one in _routes(application(framework)):
        assert not one.route.partial
        assert 0.5 <= one.confidence < 1


def test_calls_that_look_like_routes_are_none_without_the_framework(build: Build) -> None:
    snapshot = build(
        {
            "cache.js": "const cache = new Map();\ncache.get('/x', load);\nfunction load() {}\napp.get('/y', load);\n",
            "cache.py": "import redis\n\napp = redis.Redis()\n\n\n@app.get('/x')\ndef load():\n    return 1\n",
            "Names.java": 'class Names {\n  @GetMapping("/x")\n  void show() {}\n}\n',
            "names.go": 'package names\n\nfunc a(r *Router) {\n\tr.GET("/x", show)\n}\n\nfunc show() {}\n',
        }
    )
    assert _routes(snapshot) == []


def test_a_router_that_nobody_mounts_has_partial_addresses(build: Build) -> None:
    (one,) = _routes(
        build({"r.py": "from fastapi import APIRouter\n\nr = APIRouter()\n\n\n@r.get('/x')\ndef x():\n    pass\n"})
    )
    assert one.route.address == "/x"
    assert "mounted" in one.route.partial


def test_a_prefix_that_is_not_a_literal_is_said_to_be_unread(build: Build) -> None:
    files = {
        "main.py": (
            "from fastapi import APIRouter, FastAPI\nimport settings\n\napp = FastAPI()\nrouter = APIRouter()\n\n\n"
            "@router.get('/x')\ndef x():\n    pass\n\n\napp.include_router(router, prefix=settings.prefix())\n"
        )
    }
    (one,) = _routes(build(files))
    assert one.route.address == "/…/x"
    assert one.route.partial


def test_where_only_a_test_mounts_a_router_does_not_count(build: Build) -> None:
    files, expected = APPLICATIONS["gin"]
    test = (
        'package users\n\nimport "github.com/gin-gonic/gin"\n\nfunc TestAll(t *T) {\n\tr := gin.New()\n'
        '\tRegister(r.Group("/tested"))\n}\n'
    )
    said = _said(_routes(build({**files, "users/routes_test.go": test})))
    assert set(said) == set(expected)


def test_what_all_addresses_of_an_application_begin_with_is_read(build: Build) -> None:
    nest = (
        "import { VersioningType } from '@nestjs/common';\n\nasync function bootstrap() {\n"
        "  app.setGlobalPrefix('api', { exclude: ['robots.txt'] });\n"
        "  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '3' });\n}\n"
    )
    controller = (
        "import { Controller, Get } from '@nestjs/common';\n\n@Controller({ path: 'dogs', version: '1' })\n"
        "export class DogsController {\n  @Get()\n  list() {\n    return 1;\n  }\n\n"
        "  @Get('all')\n  @Version('2')\n  all() {\n    return 1;\n  }\n}\n\n@Controller('robots.txt')\n"
        "export class Robots {\n  @Get()\n  @Version(VERSION_NEUTRAL)\n  show() {\n    return 1;\n  }\n}\n"
    )
    files = {**APPLICATIONS["NestJS"][0], **APPLICATIONS["Spring"][0], "src/main.ts": nest, "src/dogs.ts": controller}
    files["src/main/resources/application.yml"] = "server:\n  servlet:\n    context-path: /shop\n"
    said = _said(_routes(build(files)))
    assert {"POST /api/v3/cats", "GET /api/v1/dogs", "POST /shop/api/users"} <= said.keys()
    assert {"GET /api/v2/dogs/all", "GET /robots.txt"} <= said.keys()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which code answers POST /api/users?", "create_user app/api/users.py:10"),
        ("what handles PUT /api/users/42", "change_user app/api/users.py:15"),
        ("POST /api/users", "create_user app/api/users.py:10"),
        ("which function serves the endpoint /health?", "health app/main.py:10"),
        ("which route leads to create_user?", "POST /api/users → create_user"),
        ("which routes call save?", "POST /api/users → create_user"),
        ("list all routes", "PUT,PATCH /api/users/{user_id} → change_user"),
        ("what endpoints are there in app/api/?", "POST /api/users → create_user"),
    ],
)
def test_questions_about_routes_are_answered(
    application: Application, embedder: Embedder, question: str, expected: str
) -> None:
    result = research(application("FastAPI"), question, embedder=embedder)
    assert result.kind == "routes"
    assert expected in result.text
    facts = [fact for fact in result.facts if fact.kind == "routes"]
    assert facts
    assert not any(fact.proven for fact in facts)
    assert "FastAPI, @" in result.text


def test_a_route_through_calls_says_the_way(application: Application, embedder: Embedder) -> None:
    result = research(application("FastAPI"), "which routes lead to save?", embedder=embedder)
    assert "create_user → save" in result.text


def test_a_call_inside_a_handler_without_a_name_counts(application: Application, embedder: Embedder) -> None:
    result = research(application("Express"), "which route leads to pong?", embedder=embedder)
    assert "GET /ping → (inline) server.js:9" in result.text


def test_an_address_without_a_route_is_said_to_have_none(application: Application, embedder: Embedder) -> None:
    snapshot = application("FastAPI")
    other = research(snapshot, "which code answers DELETE /api/users?", embedder=embedder)
    assert "answers to other methods" in other.text
    none = research(snapshot, "which code answers GET /nowhere/at/all?", embedder=embedder)
    assert "No route that answers GET /nowhere/at/all was read" in none.text


@pytest.mark.parametrize(
    "question",
    ["how does app/main.py work?", "paths from create_user to save", "what calls save", "what is in /app/api/users.py"],
)
def test_other_questions_are_no_questions_about_routes(
    application: Application, embedder: Embedder, question: str
) -> None:
    assert research(application("FastAPI"), question, embedder=embedder).kind != "routes"


def test_a_search_for_an_address_shows_what_answers_it(tmp_path: Path) -> None:
    write_files(tmp_path / "root", APPLICATIONS["FastAPI"][0])
    with Client(tmp_path / "root", index_dir=tmp_path / "index") as client:
        found = client.search("POST /api/users")
        assert [line.split("  ")[0] for line in found.routes] == ["POST /api/users → create_user app/api/users.py:10"]
        assert not client.search("where users are saved").routes


def test_a_controller_has_the_prefix_of_what_it_derives_from(build: Build) -> None:
    files = {
        "Base.cs": (
            'using Microsoft.AspNetCore.Mvc;\n\n[ApiController]\n[Route("api/[controller]")]\n'
            "public class BaseApi : ControllerBase\n{\n}\n"
        ),
        "Devices.cs": (
            "using Microsoft.AspNetCore.Mvc;\n\npublic class DevicesController : BaseApi\n{\n"
            '    [HttpGet("Options")]\n    public int Options() => 1;\n\n'
            "    [HttpPost]\n    public int Add() => 2;\n}\n"
        ),
    }
    assert _said(_routes(build(files))).keys() == {"GET /api/Devices/Options", "POST /api/Devices"}


def test_a_handler_comes_from_the_module_that_it_is_a_member_of(build: Build) -> None:
    files = {
        "routes/links.js": (
            "const { Router } = require('express');\nconst link = require('../handlers/links.handler');\n\n"
            "const router = Router();\nrouter.delete('/:id', wrap(link.remove));\nmodule.exports = router;\n"
        ),
        "routes/index.js": (
            "const { Router } = require('express');\nconst links = require('./links');\n\nconst apiRouter = Router();\n"
            "apiRouter.use('/links', links);\nmodule.exports = {\n  api: apiRouter,\n};\n"
        ),
        "server.js": (
            "const express = require('express');\nconst routes = require('./routes');\n\n"
            "const app = express();\napp.use('/api', routes.api);\n"
        ),
        "handlers/links.handler.js": "async function remove(req, res) {}\n\nmodule.exports = { remove };\n",
        "queries/link.queries.js": "async function remove(id) {}\n\nmodule.exports = { remove };\n",
    }
    assert _said(_routes(build(files))) == {"DELETE /api/links/:id": "remove handlers/links.handler.js:1"}


def test_what_is_registered_elsewhere_is_no_route_of_a_django_router(build: Build) -> None:
    files = {
        "api.py": (
            "from rest_framework.routers import DefaultRouter\nfrom wagtail import hooks\n\nrouter = DefaultRouter()\n"
            "router.register('users', UserViewSet)\nhooks.register('menu', build_menu)\nurlpatterns = router.urls\n"
        )
    }
    assert _said(_routes(build(files))).keys() == {"GET,POST /users/", "GET,PUT,PATCH,DELETE /users/{pk}/"}


def test_an_application_below_another_one_has_its_address_before_its_routes(build: Build) -> None:
    files = {
        "main.py": (
            "from fastapi import FastAPI\n\nfrom admin import app as admin_app\n\napp = FastAPI()\n"
            "app.mount('/admin', admin_app)\n\n\n@app.get('/')\ndef home():\n    return 1\n"
        ),
        "admin.py": "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get('/users')\ndef users():\n    pass\n",
    }
    assert _said(_routes(build(files))) == {"GET /": "home main.py:10", "GET /admin/users": "users admin.py:7"}


def test_lists_of_django_that_are_put_together_are_one(build: Build) -> None:
    files = {
        "site/settings.py": 'ROOT_URLCONF = "site.main"\n',
        "site/main.py": (
            "from django.urls import path\n\nfrom site.urls import common\n\nown = [path('own/', own_view)]\n"
            "urlpatterns = common + own\n"
        ),
        "site/urls.py": (
            "import site.control.urls\nfrom django.urls import include, path\n\n"
            "common = [path('control/', include((site.control.urls, 'control')))]\n"
        ),
        "site/control/__init__.py": "",
        "site/control/urls.py": "from django.urls import path\n\nurlpatterns = [path('users/', users)]\n",
        "other/urls.py": "from django.urls import path\n\nurlpatterns = [path('lost/', lost)]\n",
    }
    found = {one.route.address: one.route.partial for one in _routes(build(files))}
    assert found.keys() == {"/own/", "/control/users/", "/lost/"}
    assert [address for address, partial in found.items() if partial] == ["/lost/"]
