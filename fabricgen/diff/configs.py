"""Switch configurations of two sides: which differ, by how many lines, and how."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

LIMIT = 1000
"""Switches up to which configurations are rendered without being asked for: more takes longer than a page is worth."""

CONTEXT = 3
"""Lines around a difference that are shown with it."""

_NUMBER = re.compile(r"([-+])(\d+)")


class Configs(Protocol):
    """The configurations of one side; a path is `configs/DEVICE/FILE`, or `configs/FABRIC/FILE` of a whole fabric.

    What is said of devices holds for such fabrics too.
    """

    def devices(self) -> Collection[str]:
        """Devices that have a configuration."""

    def digests(self) -> Mapping[str, str] | None:
        """sha256 by path, where that is known without rendering anything."""

    def read(self, devices: Collection[str]) -> Iterable[tuple[str, bytes]]:
        """(path, content) of the files of some devices."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that differs: lines added and removed, and for one that is on both sides the unified diff."""

    device: str
    file: str
    state: str
    added: int
    removed: int
    diff: str


@dataclass(frozen=True, slots=True)
class ConfigDelta:
    """Files that differ, by device; not `judged` where a side has none, or where `devices` were too many to render."""

    files: tuple[ConfigFile, ...] = ()
    judged: bool = True
    devices: int = 0
    """Devices whose configurations were compared, or would have to be."""


def compare_configs(old: Configs, new: Configs, affected: Collection[str] | None, *, every: bool) -> ConfigDelta:
    """Compare the configurations that can differ.

    `affected` are the devices that can, None where that is not known; more than `LIMIT` are only rendered when `every`
    is set. Raises InputError where a configuration cannot be rendered.
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


def unified(old: list[str], new: list[str], name: str) -> list[str]:
    """The unified diff of two files; what they begin and end with alike is set aside first, as finding that is slow."""
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    tail = next((i for i in range(most - head) if old[-1 - i] != new[-1 - i]), most - head)
    head, tail = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    was, now = old[head : len(old) - tail], new[head : len(new) - tail]
    found = list(difflib.unified_diff(was, now, f"old/{name}", f"new/{name}", lineterm="", n=CONTEXT))
    return [_shifted(line, head) if line.startswith("@@") else line for line in found]


def _shifted(line: str, by: int) -> str:
    """The head of a hunk, further down by some lines."""
    return _NUMBER.sub(lambda match: f"{match[1]}{int(match[2]) + by}", line)
