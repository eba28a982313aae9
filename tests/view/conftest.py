"""Pages in a real browser: opened from a file, and failed by an error on the console, or a request to anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.cli import pictures
from fabricgen.cluster import Cluster
from fabricgen.export.view.page import make_page
from tests.conftest import example_cluster, require

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

PATIENCE_MS = 300_000
"""How long a page is waited for: a slow machine is no failure."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that open pages are a stage of their own, `-m browser`: they take minutes."""
    for item in items:
        if isinstance(item, pytest.Function) and "browser" in item.fixturenames:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as the machine has it; it is not a session's, since its loop would be in the way of other tests."""
    require("" if find_spec("playwright") else "playwright is missing: `pip install playwright` to drive a browser")
    require("" if pictures.find_browser() else "chromium is missing: `apt-get install chromium` to open pages")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=pictures.find_browser(), args=list(FLAGS))
        yield chromium
        chromium.close()


class Pages:
    """Opens pages, and keeps what went wrong in them."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.faults: list[str] = []
        self._folder, self._count = folder, 0
        self._context = browser.new_context(viewport={"width": 1600, "height": 900})
        self._context.set_default_timeout(PATIENCE_MS)

    def at(self, address: str, ready: str = "html[data-ready]") -> Page:
        """Open an address, and wait until it is painted, or shows something else."""
        home = address.partition("#")[0]
        page = self._context.new_page()
        page.on("console", lambda said: self.faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda asked: self._asked(asked.url, home))
        page.goto(address)
        page.wait_for_selector(ready, timeout=PATIENCE_MS)
        return page

    def of(self, cluster: Cluster | str, fragment: str = "", text: str = "") -> Page:
        """Write the page of a cluster, or of an example by name, or a text of a page, to a file and open that."""
        known = example_cluster(cluster) if isinstance(cluster, str) else cluster
        self._count += 1
        file = self._folder / f"cluster{self._count}.html"
        file.write_text(text or make_page(known), encoding="utf-8")
        return self.at(file.as_uri() + (f"#{fragment}" if fragment else ""))

    def close(self) -> None:
        """Close all pages."""
        self._context.close()

    def _asked(self, address: str, home: str) -> None:
        own = address.partition("#")[0] == home or address.startswith(("data:", "blob:"))
        if not own and not home.startswith("http"):
            self.faults.append(f"asks for {address}")


@pytest.fixture
def pages(browser: Browser, tmp_path: Path) -> Iterator[Pages]:
    """Opens any page; the test fails where one had an error, or asked for anything."""
    opened = Pages(browser, tmp_path)
    yield opened
    opened.close()
    assert not opened.faults


@pytest.fixture
def page(pages: Pages) -> Callable[..., Page]:
    """`page("superpod-b200", "way=fabric")`: the page of an example, opened at a fragment."""
    return pages.of
