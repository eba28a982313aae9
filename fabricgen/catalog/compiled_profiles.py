"""Built-in profiles as they were once read and checked: at start no YAML of them is read and no validator is made.

`compiled/<folder>.jsonl`, which `tools/generate.py` writes, has a line for each built-in file: its name, length and
CRC-32 of its YAML, and the values of its models. A file that has changed since is read as YAML, as those of users are.
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from fabricgen.models.plain_model import PlainModel

BUILT_IN = Path(__file__).resolve().parent
_KIND = "is"
"""The key beside the fields of a model that names it; no field is called so, as it is a word of Python's."""
_ITEMS = "items"
"""A mapping whose keys are not all text, as pairs."""


def compiled_profile(file: Path) -> Any:
    """The model of a built-in file; None where it is not compiled, or has changed since it was."""
    line = _lines(compiled_file(file.parent)).get(file.stem)
    if line is None:
        return None
    _, digest, profile = json.loads(line, object_hook=_restored)
    return profile if digest == _digest(file) else None


def _digest(file: Path) -> list[int]:
    """Length and CRC-32 of a file: it tells an edit, and is there at once, unlike what tells forgeries too."""
    content = file.read_bytes()
    return [len(content), binascii.crc32(content)]


def compiled_text(models: Mapping[Path, PlainModel]) -> str:
    """What is kept of the models of the files of a folder."""
    lines = ([file.stem, _digest(file), _kept(models[file])] for file in sorted(models))
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def compiled_file(folder: Path) -> Path:
    """Where the models of the files of a built-in folder are kept."""
    return BUILT_IN / "compiled" / f"{'-'.join(folder.relative_to(BUILT_IN).parts)}.jsonl"


@cache
def _lines(file: Path) -> dict[str, str]:
    """Line of each profile, by its name: only those that are asked for are read further."""
    if not file.is_file():
        return {}
    return {line.split('"', 2)[1]: line for line in file.read_text(encoding="ascii").splitlines()}


def _kept(value: Any) -> Any:
    """A value as JSON; raises TypeError for one that would not come back as it was."""
    if isinstance(value, PlainModel):
        return {_KIND: _name(type(value))} | {name: _kept(item) for name, item in _stated(value).items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {_KIND: _name(type(value))} | {name: _kept(item) for name, item in value._asdict().items()}
    if type(value) is tuple:
        return [_kept(item) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) and key != _KIND for key in value):
            return {key: _kept(item) for key, item in value.items()}
        return {_KIND: _ITEMS, _ITEMS: [[_kept(key), _kept(item)] for key, item in value.items()]}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise TypeError(f"a value of {type(value).__name__} is not kept")


def _stated(model: PlainModel) -> dict[str, Any]:
    """Fields that are not as they usually are."""
    kind: Any = type(model)
    usual, found = _usual(kind), {field.name: getattr(model, field.name) for field in fields(kind)}
    return {name: value for name, value in found.items() if name not in usual or value != usual[name]}


def _name(kind: type) -> str:
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"


def _restored(found: dict[str, Any]) -> Any:
    """What an object of JSON stands for, those within it being restored."""
    kind = found.pop(_KIND, None)
    if kind == _ITEMS:
        return dict(_tuples(found[_ITEMS]))
    parts = {name: _tuples(value) if type(value) is list else value for name, value in found.items()}
    return _made(_kind(kind), parts) if kind else parts


def _tuples(values: list[Any]) -> tuple[Any, ...]:
    return tuple([_tuples(value) if type(value) is list else value for value in values])


def _made(kind: Any, stated: dict[str, Any]) -> Any:
    """A model, or a tuple with names; what is stated was checked when it was compiled."""
    if not issubclass(kind, PlainModel):
        return kind(**stated)
    made = object.__new__(kind)
    vars(made).update({**_usual(kind), **stated})
    return made


@cache
def _kind(name: str) -> type[Any]:
    module, _, kind = name.partition(".")
    found: type[Any] = getattr(import_module(f"fabricgen.catalog.{module}"), kind)
    return found


@cache
def _usual(model: Any) -> dict[str, Any]:
    """What each field is that need not be stated."""
    made = {f.name: f.default_factory() for f in fields(model) if f.default_factory is not MISSING}
    return {f.name: f.default for f in fields(model) if f.default is not MISSING} | made
