"""A target folder for each way in which a build may land."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import fabricgen.publish.folder as folders
import fabricgen.publish.journal as journal


@pytest.fixture(params=["exchange", "journal", "refused exchange", "no links", "few changes"])
def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A target that does not exist yet, under each mechanism."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    if request.param == "journal":
        monkeypatch.setattr(folders, "_exchangeable", lambda real: False)
    elif request.param == "few changes":
        monkeypatch.setattr(folders, "_few", lambda *_: True)
        monkeypatch.setattr(folders, "_MANY", 0)
    elif request.param == "refused exchange":
        monkeypatch.setattr(folders, "exchange", refuse)
        monkeypatch.setattr(journal, "exchange", refuse)
    elif request.param == "no links":
        monkeypatch.setattr(os, "link", refuse)
    return tmp_path / "out"
