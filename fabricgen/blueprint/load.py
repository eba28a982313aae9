"""From a file to a validated blueprint that knows where each of its values stands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.beside.inventory import Hardware, read_inventory
from fabricgen.blueprint.beside.lock import CODE, Lock, find_lock_path, find_locked_blueprint, read_lock
from fabricgen.blueprint.beside.pairs import read_pairs
from fabricgen.blueprint.beside.tables import GuidRow, read_guids
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.overlays import spell_as_written
from fabricgen.blueprint.sections.lint_settings import Limits, Project
from fabricgen.blueprint.source import read_source
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Span, fault
from fabricgen.models.validation import validate
from fabricgen.yaml.located import Located, read_located


@dataclass(frozen=True)
class LoadedBlueprint:
    """A blueprint, its source, the folder whose `catalog/` adds profiles, and what is given already."""

    blueprint: Blueprint
    source: Located
    folder: Path
    lock: Lock = field(default_factory=Lock)
    lock_path: Path | None = None
    """Where its lock lies or would lie; None for standard input."""
    guids: Mapping[str, tuple[GuidRow, ...]] = field(default_factory=dict)
    """Stated GUIDs of InfiniBand devices, by fabric."""
    inventory: tuple[Hardware, ...] = ()
    """What is known of the hardware, by device and port."""
    project: Project = field(default_factory=Project.model_construct)
    """What holds for all blueprints of its project."""
    project_source: Located | None = None
    """Where that stands; None for a project without settings."""

    @property
    def limits(self) -> Limits:
        """What lint measures by: the blueprint's own limits, else the project's."""
        return self.blueprint.lint.limits.over(self.project.lint.limits)

    @property
    def names_single_things(self) -> bool:
        """Whether it says anything of single devices, racks or tiers by names that depend on the whole cluster."""
        blueprint, floor = self.blueprint, self.blueprint.floor
        return bool(
            blueprint.names.switches
            or blueprint.names.nodes
            or blueprint.names.devices
            or any(fabric.names for fabric in blueprint.fabrics.values())
            or blueprint.address_of
            or blueprint.config_of
            or blueprint.cable_of
            or floor.devices
            or floor.racks
            or self.guids
            or self.inventory
            or blueprint.numbers_tiers
        )

    @cached_property
    def macs(self) -> Mapping[tuple[str, str], str]:
        """(device, port) -> its MAC as far as they are known; port "" is a switch itself."""
        return {(row.device, row.port): row.mac for row in self.inventory if row.mac}

    @property
    def digest(self) -> str:
        """sha256 over the blueprint's meaning: comments, order of keys, includes and defaults do not count."""
        stated = self.blueprint.model_dump(mode="json", exclude_defaults=True)
        data = json.dumps({"fabricgen": self.blueprint.fabricgen, **stated}, sort_keys=True, default=str)
        for name, rows in sorted(self.guids.items()):
            data += name + json.dumps(sorted(row[:-1] for row in rows))
        for fabric in self.blueprint.fabrics.values():
            for mesh in (mesh for tier in fabric.tiers.values() for mesh in tier.mesh.values() if mesh.pairs):
                data += json.dumps([pair[:2] for pair in mesh.pairs])
        if self.inventory:
            data += json.dumps(sorted(row.figures for row in self.inventory))
        return hashlib.sha256(data.encode()).hexdigest()

    def locate_finding(self, diagnostic: Diagnostic) -> Diagnostic:
        """Give a finding the span of its path, or of the nearest parent that the text has."""
        if diagnostic.span:
            return diagnostic
        if diagnostic.path[:1] == (ADOPTED,):
            return diagnostic.place_at(self.lock.lines.get(str(diagnostic.path[1])))
        return self.locate_at(diagnostic, self.source.span(spell_as_written(self.source.data, diagnostic.path)))

    def locate_at(self, diagnostic: Diagnostic, span: Span) -> Diagnostic:
        """Give a finding a span of its path; the hint tells where the value is used, if it is written elsewhere."""
        return diagnostic.place_at(span, self.source.add_note(diagnostic.hint, diagnostic.path, span))

    def locate_error(self, error: InputError) -> InputError:
        """Give every finding of an error its place in the file."""
        return InputError(self.locate_finding(d) for d in error.diagnostics)


def load_blueprint(
    path: str,
    sets: Sequence[str] = (),
    *,
    allow_outside: bool = False,
    settings: Path | None = None,
    unsaved: Mapping[str, bytes] | None = None,
) -> LoadedBlueprint:
    """Read and validate a blueprint, the lock beside it and its project's settings; `-` is standard input.

    `sets` are `PATH=VALUE` changes; `allow_outside` lets includes leave the blueprint's folder; `settings` is a file
    instead of the nearest one above the blueprint; `unsaved` stands for the content of files, by their names.
    Raises InputError with every fault found, each with its place.
    """
    unlocked = find_locked_blueprint(path)
    if unlocked != path:
        raise fault(CODE, "this is a lock, not a blueprint", span=Span(path, 1, 1), hint=f"name {unlocked}")
    source = read_source(path, sets=sets, allow_outside=allow_outside, unsaved=unsaved)
    folder = Path.cwd() if path == "-" else Path(path).parent
    blueprint = validate(Blueprint, source)
    guids = read_guids(blueprint, source, folder, allow_outside=allow_outside)
    inventory = read_inventory(blueprint, source, folder, allow_outside=allow_outside)
    read_pairs(blueprint, source, folder, allow_outside=allow_outside)
    project, project_source = read_settings(settings or find_settings(folder))
    lock = read_lock(path, blueprint.name)
    return LoadedBlueprint(
        blueprint, source, folder, lock, find_lock_path(path), guids, inventory, project, project_source
    )


# The settings of a project: a file that holds for every blueprint in its folder and below.

SETTINGS = ".fabricgen.yaml"
"""The file's name."""


def find_settings(folder: Path) -> Path | None:
    """Return the settings file nearest to a folder, going up from where it really lies: however a blueprint is named,
    it is judged alike. None above the folder that holds `.git`.
    """
    start = folder.resolve()
    for parent in (start, *start.parents):
        if (parent / SETTINGS).is_file():
            return _shorten_path(parent / SETTINGS)
        if (parent / ".git").exists():
            return None
    return None


def _shorten_path(file: Path) -> Path:
    """As seen from the working directory where it lies below it, so that messages stay short."""
    cwd = Path.cwd()
    return file.relative_to(cwd) if file.is_relative_to(cwd) else file


def read_settings(file: Path | None) -> tuple[Project, Located | None]:
    """Read a settings file, and where its values stand; or the defaults where there is none.

    Raises InputError: FG001 to FG006 for a file that cannot be read or parsed, FG010 and others for what is in it.
    """
    if file is None:
        return _make_usual_settings(), None
    source = read_located(file)
    return validate(Project, source), source


@cache
def _make_usual_settings() -> Project:
    """Return the settings of a project without a file of them."""
    return Project.model_construct()
