"""numpy without what programs never ask for: a quarter of what its import takes at every start."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

_LEFT_OUT = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars", "numpy._typing")
"""Texts of help for functions written in C, which nobody reads here; types that annotations of numpy's name."""


class _StandIn(ModuleType):
    """A module whose every name stands for something that may be subscripted, as types in annotations are."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return list


def import_numpy() -> None:
    """Import numpy, unless it is; whoever asks for what is left out later gets it as it is.

    For the parts of the program that compute with it, before they import it themselves.
    """
    if "numpy" in sys.modules:
        return
    standing = {name: _StandIn(name) for name in _LEFT_OUT if name not in sys.modules}
    sys.modules.update(standing)
    try:
        import numpy  # noqa: F401 - what follows finds it
    finally:
        for name, module in standing.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
