"""Checks of the structure of files that users write, against the JSON Schemas that ship with fabricgen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from pydantic import BaseModel

from fabricgen.blueprint.beside.lock import is_lock, parse_lock
from fabricgen.blueprint.load import SETTINGS
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.schema import list_catalog_names, make_schema_of_names
from fabricgen.blueprint.sections.lint_settings import Project
from fabricgen.blueprint.source import read_source
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import PROFILE_KINDS, find_model
from fabricgen.catalog.naming import NosNaming
from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean, fault
from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.kernel.text_input import read_bytes
from fabricgen.kernel.units import parse_count
from fabricgen.models.json_schema import Names
from fabricgen.models.validation import format_path, shorten_message, validate
from fabricgen.yaml.located import Located, read_located


def describe_kind(file: str) -> str:
    """Return the kind of a file in words, such as `blueprint`, `node profile` or `lock`, by its name, its place or
    its own `kind`.
    """
    try:
        kind = _find_kind(file)
    except InputError:
        return "profile"
    return _WORDS.get(kind) or f"{kind.removesuffix('s').replace('_', '-')} profile"


_WORDS = {
    "": "blueprint",
    "settings": "settings file",
    "lock": "lock",
    "platforms": "NOS",
    "ports": "port table",
    "switches": "switch profile",
}
"""Kinds of files in words; those of other profiles are their folder without its last letter."""


def _find_kind(file: str) -> str:
    """Return the kind of a file: a key of `_WORDS` ("" for a blueprint), or for a profile the folder of its kind.

    That is the folder of a catalogue that the profile lies in or that its `kind` names. Raises InputError (FG010) for a
    profile of no known kind: a file with an `id` or a `kind`, which no blueprint has, and without the keys that every
    blueprint has.
    """
    path = Path(file)
    folder, above = path.absolute().parent.name, path.absolute().parent.parent.name
    if path.name == SETTINGS or is_lock(file):
        return "settings" if path.name == SETTINGS else "lock"
    if above == "platforms":
        return "ports"
    if above == "catalog" and folder in (*PROFILE_KINDS, "platforms"):
        return folder
    try:
        located = read_located(path)
    except InputError:
        return ""
    data = located.data
    if (
        not isinstance(data, dict)
        or not {"id", "kind"} & data.keys()
        or {"fabricgen", "fabrics", "include"} & data.keys()
    ):
        return ""
    folders = {str(find_model(name).model_fields["kind"].default): name for name in PROFILE_KINDS}
    stated = str(data.get("kind", ""))
    if stated not in folders:
        message = f"'{shorten_message(stated)}' is no kind of profile" if stated else "a profile needs `kind`"
        raise fault("FG010", message, span=located.span(("kind",)), hint=did_you_mean(stated, folders))
    return folders[stated]


def check_structure(file: str) -> None:
    """Check a blueprint with what it includes, or a lock, project settings or a file of a catalogue, by its place or
    kind.

    JSON Schema decides first, and then the reader that lint has; a profile is checked against the others of its
    catalogue as well. Raises InputError with every fault: FG001 to FG008 for files that cannot be read, FG010 for what
    does not fit the schema and for a profile of no kind or whose id is not its file's name, FG038 for a damaged lock,
    FG011 and FG018 for names in a blueprint that its catalogue does not have.
    """
    path, kind = Path(file), _find_kind(file)
    if kind == "settings":
        hold_to_schema("project", Project, read_located(path))
    elif kind == "lock":
        parse_lock(read_bytes(path, file), file)
    elif kind in PROFILE_KINDS:
        model = find_model(kind)
        hold_to_schema("catalog", model, read_located(path), part=model.__name__)
        if path.absolute().parent.parent.name == "catalog":
            Catalog(path.absolute().parent.parent).check_profile(kind, path.stem)
    elif kind:
        validate(NosNaming if kind == "platforms" else SonicPlatform, read_located(path))
    else:
        source = read_source(file)
        hold_to_schema("blueprint", Blueprint, source)
        hold_to_names(source, Catalog(path.parent / "catalog"))


def check_overlay(file: str) -> None:
    """Check a file that is laid over a blueprint, without the files that it includes.

    Raises InputError with every fault: FG001 to FG008 for files that cannot be read, FG010 for what does not fit the
    schema.
    """
    located = read_located(Path(file))
    errors = list(load_schema_validator("overlay").iter_errors(located.data))
    if not errors:
        return
    try:
        validate(Blueprint, located)
    except InputError as error:  # in the user's terms, but also of keys that only the blueprint itself has: its name
        if of_overlay := [d for d in error.diagnostics if d.path and d.path[0] in located.data]:
            raise InputError(of_overlay) from error
    raise InputError(_make_diagnostic(error, located) for error in errors)


def hold_to_schema(name: str, model: type[BaseModel], located: Located, *, part: str = "") -> None:
    """Check data against a schema of the folder `schemas/`, or a definition in it. Raises InputError (FG010) if it does
    not fit.

    The model says what is wrong, and where, in the user's terms; the schema itself only if the model has no objection.
    What only the model objects to, such as the order of two numbers, is refused as lint does.
    """
    errors = list(load_schema_validator(name, part).iter_errors(located.data))
    validate(model, located)
    if errors:
        raise InputError(_make_diagnostic(error, located) for error in errors)


def hold_to_names(located: Located, catalog: Catalog) -> None:
    """Check a blueprint of the right structure against the names in its catalogue. Raises InputError (FG011, FG018)."""
    leaves = (best_match([error]) for error in _make_validator(list_catalog_names(catalog)).iter_errors(located.data))
    if unknown := [_make_unknown(leaf, located, catalog) for leaf in leaves]:
        raise InputError(unknown)


@lru_cache(maxsize=8)
def _make_validator(names: Names) -> Validator:
    """Return the validator of the names in a catalogue; it is cached, as making it takes longer than using it."""
    return Draft202012Validator(make_schema_of_names(names))


def _make_unknown(error: ValidationError, located: Located, catalog: Catalog) -> Diagnostic:
    """Return the fault for a name that the catalogue does not have; its hint is the nearest name that it has."""
    path, value = tuple(error.absolute_path), str(error.instance)
    if error.validator == "enum" and isinstance(error.validator_value, list):
        names = [str(name) for name in error.validator_value]
    else:
        value, names = parse_count(value)[1], list(catalog.ids("nodes"))
    code = "FG018" if names == list(catalog.list_known_nos()) else "FG011"
    message = f"{format_path(path)}: '{shorten_message(value)}' is not in the catalogue"
    return Diagnostic(code, Severity.ERROR, message, path, did_you_mean(value, names), located.span(path))


@cache
def load_schema_validator(name: str, part: str = "") -> Validator:
    """Return the validator of a schema of the folder `schemas/`: `blueprint` for `blueprint.schema.json`.

    With `part`, it is the validator of the definition of that name in the schema.
    """
    file = find_resource_dir("schemas") / f"{name}.schema.json"
    kind: type[Validator] = extend(Draft202012Validator, {"pattern": _match_pattern})  # type: ignore[no-untyped-call]
    schema = json.loads(file.read_text(encoding="utf-8"))
    return kind({"$defs": schema["$defs"], "$ref": f"#/$defs/{part}"} if part else schema)


def _match_pattern(_: Validator, pattern: str, text: Any, __: Any) -> Iterator[ValidationError]:
    """Yield an error if a text does not match a pattern of ECMA-262, which JSON Schema uses: `$` is the very end,
    and `\\d` stands for ASCII digits.
    """
    if isinstance(text, str) and not re.search(pattern.replace("$", r"\Z"), text, re.ASCII):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


def _make_diagnostic(error: ValidationError, located: Located) -> Diagnostic:
    """Return the fault for an error of a schema."""
    error = best_match([error])  # of a choice, what is wrong with the one that was meant
    path = tuple(error.absolute_path)
    where = f"{format_path(path)}: " if path else ""
    return Diagnostic(
        "FG010", Severity.ERROR, f"{where}{shorten_message(error.message)}", path, span=located.span(path)
    )
