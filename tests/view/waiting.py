"""What the page shows, once it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def losses_of(page: Page, kind: str) -> list[str]:
    """The lines of a kind that the panel of losses shows, without names of devices."""
    page.wait_for_selector("#losses .lost")
    lines = page.locator(f"#losses .{kind}")
    return [text.strip() for text in lines.evaluate_all("all => all.map(one => one.firstChild.textContent)")]
