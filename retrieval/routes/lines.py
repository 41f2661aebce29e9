"""A route as one line of an answer."""

from __future__ import annotations

from sightline.retrieval.routes.find import Answering


def route_line(one: Answering) -> str:
    """`POST /users → create_user app/views.py:12  (Flask, @app.post app/views.py:11, 0.95)`."""
    route = one.route
    methods = ",".join(route.methods) or "ANY"
    name = one.name or "(inline)"
    unfound = " not found," if one.position is None and one.name else ""
    where = f"{unfound} {one.path}:{one.line}"
    partial = f"; partial: {route.partial}" if route.partial else ""
    stated = f"{route.framework}, {route.how} {route.path}:{route.line}, {one.confidence:.2f}"
    return f"{methods} {route.address} → {name}{where}  ({stated}{partial})"
