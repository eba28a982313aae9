"""What a build remembers of a folder it wrote, so that the next one need neither read nor make what is untouched.

It is to an output folder what git's index is to a work tree: a cache, outside the folder, of what the file system said
of each file when its content was known. Whoever loses it, damages it or copies the folder is slower, never wrong.
"""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH116, PTH120

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from fabricgen.publish.known import Mark, Seen, Staged, mark_of
from fabricgen.publish.lock import can_write_beside
from fabricgen.publish.manifest import Entry
from fabricgen.publish.replacing import replace_file

KEPT = 64
"""Folders that are remembered; the ones not built for longest are forgotten."""
_FORMAT = "4"
_HEAD = 256
"""Bytes of a state within which its first two lines end."""
_CODING = ("utf-8", "surrogateescape")
"""Names of files need not be text."""
_BETWEEN, _WITHIN = "\0", "\\"
"""What is written between the texts of a state, and between what is said of a bundle: no path may have either."""
_RACY_NS, _RACY_COARSE_NS = 20_000_000, 2_000_000_000
"""A file may change without a new time stamp while the clock of its file system stands: two ticks, or two seconds."""

BundleKey: TypeAlias = tuple[str, str]
"""Part and key of a bundle."""


class Made(NamedTuple):
    """A bundle by its key, the digest of what its files follow from, and what became of these."""

    key: BundleKey
    inputs: bytes | None
    files: list[Staged]


@dataclass(frozen=True, slots=True)
class State:
    """What is known of the files of a folder, and which bundles follow from which inputs.

    Of a bundle: the digest of its inputs, in hexadecimal, and the paths of its files, with `_WITHIN` between.
    """

    files: Mapping[str, Mark] = field(default_factory=dict)
    bundles: Mapping[BundleKey, str] = field(default_factory=dict)

    def updated(self, newer: State, parts: Container[str]) -> State:
        """This, with what is known since some parts were made anew, be it of unknown inputs."""
        kept = {key: made for key, made in self.bundles.items() if key[0] not in parts}
        return State({**self.files, **newer.files}, {**kept, **newer.bundles})

    def still_made(self, key: BundleKey, inputs: bytes, real: str, old: Mapping[str, Entry]) -> list[Staged] | None:
        """Files of a bundle that are in the folder `real`, as its inputs would make them; None if it must be made."""
        digest, *paths = self.bundles.get(key, "").split(_WITHIN)
        if digest != inputs.hex():
            return None
        part = key[0]
        files: list[Staged] = []
        for path in paths:
            mark, entry = self.files.get(path), old.get(path)
            if mark is None or entry is None or entry.part != part or not _stands(real, path, entry.sha256, mark):
                return None
            files.append(Staged(part, path, entry.sha256, False, mark))
        return files


def _stands(real: str, path: str, sha256: str, mark: Mark) -> bool:
    try:
        return mark_of(os.stat(f"{real}/{path}", follow_symlinks=False), sha256) == mark
    except OSError:
        return False


def state_of(real: str, made: Sequence[Made], before: State) -> State:
    """Look at what has landed in `real`; raises OSError.

    Files that changed so lately that they might change again without a trace are left out. What was known `before` of
    files that a build left where they were holds on, so that these are not looked at again.
    """
    files: dict[str, Mark] = {}
    now = _clock_of(real)
    for _, _, staged in made:
        for each in staged:
            mark = before.files.get(each.path)
            if mark and (mark is each.found or _is_left(each, mark)):
                files[each.path] = mark
                continue
            found = os.stat(f"{real}/{each.path}", follow_symlinks=False)
            if Seen.of(found) == each.seen and not _racy(found, now):
                files[each.path] = mark_of(found, each.sha256)
    bundles = {
        key: _WITHIN.join((inputs.hex(), *(each.path for each in staged)))
        for key, inputs, staged in made
        if inputs is not None
    }
    return State(files, bundles)


def _is_left(staged: Staged, mark: Mark) -> bool:
    return not staged.written and mark.endswith(f" {staged.sha256}") and Seen.told(mark) == staged.seen


