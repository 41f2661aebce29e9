"""Names that Lua brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    assert collectgarbage dofile error getmetatable ipairs load loadstring next pairs pcall print rawequal rawget
    rawlen rawset require select setmetatable vim string table math os io debug coroutine package jit bit utf8
    tonumber
    tostring type unpack xpcall describe it before_each after_each
    """
)
COMMON_MEMBERS = EVERYWHERE | words(
    "byte char find format gmatch gsub len lower match rep reverse sub upper insert remove"
)
