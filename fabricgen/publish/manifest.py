"""The parts that publishing to a folder and to an archive share: paths, the manifest, and faults of the system."""

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
"""The content of a file: at once, or in pieces, which are read once and are never in memory together. Pieces of 64 KiB
and more cost no more than the whole."""


class Private(bytes):
    """Content of a file that only its owner may read, as it has a secret in it."""

    __slots__ = ()


def choose_mode(content: Content) -> int:
    """Return the mode of a file with this content, before the umask."""
    return 0o600 if isinstance(content, Private) else 0o666


MANIFEST = "manifest.json"
DIGEST = "digest"
"""The key of the header that tells builds of one input from those of another; files of earlier builds have theirs."""
STAGE = ".fabricgen-stage"
LOCK = ".fabricgen-lock"
RESERVED = frozenset({MANIFEST, STAGE, LOCK})
"""The names at the top of a target that publishing keeps for itself."""

BESIDE = ".new"
"""The suffix of the file with the new content, beside a file that the user edited."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """How many files a build wrote, left as they were and removed; the manifest is not counted.

    `kept` has the paths of files that the user edited, sorted, and the path of the new content of each; "" if the build
    no longer makes it.
    """

    written: int
    unchanged: int
    removed: int
    kept: Mapping[str, str] = field(default_factory=dict)


class ManifestEntry(NamedTuple):
    """The entry of one file in the manifest."""

    sha256: str
    part: str
    digest: str = ""
    """The digest in the header of the build that made the file; "" for that of this build."""


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
    """The pieces of a file's content; iterating over them also counts their bytes (`size`) and computes
    their digest.
    """

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
        """The digest, in hexadecimal, of the pieces so far."""
        return self._digest.hexdigest()


def is_left_beside(path: str, files: Container[str]) -> bool:
    """Whether a path is that of new content beside a file that the user edited: NAME.new, with NAME among `files`."""
    return path.endswith(BESIDE) and path.removesuffix(BESIDE) in files


def list_ancestors(path: str) -> Iterator[str]:
    """Yield the folders that lead to `path`, the nearest first, without the root."""
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


@dataclass(slots=True)
class Ledger:
    """The files that a build has produced so far, from which its manifest is made.

    `header` has the manifest's keys other than `files`. `parts` are the parts that are built, None for all. `folders`
    are the folders that lead to the files.
    """

    header: Mapping[str, object]
    parts: frozenset[str] | None = None
    entries: dict[str, ManifestEntry] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    edited: dict[str, str] = field(default_factory=dict)
    """Path of a file that the user edited -> path of the new content beside it."""

    def record_file(self, part: str, path: str, sha256: str) -> None:
        """Record a file. Raises ValueError for a path or a part that no producer may use."""
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
        """Return the manifest of this build and of the `kept` files of earlier ones.

        Raises InputError (FG030) if a part that was asked for has no file.
        """
        for part in sorted((self.parts or frozenset()) - {entry.part for entry in self.entries.values()}):
            hint = "leave it out of --only; nothing was written"
            raise fault("FG030", f"this cluster has nothing for the part '{part}' to write", hint=hint)
        return write_manifest(self.header, {**(kept or {}), **self.entries})


def write_manifest(header: Mapping[str, object], files: Mapping[str, ManifestEntry]) -> bytes:
    """Return the text of a manifest; a file of another build has that build's digest. Raises ValueError for a bad
    header.
    """
    if "files" in header:
        raise ValueError("the header of a manifest must not have a key 'files'")
    own_digests = ("", header.get(DIGEST))
    listed = {
        path: {
            "sha256": entry.sha256,
            "part": entry.part,
            **({} if entry.digest in own_digests else {DIGEST: entry.digest}),
        }
        for path, entry in files.items()
    }
    return (json.dumps({**header, "files": listed}, sort_keys=True, indent=1) + "\n").encode()


def parse_manifest(content: bytes) -> dict[str, ManifestEntry] | None:
    """Return the files of a manifest; None if it is not one of ours."""
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
    """Within this context, turn an OSError into InputError (FG023), which names the target or the file in it that
    failed.
    """
    try:
        yield
    except OSError as error:
        raise make_disk_fault(target, error, real) from error


def make_disk_fault(target: Path, error: OSError, real: str = "", hint: str = "nothing was published") -> InputError:
    """Return InputError (FG023) with what the system said; `real` is the real path of the target."""
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    inside = bool(real) and name.startswith(f"{real}/") and f"/{STAGE}" not in name
    # a path in the stage says nothing to who wrote only the target
    shown = target / name[len(real) + 1 :] if inside else target
    return fault("FG023", f"cannot write {shown}: {error.strerror or error}", hint=hint)
