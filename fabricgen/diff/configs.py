"""Switch configurations of two sides: which files differ, by how many lines, and their diffs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from fabricgen.diff.line_diff import unified

LIMIT = 1000
"""The most switches whose configurations are rendered without being asked for, so that `plan` stays quick."""


class Configs(Protocol):
    """The configurations of one side; a path is `configs/DEVICE/FILE`, or `configs/FABRIC/FILE` for a whole fabric.

    `devices` below include such fabrics.
    """

    def devices(self) -> Collection[str]:
        """Devices that have a configuration."""

    def digests(self) -> Mapping[str, str] | None:
        """sha256 by path, if known without rendering; else None."""

    def read(self, devices: Collection[str]) -> Iterable[tuple[str, bytes]]:
        """(path, content) of the files of some devices."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that differs: lines added and removed, and the unified diff of a file that both sides have."""

    device: str
    file: str
    state: str
    added: int
    removed: int
    diff: str


@dataclass(frozen=True, slots=True)
class ConfigDelta:
    """Files that differ, by device. Not `judged` where a side has no configurations or there were too
    many to render.
    """

    files: tuple[ConfigFile, ...] = ()
    judged: bool = True
    devices: int = 0
    """How many devices' configurations were compared, or would have to be."""


def compare_configs(old: Configs, new: Configs, affected: Collection[str] | None, *, every: bool) -> ConfigDelta:
    """Compare the configurations that may differ.

    `affected` are the devices whose configuration may differ, None if that is unknown; more than `LIMIT` are rendered
    only with `every`. Raises InputError where a configuration cannot be rendered.
    """
    had, has = old.digests(), new.digests()
    if had is not None and has is not None:
        affected = {path.split("/")[1] for path in had.keys() | has.keys() if had.get(path) != has.get(path)}
    elif affected is None:
        affected = {*old.devices(), *new.devices()}
    devices = sorted({*affected} & {*old.devices(), *new.devices()})
    if len(devices) > LIMIT and not every:
        return ConfigDelta(judged=False, devices=len(devices))
    before, after = dict(old.read(devices)), dict(new.read(devices))
    files = [
        _file(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]
    return ConfigDelta(tuple(files), devices=len(devices))


def _file(path: str, old: bytes | None, new: bytes | None) -> ConfigFile:
    _, device, name = path.split("/", 2)
    if old is None or new is None:
        lines = len(((new if old is None else old) or b"").splitlines())
        added = old is None
        return ConfigFile(device, name, "added" if added else "removed", lines * added, lines * (not added), "")
    was, now = (content.decode(errors="replace").splitlines() for content in (old, new))
    text = unified(was, now, f"{device}/{name}")
    changed = [line[:1] for line in text[2:]]
    return ConfigFile(device, name, "changed", changed.count("+"), changed.count("-"), "\n".join(text))
