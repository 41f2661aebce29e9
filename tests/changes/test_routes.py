"""Routes that a change touches: by decorators, and where a function is registered by its name."""

from __future__ import annotations

import pytest

from tests.changes.conftest import Shop
from tests.support.indexes import write_files

SAMPLES = {
    "web.py": (
        "from flask import Flask\n\napp = Flask(__name__)\n\n\n"
        '@app.route("/price/<int:number>")\ndef show_price(number):\n    return helper_of(number)\n\n\n'
        "def helper_of(number):\n    return 0\n",
        "return 0",
        ("GET", "/price/<int:number>"),
    ),
    "api.py": (
        "import fastapi\n\nrouter = fastapi.APIRouter()\n\n\n"
        '@router.post("/carts")\nasync def make_cart():\n    return 0\n',
        "return 0",
        ("POST", "/carts"),
    ),
    "urls.py": (
        "from django.urls import path\n\n\ndef old_orders(request):\n    return 0\n\n\n"
        'urls = [path("orders/", old_orders)]\n',
        "return 0",
        ("ANY", "/orders/"),
    ),
    "cats.ts": (
        'import { Controller, Get } from "@nestjs/common";\n\n'
        '@Controller()\nexport class Cats {\n  @Get("/cats")\n  findAllCats(): number {\n    return 0;\n  }\n}\n',
        "return 0",
        ("GET", "/cats"),
    ),
    "server.js": (
        'const app = require("express")();\n\n'
        'function listDogs(req, res) {\n  return 0;\n}\n\napp.delete("/dogs/:id", listDogs);\n',
        "return 0",
        ("DELETE", "/dogs/:id"),
    ),
    "Birds.java": (
        "import org.springframework.web.bind.annotation.*;\n\n@RestController\n"
        'class Birds {\n  @PutMapping("/birds")\n  int change() {\n    return 0;\n  }\n}\n',
        "return 0",
        ("PUT", "/birds"),
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_route_of_changed_code_is_named(shop: Shop, name: str) -> None:
    text, old, route = SAMPLES[name]
    write_files(shop.root, {name: text})
    shop.commit("routes")
    shop.edit(name, old, "return 1")
    assert [(found.method, found.address) for found in shop.report().routes] == [route]


def test_code_without_routes_has_none(shop: Shop) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    assert shop.report().routes == ()
