"""`research`: one call that answers an architectural question, without a model. `ask` is the whole of it."""

from __future__ import annotations

from sightline.retrieval.research.ask import USUAL_TOKENS, research
from sightline.retrieval.research.model import Fact, LeftOut, ResearchResult, Section

__all__ = ["USUAL_TOKENS", "Fact", "LeftOut", "ResearchResult", "Section", "research"]
