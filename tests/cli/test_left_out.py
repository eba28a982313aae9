"""What is left out of packages at the start costs nobody anything but time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fabricgen.cli import left_out
from fabricgen.kernel.resources import resource_dir

BLUEPRINT = resource_dir("blueprints") / "superpod-b300.yaml"
START = "import sys; from fabricgen.cli import main; import numpy as np; import numpy.linalg"


def said(program: str, start: str = START) -> str:
    """What a Python process of its own prints."""
    command = [sys.executable, "-c", f"{start}\n{program}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_numpy_declares_no_types_for_annotations() -> None:
    assert said("print([name for name in sys.modules if name.startswith('numpy._typing.')])") == "[]"


@pytest.mark.parametrize(
    "program",
    [
        "import numpy.typing as npt; print(npt.NDArray[np.int32], npt.ArrayLike)",
        "import numpy._typing._add_docstring as a, numpy.typing as t; print(t.NDArray[np.int32], a.__name__)",
        "from numpy._typing import ArrayLike, NDArray; print(NDArray[np.int32], ArrayLike)",
    ],
)
def test_who_asks_for_these_types_gets_them(program: str) -> None:
    assert said(program) == said(program, "import numpy as np") != ""


def test_numpy_calculates_as_ever() -> None:
    assert said("print(np.linalg.norm([3.0, 4.0]), *np.linalg.eigh(np.eye(2)).eigenvalues)") == "5.0 1.0 1.0"


@pytest.mark.parametrize("module", sorted({*left_out._SELDOM_USED, "platform", "uuid"}))
def test_modules_that_load_when_they_are_asked_are_like_those_that_python_loads(module: str) -> None:
    names = f"sorted(name for name in vars({module}) if not name.startswith('__'))"
    told = f"import {module}; getattr({module}, '__all__', None); {module}.__doc__; print(*{names})"
    assert said(told) == said(told, "") != ""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("import csv; print(next(csv.reader(['a,b'])))", "['a', 'b']"),
        ("from hashlib import sha256; print(sha256(b'').hexdigest()[:8])", "e3b0c442"),
        ("import ctypes.util, ctypes; print(ctypes.sizeof(ctypes.c_int32))", "4"),
        ("import pickle; print(pickle.loads(pickle.dumps(np.arange(2))).tolist())", "[0, 1]"),
        (
            "import platform as p; print(p.uname().system == p.system() == sys.modules['platform'].system())",
            "True",
        ),
        ("import textwrap as t; from textwrap import dedent; print(t.dedent is dedent, dedent(' a'))", "True a"),
    ],
)
def test_what_is_asked_of_them_is_answered(program: str, expected: str) -> None:
    assert said(program) == expected


def test_a_lint_loads_those_at_most_that_the_library_of_a_newer_python_asks_for() -> None:
    others = [name for name in left_out._SELDOM_USED if name not in ("glob", "linecache")]
    loaded = f"print([name for name in {others} if vars(sys.modules[name]).get('__spec__')])"
    assert said(f"main.run(['lint', {str(BLUEPRINT)!r}])\n{loaded}").splitlines()[-1] == "[]"
