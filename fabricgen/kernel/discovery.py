"""Discovery: a module that exists in a folder is registered; nothing lists it."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType


@cache
def module_names(package: str) -> tuple[str, ...]:
    """Return the sorted names of the public modules in a package, without importing them."""
    paths = importlib.import_module(package).__path__
    return tuple(sorted(m.name for m in pkgutil.iter_modules(paths) if not m.name.startswith("_")))


def load(package: str, name: str) -> ModuleType:
    """Import one module of a package; raises KeyError when the package has no such module."""
    if name not in module_names(package):
        raise KeyError(name)
    return importlib.import_module(f"{package}.{name}")


def load_all(package: str) -> tuple[ModuleType, ...]:
    """Import every public module of a package, in the order of their names."""
    return tuple(load(package, name) for name in module_names(package))
