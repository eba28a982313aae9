"""How much work something is, told the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(action: Callable[[], object]) -> int:
    """How many calls of functions, of Python and of C, an action makes in this thread: time that no machine changes."""
    made = 0

    def count(_frame: FrameType, event: str, _about: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(before)
    return made
