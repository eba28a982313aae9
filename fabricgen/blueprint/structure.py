"""The structure of what users write, without the catalogue: what JSON Schema checks, said at its place."""

from __future__ import annotations

from pathlib import Path

from fabricgen.blueprint.beside.lock import is_lock, parse_lock
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.project import SETTINGS
from fabricgen.blueprint.sections.lint_settings import Project
from fabricgen.blueprint.source import read_source
from fabricgen.catalog.models import PROFILE_KINDS
from fabricgen.catalog.naming import NosNaming
from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.kernel.text_input import read_bytes
from fabricgen.models.validation import validate
from fabricgen.yaml.located import read_located


def check_structure(file: str) -> None:
    """Check a blueprint with what it includes, or a lock, project settings or file of a catalogue by its place.

    Raises InputError with every fault: FG001 to FG008 for what cannot be read, FG010 for what does not fit the schema,
    FG038 for a damaged lock.
    """
    path = Path(file)
    folder, above = path.absolute().parent.name, path.absolute().parent.parent.name
    if path.name == SETTINGS:
        validate(Project, read_located(path))
    elif is_lock(file):
        parse_lock(read_bytes(path, file), file)
    elif above == "catalog" and folder in PROFILE_KINDS:
        validate(PROFILE_KINDS[folder], read_located(path))
    elif above == "catalog" and folder == "platforms":
        validate(NosNaming, read_located(path))
    elif above == "platforms" and folder == "sonic":
        validate(SonicPlatform, read_located(path))
    else:
        validate(Blueprint, read_source(file))
