"""What publishing to a folder and to an archive share: paths, the manifest, the faults."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fabricgen.kernel.diagnostics import InputError, fault

Content: TypeAlias = bytes | Iterable[bytes]
"""What a file holds: at once, or in pieces, whose total is not known before, which are read once, and which never
stand in memory together. Pieces of 64 KiB and more cost no more than the whole."""


class Private(bytes):
    """Content of a file that nobody but its owner may read: it has a secret in it."""

    __slots__ = ()


def choose_mode(content: Content) -> int:
    """Return the mode of a file with this content, before the umask."""
    return 0o600 if isinstance(content, Private) else 0o666


MANIFEST = "manifest.json"
DIGEST = "digest"
"""Key of the header that tells builds of one input from those of another; files of earlier builds carry theirs."""
STAGE = ".fabricgen-stage"
LOCK = ".fabricgen-lock"
RESERVED = frozenset({MANIFEST, STAGE, LOCK})
"""Names at the top of a target that publishing keeps for itself."""

BESIDE = ".new"
"""Appended to the name of a file that the user edited: where a build leaves the new content."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """How many files a build wrote, left as they were and took away; the manifest is not counted.

    `kept` has the paths of files that the user edited, in order, and where the new content of each is; "" for one that
    the build no longer makes.
    """

    written: int
    unchanged: int
    removed: int
    kept: Mapping[str, str] = field(default_factory=dict)


class ManifestEntry(NamedTuple):
    """What the manifest says of one file."""

    sha256: str
    part: str
    digest: str = ""
    """Of the build that made the file, as its header had it; "" for that of this build."""


def check_path(path: str) -> None:
    """Raise ValueError unless `path` is a relative, normalised posix path that stays below its root."""
    steps = path.split("/")
    if "" in steps or "." in steps or ".." in steps or "\\" in path or "\0" in path:
        raise ValueError(f"not a relative, normalised posix path: {path!r}")


def check_member(path: str) -> None:
    """Raise ValueError unless a producer may use this path."""
    check_path(path)
    if path.split("/", 1)[0] in RESERVED:
        raise ValueError(f"this name is reserved: {path!r}")


class Tally:
    """Content on its way: its pieces, and then how many bytes they were and their digest."""

    def __init__(self, content: Content) -> None:
        self._pieces = (content,) if isinstance(content, bytes) else content
        self._digest = hashlib.sha256()
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._digest.update(piece)
            self.size += len(piece)
            yield piece

    @property
    def sha256(self) -> str:
        """Digest, in hexadecimal, of the pieces so far."""
        return self._digest.hexdigest()


def is_left_beside(path: str, files: Container[str]) -> bool:
    """Tell whether a file of a manifest is new content beside a file that the user edited."""
    return path.endswith(BESIDE) and path.removesuffix(BESIDE) in files


def list_ancestors(path: str) -> Iterator[str]:
    """Yield the folders that lead to `path`, the nearest first; the root is not among them."""
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


@dataclass(slots=True)
class Ledger:
    """What a build has produced so far; becomes the manifest."""

    header: Mapping[str, object]
    parts: frozenset[str] | None = None
    entries: dict[str, ManifestEntry] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    edited: dict[str, str] = field(default_factory=dict)
    """Files that the user edited, and what lies beside them."""

    def record_file(self, part: str, path: str, sha256: str) -> None:
        """Enter a file; raises ValueError for a path or a part that no producer may use."""
        if path in self.entries:
            raise ValueError(f"produced twice: {path!r}")
        if self.parts is not None and part not in self.parts:
            raise ValueError(f"{path!r} belongs to {part!r}, which is not being built")
        check_member(path)
        if path in self.folders:
            raise ValueError(f"both a file and a folder: {path!r}")
        for folder in list_ancestors(path):
            if folder in self.folders:
                break
            if folder in self.entries:
                raise ValueError(f"both a file and a folder: {folder!r}")
            self.folders.add(folder)
        self.entries[path] = ManifestEntry(sha256, part)

    def write_manifest_bytes(self, kept: Mapping[str, ManifestEntry] | None = None) -> bytes:
        """Write the manifest of this build and of the `kept` files of earlier ones.

        Raises InputError (FG030) if a part that was asked for has no file.
        """
        for part in sorted((self.parts or frozenset()) - {entry.part for entry in self.entries.values()}):
            hint = "leave it out of --only; nothing was written"
            raise fault("FG030", f"this cluster has nothing for the part '{part}' to write", hint=hint)
        return write_manifest(self.header, {**(kept or {}), **self.entries})


def write_manifest(header: Mapping[str, object], files: Mapping[str, ManifestEntry]) -> bytes:
    """Write a manifest; raises ValueError for a bad header."""
    if "files" in header:
        raise ValueError("the header of a manifest must not have a key 'files'")
    listed = {path: _list_entry(entry, header.get(DIGEST)) for path, entry in files.items()}
    return (json.dumps({**header, "files": listed}, sort_keys=True, indent=1) + "\n").encode()


def _list_entry(entry: ManifestEntry, digest: object) -> dict[str, str]:
    """Return an entry as it is written; of files that another build made, with its digest."""
    values = {"sha256": entry.sha256, "part": entry.part}
    return values if entry.digest in ("", digest) else {**values, DIGEST: entry.digest}


def parse_manifest(content: bytes) -> dict[str, ManifestEntry] | None:
    """Read the files of a manifest; None if this is not one of ours."""
    try:
        data: Any = json.loads(content)
        files = data["files"]
        for path in files:
            check_path(path)
        digest = str(data.get(DIGEST, ""))
        return {
            path: ManifestEntry(str(entry["sha256"]), str(entry["part"]), str(entry.get(DIGEST, digest)))
            for path, entry in files.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


@contextlib.contextmanager
def report_disk_faults(target: Path, real: str = "") -> Iterator[None]:
    """Turn an OSError into InputError FG023 that names the target, or the file in it that failed."""
    try:
        yield
    except OSError as error:
        raise make_disk_fault(target, error, real) from error


def make_disk_fault(target: Path, error: OSError, real: str = "", hint: str = "nothing was published") -> InputError:
    """Make InputError FG023 of what the system said."""
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    inside = bool(real) and name.startswith(f"{real}/") and f"/{STAGE}" not in name
    # a path in the stage says nothing to who wrote only the target
    shown = target / name[len(real) + 1 :] if inside else target
    return fault("FG023", f"cannot write {shown}: {error.strerror or error}", hint=hint)
