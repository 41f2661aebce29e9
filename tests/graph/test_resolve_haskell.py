"""Haskell: imports, classes and instances, functions without parentheses."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_imports_instances_and_applications(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/App/Item.hs": "module App.Item where\n\ndata Item = Item Int | NoItem\n\nrun :: Item -> Int\n"
            "run (Item n) = n\nrun NoItem = 0\n",
            "src/App/Util.hs": "module App.Util (helper, twice) where\n\nhelper :: Int -> Int\nhelper x = x\n\n"
            "twice :: Int -> Int\ntwice x = helper x\n",
            "src/App/Page.hs": """module App.Page where

import App.Item
import qualified App.Util as U
import App.Util (twice)
import Data.Map (Map)

newtype Page = Page Item

class Named a where
  name :: a -> Int

class Named a => Shown a where
  shown :: a -> Int

instance Shown Page where
  shown (Page i) = run i

start :: Page -> Int
start p = U.helper $ shown p + twice (hide p)
  where hide q = name q

make :: Int -> Page
make n = Page NoItem
""",
        }
    )
    assert {
        "twice calls helper",
        "Page.shown calls run",
        "start calls helper",
        "start calls Shown.shown",
        "start calls twice",
        "start calls Named.name",
        "make instantiates Page",
    } <= graph.edges(*CALLS)
    assert graph.edges("implements") == {"Page implements Shown"}
    assert graph.edges("inherits") == {"Shown inherits Named"}
    assert {
        "src.App.Page imports src.App.Item",
        "src.App.Page imports src.App.Util",
        "src.App.Page imports <Data.Map>",
    } <= graph.edges("imports")
    assert {"start uses_type Page", "run uses_type Item"} <= graph.edges("uses_type")


def test_a_module_hands_on_what_it_says_and_nothing_else(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/Doc.hs": (
                "module Doc (module Doc.Readers, module R, version) where\n\n"
                "import Absent.Definition\nimport Doc.Readers\nimport Doc.Writers as R\nimport Doc.Hidden\n\n"
                "version :: Int\nversion = 1\n"
            ),
            "src/Doc/Readers.hs": "module Doc.Readers (getReader) where\n\ngetReader :: Int -> Int\ngetReader x = x\n",
            "src/Doc/Writers.hs": "module Doc.Writers where\n\ngetWriter :: Int -> Int\ngetWriter x = x\n",
            "src/Doc/Hidden.hs": "module Doc.Hidden where\n\nhidden :: Int -> Int\nhidden x = x\n",
            "src/Other.hs": "module Other (getReader) where\n\nimport Doc.Readers\n",
            "src/App.hs": (
                "module App where\n\nimport Absent.Prelude\nimport Doc\n\n"
                "run :: Int -> Int\nrun x = getReader (getWriter (hidden x))\n"
            ),
            "src/Far.hs": "module Far where\n\nimport Other\n\nfar :: Int -> Int\nfar x = getReader x\n",
        }
    )
    calls = graph.edges("calls")
    assert {"run calls getReader", "run calls getWriter", "far calls getReader"} <= calls
    assert "run calls hidden" not in calls
