"""The outside: MCP tools, command line, process life.

`app` is the only place where objects are wired together, `tools` has one function per MCP tool, `answers` knows both
what travels inside and what goes over the wire.
"""
