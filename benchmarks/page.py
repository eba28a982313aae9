"""Refresh docs/performance.md from what was measured last: `python -m benchmarks.page`.

What stands between `<!-- NAME -->` and `<!-- end of NAME -->` is made from benchmarks/results, all else is by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from benchmarks.results import machine_line, peer_lines, profile_lines, target_lines
from benchmarks.sizes import ROOT

RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "performance.md"


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """A page with the content of its blocks replaced; raises KeyError for a block that nothing is made for."""
    pattern = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)
    return pattern.sub(lambda found: f"{found[1]}{blocks[found[2]]}\n{found[3]}", text)


def blocks() -> dict[str, str]:
    """The content of every block, from the results that there are."""
    speed, profile = (_results(name) for name in ("speed", "profile"))
    return {
        "targets": _told(speed, target_lines(speed["targets"]) if speed else []),
        "peers": "\n".join(peer_lines(speed["peers"]) if speed else []).strip(),
        "profile": _told(profile, profile_lines(profile["sizes"]) if profile else []),
    }


def _results(name: str) -> dict[str, Any]:
    path = RESULTS / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_bytes()) if path.is_file() else {}
    return found


def _told(results: Mapping[str, Any], lines: list[str]) -> str:
    if not results:
        return "Not measured yet."
    about = results["about"]
    return "\n".join([*lines, "", f"{about['date']}: {machine_line(about)} {about['note']}".strip()])


def fill() -> None:
    """Refresh the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), blocks()), encoding="utf-8")


if __name__ == "__main__":
    fill()
