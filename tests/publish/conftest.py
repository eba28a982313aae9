"""A target folder for each way in which a build may land."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import fabricgen.publish.folder as folders


@pytest.fixture(params=["exchange", "journal", "refused exchange", "no links"])
def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A target that does not exist yet, under each mechanism."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    if request.param == "journal":
        monkeypatch.setattr(folders, "is_exchangeable", lambda real: False)
    elif request.param == "refused exchange":
        monkeypatch.setattr(folders, "exchange_paths", refuse)
    elif request.param == "no links":
        monkeypatch.setattr(os, "link", refuse)
    return tmp_path / "out"
