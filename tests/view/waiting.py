"""What the page shows, once it does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

Shown = TypeVar("Shown")

if TYPE_CHECKING:
    from playwright.sync_api import Page


def losses_of(page: Page, kind: str) -> list[str]:
    """The lines of a kind that the panel of losses shows, without names of devices."""
    page.wait_for_selector("#losses .lost")
    lines = page.locator(f"#losses .{kind}")
    return [text.strip() for text in lines.evaluate_all("all => all.map(one => one.firstChild.textContent)")]


def shown_once(look: Callable[[], Shown], right: Callable[[Shown], bool], seconds: float = 300) -> Shown:
    """What a page shows once that is right, or after some seconds."""
    deadline = time.monotonic() + seconds
    while not right(shown := look()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return shown


def resize(page: Page, width: int, height: int) -> None:
    """Give the window a size, and wait until the picture is drawn anew: its place has that size a frame before."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(
        """([width, height]) => {
          const picture = document.getElementById("picture"), { clientWidth, clientHeight } = picture;
          const isFitted = picture.width === Math.floor(clientWidth * FG.ratio)
            && picture.height === Math.floor(clientHeight * FG.ratio);
          return innerWidth === width && innerHeight === height && isFitted;
        }""",
        arg=[width, height],
    )
