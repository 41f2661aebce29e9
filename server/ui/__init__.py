"""The explorer: a page that shows people what their agent sees (`sightline ui`).

`explorer` answers the page's requests, behind the same guard as MCP over HTTP; `pages` makes what each of its views
shows and `shapes` declares that; `web/` has the page's sources (TypeScript) and `static/` what `scripts/ui` builds of
them, so that installing needs no node. Everything that comes from a repository travels as JSON and is shown as text.
"""
