"""Tests: folders mirror the code; `support` is what several of them share."""
