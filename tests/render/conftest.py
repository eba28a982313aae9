"""What labs share: what they start, asked for once a process, and a folder for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.lab import machine
from tests.conftest import require
from tests.render import frr_lab


@pytest.fixture(scope="session")
def daemons() -> None:
    """FRR's daemons, and the right to make network namespaces."""
    require(machine.explain_lack())


@pytest.fixture
def short_path(daemons: None) -> Iterator[Path]:
    """A folder for the sockets of a lab's daemons."""
    with frr_lab.short_folder() as folder:
        yield folder
