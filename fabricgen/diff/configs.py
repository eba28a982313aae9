"""Comparison of switch configurations of two sides: which files differ, by how many lines, and their diffs."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

LIMIT = 1000
"""The most switches whose configurations are rendered without `--configs`, so that `plan` stays quick."""


class Configs(Protocol):
    """The configurations of one side; a path is `configs/DEVICE/FILE`, or `configs/FABRIC/FILE` for a whole fabric.

    Fabrics with files of their own count as devices.
    """

    def devices(self) -> Collection[str]:
        """Return the names of all devices that `read` has files of; a switch whose NOS is not rendered has none."""

    def digests(self) -> Mapping[str, str] | None:
        """Return the sha256 of each file by path; None if not known without rendering."""

    def read(self, devices: Collection[str]) -> Iterable[tuple[str, bytes]]:
        """Yield (path, content) of the files of some devices."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that differs: `state` (added, removed, changed), lines added and removed, the diff of a changed file."""

    device: str
    file: str
    state: str
    added: int
    removed: int
    diff: str


@dataclass(frozen=True, slots=True)
class ConfigDelta:
    """Files that differ, by device; not `judged` if there were too many configurations to render."""

    files: tuple[ConfigFile, ...] = ()
    judged: bool = True
    devices: int = 0
    """The number of devices whose configurations were compared, or would have to be."""


def compare_configs(old: Configs, new: Configs, affected: Collection[str] | None, *, every: bool) -> ConfigDelta:
    """Return the files of configurations that differ, sorted by path.

    `affected` are the devices whose configuration may differ, None if that is unknown; if both sides have digests,
    these tell it instead. If the configurations of more than `LIMIT` devices may differ, they are rendered and compared
    only with `every`; otherwise the result is not `judged`. Raises InputError if a configuration cannot be rendered.
    """
    old_digests, new_digests = old.digests(), new.digests()
    if old_digests is not None and new_digests is not None:
        paths = old_digests.keys() | new_digests.keys()
        affected = {path.split("/")[1] for path in paths if old_digests.get(path) != new_digests.get(path)}
    elif affected is None:
        affected = {*old.devices(), *new.devices()}
    devices = sorted({*affected} & {*old.devices(), *new.devices()})
    if len(devices) > LIMIT and not every:
        return ConfigDelta(judged=False, devices=len(devices))
    old_files, new_files = dict(old.read(devices)), dict(new.read(devices))
    files = [
        _compare_file(path, old_files.get(path), new_files.get(path))
        for path in sorted(old_files.keys() | new_files.keys())
        if old_files.get(path) != new_files.get(path)
    ]
    return ConfigDelta(tuple(files), devices=len(devices))


def _compare_file(path: str, old: bytes | None, new: bytes | None) -> ConfigFile:
    """Return the difference of a file, of which `old` or `new` is None if only one side has it.

    A file of one side is added or removed as a whole, without a diff; otherwise the diff and its changed lines count.
    """
    _, device, name = path.split("/", 2)
    if old is None or new is None:
        lines = len(((new if old is None else old) or b"").splitlines())
        added = old is None
        return ConfigFile(
            device, name, "added" if added else "removed", lines if added else 0, 0 if added else lines, ""
        )
    old_lines, new_lines = (content.decode(errors="replace").splitlines() for content in (old, new))
    diff = write_unified_diff(old_lines, new_lines, f"{device}/{name}")
    signs = [line[:1] for line in diff[2:]]  # without the two lines with the names of the files
    return ConfigFile(device, name, "changed", signs.count("+"), signs.count("-"), "\n".join(diff))


# Unified diffs as difflib writes them, computed once for files that differ in the same way. A change affects many
# switches in the same way: their files differ in names and addresses, not in which lines change. Which lines change
# depends only on which lines are equal, so the diff is computed on integer codes of lines, and cached.

CONTEXT = 3
"""Lines of context around a difference."""

_REMEMBERED = 64
"""The number of diffs that are cached."""

_Hunk: TypeAlias = Sequence[tuple[str, int, int, int, int]]
"""Neighbouring changes as difflib returns them: (opcode, start and stop in the old file, start and stop in the new)."""


def write_unified_diff(old: Sequence[str], new: Sequence[str], name: str) -> list[str]:
    """Return the unified diff of two files, [] if they are equal.

    Common lines at the beginning and the end are not given to difflib, which is slow on them.
    """
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    # a diff shows some lines before and after each change
    head, tail = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    codes: dict[str, int] = {}
    # numbers compare faster than texts
    old_codes, new_codes = (
        tuple([codes.setdefault(line, len(codes)) for line in lines]) for lines in (old_middle, new_middle)
    )
    hunks = _find_hunks(old_codes, new_codes)
    body = [line for hunk in hunks for line in _write_hunk(hunk, old_middle, new_middle, head)]
    return [f"--- old/{name}", f"+++ new/{name}", *body] if body else []


@lru_cache(_REMEMBERED)
def _find_hunks(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[_Hunk, ...]:
    """Return the hunks of two files that are given as codes of lines, equal for equal lines."""
    return tuple(difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT))


def _write_hunk(hunk: _Hunk, old: Sequence[str], new: Sequence[str], skipped: int) -> Iterator[str]:
    """Yield the lines of a hunk; `skipped` is the number of common first lines that were left out."""
    (_, old_start, _, new_start, _), (_, _, old_stop, _, new_stop) = hunk[0], hunk[-1]
    yield f"@@ -{_format_span(old_start, old_stop, skipped)} +{_format_span(new_start, new_stop, skipped)} @@"
    for opcode, i, i_end, j, j_end in hunk:
        if opcode == "equal":
            yield from (f" {line}" for line in old[i:i_end])
            continue
        yield from (f"-{line}" for line in old[i:i_end])
        yield from (f"+{line}" for line in new[j:j_end])


def _format_span(start: int, stop: int, skipped: int) -> str:
    """Return `start,count` of a hunk, with lines from 1; only `start` if the count is 1.

    An empty range names the line before it (POSIX, diff -u).
    """
    count = stop - start
    first_line = start + skipped + (count > 0)
    return str(first_line) if count == 1 else f"{first_line},{count}"
