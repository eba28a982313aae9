"""Every example opens from a file, in both ways of looking and in all its colours, without an error or a request."""

from __future__ import annotations

import pytest

from fabricgen.export.view.page import page_of
from fabricgen.export.view.source import Beside
from fabricgen.lint.engine import lint
from tests.conftest import EXAMPLES, example_cluster


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_opens_in_all_its_colours(pages, name):
    cluster = example_cluster(name)
    beside = Beside(findings=lint(cluster.design, cluster).findings)
    shown = pages.of(cluster, text=page_of(cluster, beside))
    assert shown.locator("#title").inner_text() == cluster.design.loaded.blueprint.name
    for way in ("hall", "fabric"):
        shown.evaluate("way => FG.set({ way })", way)
        for overlay in shown.evaluate("() => FG.overlay.known.map(one => one.name)"):
            shown.evaluate("overlay => FG.set({ overlay })", overlay)
            shown.wait_for_selector(f"html[data-overlay={overlay}]", state="attached")
            assert shown.locator("#legend h2").count() == 1
