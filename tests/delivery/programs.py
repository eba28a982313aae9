"""Programs on the PATH of a test: fabricgen as it is installed, and stand-ins that write down what they are told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def program(folder: Path, name: str, *lines: str) -> None:
    """A program of the shell in a folder."""
    file = folder / name
    file.write_text("\n".join(["#!/bin/bash", *lines, ""]), encoding="utf-8")
    file.chmod(0o755)


def environment(folder: Path) -> dict[str, str]:
    """An environment with the programs of a folder, and fabricgen, before all others."""
    program(folder, "fabricgen", f'exec {sys.executable} -m fabricgen "$@"')
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
