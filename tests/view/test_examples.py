"""Every example opens from a file, in both ways of looking and in all its colours, without an error or a request."""

from __future__ import annotations

import pytest

from fabricgen.export.view.page import make_page
from fabricgen.export.view.source import PageExtras
from fabricgen.lint.engine import lint
from tests.conftest import EXAMPLES, example_cluster

EVERY_LOOK = """async () => {
  const seen = [], root = document.documentElement;
  for (const way of ["hall", "fabric"]) {
    FG.set({ way });
    for (const { name } of FG.overlay.known) {
      FG.set({ overlay: name });
      for (let n = 0; n < 1000 && root.dataset.overlay !== name; n += 1) await new Promise(requestAnimationFrame);
      seen.push([way, name, root.dataset.overlay, document.querySelectorAll("#legend h2").length]);
    }
  }
  return seen;
}"""
"""Every overlay in both ways of looking, once painted: what was asked for, what is shown, and how many legends."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_opens_in_all_its_colours(pages, name):
    cluster = example_cluster(name)
    beside = PageExtras(findings=lint(cluster.design, cluster).findings)
    shown = pages.of(cluster, text=make_page(cluster, beside))
    assert shown.locator("#title").inner_text() == cluster.design.loaded.blueprint.name
    seen = shown.evaluate(EVERY_LOOK)
    assert {way for way, *_ in seen} == {"hall", "fabric"}
    assert len(seen) == 2 * len(shown.evaluate("() => FG.overlay.known"))
    assert [look for look in seen if look[2:] != [look[1], 1]] == []
