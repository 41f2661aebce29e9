"""Bash: functions of the file, of sourced files, and of the root."""

from __future__ import annotations

from typing import Any


def test_commands_that_are_functions(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/util.sh": "helper() { echo hi; }\n",
            "bin/run.sh": '#!/bin/bash\nsource "$DIR/lib/util.sh"\n. ./local.sh\n'
            "go() { helper; near; far_away; ls -l; local x=$(other | near); }\nother() { :; }\n",
            "bin/local.sh": "near() { :; }\n",
            "more/far.sh": "far_away() { :; }\n",
            "test/t.bats": "load test_helper\n@test 'x' {\n  run from_helper 1\n}\n",
            "test/test_helper.bash": "from_helper() { :; }\n",
        }
    )
    assert {"go calls helper", "go calls near", "go calls far_away", "go calls other"} <= graph.edges("calls")
    assert graph.how("go", "helper") == "import"
    assert graph.how("go", "other") == "local"
    assert graph.how("go", "far_away") == "unique_name"
    assert graph.edges("imports") == {
        "bin.run imports lib.util",
        "bin.run imports bin.local",
        "test.t imports test.test_helper",
    }
