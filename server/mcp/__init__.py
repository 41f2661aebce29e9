"""MCP: bytes of a client → a call of a tool → bytes of the answer.

`transport.serve` starts one way of being reached. On stdio `session` speaks the protocol itself, line by line; HTTP and
SSE go through the MCP library (`endpoint`) behind `guard` and `connections`. Nothing here knows how answers are found.
"""
