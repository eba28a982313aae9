"""What rules and faults say of their own bad examples, kept as text beside the tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import Diagnostic

FINDINGS = Path(__file__).parent / "findings"


def assert_as_kept(code: str, said: Iterable[Diagnostic], folder: Path, request: pytest.FixtureRequest) -> None:
    """Compare findings on an example in `folder` with the text of their code; `--regenerate` writes it anew."""
    text = "".join(f"{finding.text()}\n" for finding in said).replace(f"{folder}/", "")
    kept = FINDINGS / f"{code}.txt"
    if request.config.getoption("--regenerate"):
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")