def _clock_of(real: str) -> int:
    """Time by the clock that stamps the files of a folder, in ns."""
    with tempfile.TemporaryFile(dir=os.path.dirname(real) if can_write_beside(real) else real) as probe:
        return os.fstat(probe.fileno()).st_mtime_ns


def _racy(found: os.stat_result, now: int) -> bool:
    coarse = now % 1_000_000_000 == 0
    return max(found.st_mtime_ns, found.st_ctime_ns) >= now - (_RACY_COARSE_NS if coarse else _RACY_NS)


def cache_folder() -> Path:
    """Where states are kept: $FABRICGEN_CACHE_DIR, or the user's cache folder."""
    told = os.environ.get("FABRICGEN_CACHE_DIR")
    if told:
        return Path(told)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path("~/.cache").expanduser()) / "fabricgen"


@dataclass(frozen=True)
class Memory:
    """What is remembered of the folder `real`, read when somebody asks; nothing where there is no `cache`.

    A state of another release, by its `stamp`, tells of files, but not which bundles they follow from.
    """

    real: str
    cache: Path | None = None
    stamp: str = ""

    @property
    def has_bundles(self) -> bool:
        """Whether bundles are likely to be remembered, by a look at where that would say so."""
        if self.cache is None:
            return False
        with contextlib.suppress(OSError), _opened(_file_of(self.cache, self.real)) as file:
            return file.read(_HEAD).split(b"\n")[1:2] == [self.stamp.encode()]
        return False

    @cached_property
    def state(self) -> State:
        """All of it; nothing if that is missing, damaged or another user's.

        Its digest tells that `save_state` wrote it: what is in it need not be checked.
        """
        if self.cache is not None:
            with contextlib.suppress(OSError, ValueError):
                return _read(_file_of(self.cache, self.real), self.real, self.stamp)
        return State()


def _file_of(cache: Path, real: str) -> Path:
    return cache / f"folder-{hashlib.sha256(os.fsencode(real)).hexdigest()[:32]}.state"


def _opened(path: Path) -> BinaryIO:
    """A state of one's own, open; raises OSError for others."""
    file = open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")  # noqa: PTH123, SIM115 - what is open is looked at
    found = os.fstat(file.fileno())
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        file.close()
        raise PermissionError("others may have written it")
    return file


def _read(path: Path, real: str, stamp: str) -> State:
    """The state of the folder `real`, without bundles if its stamp is another.

    Raises OSError, and ValueError for one that is damaged or not of that folder.
    """
    with _opened(path) as file:
        digest, _, told = file.read().partition(b"\n")
    if hashlib.sha256(told).hexdigest().encode() != digest:
        raise ValueError("damaged")
    stamped, _, body = told.decode(*_CODING).partition("\n")
    form, folder, count, *texts = body.split(_BETWEEN)
    if (form, folder) != (_FORMAT, real):
        raise ValueError("of something else")
    end = 2 * int(count)
    files = dict(zip(texts[:end:2], texts[1:end:2], strict=True))
    rows = texts[end:] if stamped == stamp else []
    return State(files, dict(zip(zip(rows[::3], rows[1::3], strict=True), rows[2::3], strict=True)))


def save_state(cache: Path, real: str, stamp: str, state: State) -> None:
    """Remember a folder, and forget the one not built for longest if there are many; a cache that fails is no fault."""
    files = chain.from_iterable(state.files.items())
    bundles = chain.from_iterable((*key, made) for key, made in state.bundles.items())
    body = _BETWEEN.join((_FORMAT, real, str(len(state.files)), *files, *bundles))
    if body.count(_BETWEEN) != 2 + 2 * len(state.files) + 3 * len(state.bundles):
        return  # a key has one of its own
    with contextlib.suppress(OSError, ValueError):
        told = f"{stamp}\n{body}".encode(*_CODING)
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(_file_of(cache, real), hashlib.sha256(told).hexdigest().encode() + b"\n" + told, mode=0o600)
        _forget(cache)


def _forget(cache: Path) -> None:
    states = sorted(cache.glob("folder-*"), key=lambda path: (-path.stat().st_mtime_ns, path.name))
    for path in states[KEPT:]:
        path.unlink(missing_ok=True)
