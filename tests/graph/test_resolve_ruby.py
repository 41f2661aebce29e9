"""Ruby: constants of the whole root, mixins, calls without parentheses, require."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_constants_mixins_instance_variables_and_bare_calls(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/app.rb": "require 'app/page'\nrequire_relative 'app/item'\nrequire 'json'\n",
            "lib/app/item.rb": "module App\n  class Item\n    def self.make\n      new\n    end\n"
            "    def run; end\n  end\nend\n",
            "lib/app/page.rb": """
module App
  module Loud
    def shout; end
  end
  class Base
    def load; end
  end
  class Page < Base
    include Loud
    attr_reader :extra
    def initialize(x)
      @item = Item.new
      @extra = App::Item.new
      super()
    end
    def show
      @item.run
      extra.run
      Item.make.run
      shout
      helper if ready
      self.load
      local = 1
      local
    end
    def load
      super
    end
    private
    def helper; end
    def ready; end
  end
end
""",
        }
    )
    assert graph.edges(*CALLS) == {
        "App.Item.make instantiates App.Item",
        "App.Page.initialize instantiates App.Item",
        "App.Page.show calls App.Item.run",
        "App.Page.show calls App.Item.make",
        "App.Page.show calls App.Loud.shout",
        "App.Page.show calls App.Page.helper",
        "App.Page.show calls App.Page.ready",
        "App.Page.show calls App.Page.load",
        "App.Page.load calls App.Base.load",
    }
    assert graph.edges("inherits") == {"App.Page inherits App.Base", "App.Page inherits App.Loud"}
    assert graph.edges("overrides") == {"App.Page.load overrides App.Base.load"}
    assert graph.edges("imports") == {
        "lib.app imports lib.app.page",
        "lib.app imports lib.app.item",
        "lib.app imports <json>",
    }
