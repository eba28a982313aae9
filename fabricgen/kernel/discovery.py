"""Discovery: a module that exists in a folder is registered, and nothing lists it; and folders of resources."""

from __future__ import annotations

import importlib
import os
from functools import cache
from pathlib import Path
from types import ModuleType


@cache
def list_modules(package: str) -> tuple[str, ...]:
    """Return the sorted names of the public modules in a package, without importing them.

    `pkgutil` of the standard library would look at each of hundreds of files several times.
    """
    files = (file for folder in importlib.import_module(package).__path__ for file in os.listdir(folder))  # noqa: PTH208 - names are enough
    names = (file.removesuffix(".py") for file in files if file.endswith(".py") and not file.startswith("_"))
    return tuple(sorted(name for name in names if name.isidentifier()))


@cache
def list_rooms(package: str) -> tuple[str, ...]:
    """Return a package and the packages directly inside it, sorted, without importing the modules in these."""
    entries = (entry for folder in importlib.import_module(package).__path__ for entry in os.scandir(folder))
    names = sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("_"))
    return (package, *(f"{package}.{name}" for name in names))


def load_module(package: str, name: str) -> ModuleType:
    """Return a module of a package, imported. Raises KeyError if the package has no such module."""
    if name not in list_modules(package):
        raise KeyError(name)
    return importlib.import_module(f"{package}.{name}")


def load_modules(package: str) -> tuple[ModuleType, ...]:
    """Return every public module of a package, imported, in the order of their names."""
    return tuple(load_module(package, name) for name in list_modules(package))


# The folders of schemas, templates and example blueprints, which are in the wheel, or at the top of a checkout.

_PACKAGE = Path(__file__).resolve().parent.parent


def find_resource_dir(name: str) -> Path:
    """Return the folder `schemas`, `templates` or `blueprints`, as installed or as checked out."""
    bundled = _PACKAGE / "_bundled" / name
    return bundled if bundled.is_dir() else _PACKAGE.parent / name
