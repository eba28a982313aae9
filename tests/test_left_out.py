"""What is left out of packages at the start costs nobody anything but time."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = "import sys; from fabricgen.cli import main; import numpy as np; import numpy.linalg"


def said(program: str) -> str:
    """What a Python process of its own prints."""
    command = [sys.executable, "-c", f"{START}\n{program}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_numpy_declares_no_types_for_annotations() -> None:
    assert said("print([name for name in sys.modules if name.startswith('numpy._typing.')])") == "[]"


@pytest.mark.parametrize(
    "program",
    [
        "import numpy.typing as npt; print(npt.NDArray[np.int32] == expected, npt.ArrayLike is not None)",
        "import numpy._typing._add_docstring as a, numpy.typing as t; print(t.NDArray[np.int32] == expected, bool(a))",
        "from numpy._typing import ArrayLike, NDArray; print(NDArray[np.int32] == expected, bool(ArrayLike))",
    ],
)
def test_who_asks_for_these_types_gets_them(program: str) -> None:
    asked = f"from typing import Any\nexpected = np.ndarray[tuple[Any, ...], np.dtype[np.int32]]\n{program}"
    assert said(asked) == "True True"


def test_numpy_calculates_as_ever() -> None:
    assert said("print(np.linalg.norm([3.0, 4.0]), *np.linalg.eigh(np.eye(2)).eigenvalues)") == "5.0 1.0 1.0"
