"""Generated pages and schemas are those that the code makes now."""

from __future__ import annotations

import pytest

from tools.generate import ROOT, WRITERS


@pytest.mark.parametrize("path", sorted(WRITERS))
def test_generated_files_are_fresh(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == WRITERS[path](), "run python tools/generate.py"
