"""Loading: from a file to a validated blueprint that knows where each of its values stands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.beside.lock import CODE, Lock, find_lock_path, find_locked_blueprint, read_lock
from fabricgen.blueprint.beside.tables import GuidRow, Hardware, read_guids, read_inventory, read_pairs
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.overlays import spell_as_written
from fabricgen.blueprint.sections.lint_settings import Limits, Project
from fabricgen.blueprint.source import read_source
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Span, fault
from fabricgen.models.validation import validate
from fabricgen.yaml.located import Located, read_located


@dataclass(frozen=True)
class LoadedBlueprint:
    """A blueprint, its source, the folder whose `catalog/` adds profiles, and the files beside it."""

    blueprint: Blueprint
    source: Located
    folder: Path
    lock: Lock = field(default_factory=Lock)
    lock_path: Path | None = None
    """The path of its lock, written or not; None for standard input."""
    guids: Mapping[str, tuple[GuidRow, ...]] = field(default_factory=dict)
    """Stated GUIDs of InfiniBand devices, by fabric."""
    inventory: tuple[Hardware, ...] = ()
    """The lines of the hardware table."""
    project: Project = field(default_factory=Project.model_construct)
    """The settings of its project, which hold for all blueprints there."""
    project_source: Located | None = None
    """The source of these settings; None for a project without settings."""

    @property
    def limits(self) -> Limits:
        """The limits that lint measures by: the blueprint's own, else the project's."""
        return self.blueprint.lint.limits.lay_over(self.project.lint.limits)

    @property
    def names_single_things(self) -> bool:
        """Whether it states anything about single devices, racks or tiers by their names, as `address_of` and
        `floor.racks` do.

        Only the whole cluster, with all of its names, tells whether these things exist.
        """
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
        """The known MAC of each (device, port); port "" stands for a switch itself."""
        return {(row.device, row.port): row.mac for row in self.inventory if row.mac}

    @property
    def digest(self) -> str:
        """The sha256 of the blueprint's meaning: comments, the order of keys, includes and defaults do not count."""
        stated = self.blueprint.model_dump(mode="json", exclude_defaults=True)
        data = json.dumps({"fabricgen": self.blueprint.fabricgen, **stated}, sort_keys=True, default=str)
        for name, rows in sorted(self.guids.items()):
            data += name + json.dumps(sorted(row[:-1] for row in rows))  # without their places in the file
        for fabric in self.blueprint.fabrics.values():
            for mesh in (mesh for tier in fabric.tiers.values() for mesh in tier.mesh.values() if mesh.pairs):
                data += json.dumps([pair[:2] for pair in mesh.pairs])  # without their lines
        if self.inventory:
            data += json.dumps(sorted(row.figures for row in self.inventory))
        return hashlib.sha256(data.encode()).hexdigest()

    def locate_finding(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding with the span of its path, or of the nearest parent that the text has."""
        if diagnostic.span:
            return diagnostic
        if diagnostic.path[:1] == (ADOPTED,):
            return diagnostic.place_at(self.lock.lines.get(str(diagnostic.path[1])))
        return self.locate_at(diagnostic, self.source.span(spell_as_written(self.source.data, diagnostic.path)))

    def locate_at(self, diagnostic: Diagnostic, span: Span) -> Diagnostic:
        """Return a finding with a span of its path; the hint tells where the value is used, if it is written
        elsewhere.
        """
        return diagnostic.place_at(span, self.source.add_note(diagnostic.hint, diagnostic.path, span))

    def locate_error(self, error: InputError) -> InputError:
        """Return an error whose findings all have their places in the file."""
        return InputError(self.locate_finding(d) for d in error.diagnostics)


def load_blueprint(
    path: str,
    sets: Sequence[str] = (),
    *,
    allow_outside: bool = False,
    settings: Path | None = None,
    unsaved: Mapping[str, bytes] | None = None,
) -> LoadedBlueprint:
    """Read and validate a blueprint, the files beside it and its project's settings; `-` is standard input.

    `sets` are `PATH=VALUE` changes; `allow_outside` lets includes leave the blueprint's folder; `settings` is a file to
    be read instead of the nearest one above the blueprint; `unsaved` has the content of files that are not saved, by
    name. Raises InputError with every fault found, each with its place.
    """
    unlocked = find_locked_blueprint(path)
    if unlocked != path:
        raise fault(CODE, "this is a lock, not a blueprint", span=Span(path, 1, 1), hint=f"name {unlocked}")
    source = read_source(path, sets=sets, allow_outside=allow_outside, unsaved=unsaved)
    folder = Path.cwd() if path == "-" else Path(path).parent
    blueprint = validate(Blueprint, source)
    guids = read_guids(blueprint, source, folder, allow_outside=allow_outside)
    inventory = read_inventory(blueprint, source, folder, allow_outside=allow_outside)
    read_pairs(blueprint, source, folder, unsaved, allow_outside=allow_outside)
    project, project_source = read_settings(settings or find_settings(folder))
    lock = read_lock(path, blueprint.name)
    return LoadedBlueprint(
        blueprint, source, folder, lock, find_lock_path(path), guids, inventory, project, project_source
    )


# The settings of a project: a file that holds for every blueprint in its folder and below.

SETTINGS = ".fabricgen.yaml"
"""The file's name."""


def find_settings(folder: Path) -> Path | None:
    """Return the settings file nearest to a folder, going up from where the folder really lies, so that a blueprint
    is judged alike however it is named. None if there is none up to the folder that holds `.git`.
    """
    start = folder.resolve()
    for parent in (start, *start.parents):
        file, cwd = parent / SETTINGS, Path.cwd()
        if file.is_file():
            # relative to the working directory if it lies below it, so that messages stay short
            return file.relative_to(cwd) if file.is_relative_to(cwd) else file
        if (parent / ".git").exists():
            return None
    return None


def read_settings(file: Path | None) -> tuple[Project, Located | None]:
    """Return the settings of a file and their source; the defaults and None if there is no file.

    Raises InputError: FG001 to FG006 for a file that cannot be read or parsed, FG010 and others for what is in it.
    """
    if file is None:
        return Project.model_construct(), None
    source = read_located(file)
    return validate(Project, source), source
