"""Examples come back from what their devices tell: every link with both of its ports, and every name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adopt.round_trip import adopt_example

WHOLE = (
    "leaf-spine",
    "superpod-b300",
    "superpod-b200-3tier",
    "dual-tor",
    "four-tier",
    "gaudi3",
    "multi-plane",
    "pkeys",
    "rail-groups",
    "top-of-rack",
)
"""Examples of which all links, ports and names come back."""


@pytest.mark.slow
@pytest.mark.parametrize("example", WHOLE)
def test_an_example_comes_back(example: str, tmp_path: Path) -> None:
    back = adopt_example(example, tmp_path)
    assert (back.lost, back.beside) == (0, 0), back.page
    assert "devices" not in back.adoption.words.get("names", {}), back.page
