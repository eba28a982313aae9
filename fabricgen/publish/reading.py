"""A folder that a build wrote, opened for reading: one build, whole, each file as it was written, or a refusal.

Whoever reads a build goes through here. A build that was killed while it landed in place leaves files of two builds
under one manifest: nothing is read until the next build has finished it. Of all else the manifest's digests tell
whether a file is what the last build wrote; only files that are read are hashed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, fault
from fabricgen.kernel.text_input import read_regular
from fabricgen.publish.manifest import BESIDE, MANIFEST, STAGE, ManifestEntry, parse_manifest
from fabricgen.publish.stage import JOURNAL, MARKER, is_unfinished

EDITED = "FG054"
"""The code of a file that is not as it was built."""
NO_BUILD = "FG028"
"""The code of a folder that holds no build, or not the whole of one."""

PENDING = (f"{STAGE}/{JOURNAL}", f"{STAGE}/{MARKER}")
"""What a folder holds in which a build was stopped while it landed."""


@dataclass(frozen=True, slots=True)
class Built:
    """A built folder; `entries` are those of its manifest, None where it has none: then nothing is compared."""

    folder: Path
    entries: Mapping[str, ManifestEntry] | None

    def find_digest(self, path: str) -> str | None:
        """SHA-256 of what the last build made for a path; None for a path that it did not make.

        Where the user had edited the file, the build left that beside it.
        """
        entry = self._find_entry(path)
        return None if entry is None else entry.sha256

    def find_blueprint_digest(self, path: str) -> str:
        """Return the digest of the blueprint that a file was made of; "" if that is not known."""
        entry = self._find_entry(path)
        return "" if entry is None else entry.digest

    def _find_entry(self, path: str) -> ManifestEntry | None:
        # what the manifest says of the content that a build last wrote for a path; None where it says nothing
        entries = self.entries or {}
        # a file that somebody edited is kept, and what was built lies beside it; that again may have been edited
        while path + BESIDE in entries:
            path += BESIDE
        return entries.get(path)

    def is_edited(self, path: str, content: bytes) -> bool:
        """Whether a file is not as it was built. Line ends alone do not count: git may change these."""
        digest = self.find_digest(path)
        if digest is None or sha256(content).hexdigest() == digest:
            return False
        return sha256(content.replace(b"\r\n", b"\n")).hexdigest() != digest

    def check(self, path: str, content: bytes) -> None:
        """Raise InputError if a file is not as it was built (FG054), where it is of no build that the manifest tells
        of, or where a build is landing meanwhile (FG028).
        """
        if self.entries is not None and self.find_digest(path) is None:
            message = (
                f"{self.folder / path} is of no build: {MANIFEST} names {len(self.entries)} files, and not this one"
            )
            hint = "build the folder anew; without its manifest it is compared as it stands"
            raise fault(NO_BUILD, message, hint=hint, span=Span(str(self.folder / path), 1, 1))
        if self.is_edited(path, content):
            refuse_unfinished(self.folder)
            raise InputError([describe_edited(self.folder / path, self.make_hint(path))])

    def read_as_built(self, path: str) -> bytes:
        """Return the content of a file as it was built; raises InputError (FG028, FG054) for anything else."""
        content = self.read_as_it_stands(path)
        self.check(path, content)
        return content

    def read_as_it_stands(self, path: str) -> bytes:
        """Return the content of a file as it stands; raises InputError (FG028) for one that is not there."""
        file = self.folder / path
        try:
            return read_regular(file)
        except OSError as error:
            raise explain_unreadable(file, error) from error

    def make_hint(self, path: str) -> str:
        """Return what to do about a file that is not as it was built."""
        if path + BESIDE in (self.entries or {}):
            return f"what was built is in {path}{BESIDE} beside it; `fabricgen build --force` replaces the edited file"
        return "`fabricgen build --force` replaces edited files; or compare with the blueprint instead of the folder"


def open_built(folder: Path) -> Built:
    """Open a folder that a build wrote, or lists that lie in a folder without a manifest.

    Raises InputError (FG028) if a build was stopped while it landed there, or the manifest is not one of ours.
    """
    refuse_unfinished(folder)
    manifest = folder / MANIFEST
    try:
        content = read_regular(manifest)
    except (FileNotFoundError, NotADirectoryError):
        return Built(folder, None)
    except OSError as error:
        raise explain_unreadable(manifest, error) from error
    entries = parse_manifest(content)
    if entries is None:
        span = Span(str(manifest), 1, 1)
        raise fault(NO_BUILD, f"{manifest} is not the manifest of a build", hint="build the folder anew", span=span)
    if not entries:
        span = Span(str(manifest), 1, 1)
        raise fault(NO_BUILD, f"{manifest} names no file: nothing was built", hint="build the folder anew", span=span)
    return Built(folder, entries)


def refuse_unfinished(folder: Path, shown_as: str = "") -> None:
    """Raise InputError (FG028) if a build was stopped while it landed in a folder."""
    if is_unfinished(str(folder)):
        name = shown_as or str(folder)
        raise fault(
            NO_BUILD,
            f"{name} holds files of two builds: the last one was stopped before all of its files were in place",
            hint=f"run `fabricgen build` into {name} again: before anything else it finishes what was stopped",
            span=Span(name, 1, 1),
        )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Finds the build in which a file lies; each manifest is read once."""

    _builds: dict[str, Built | None] = field(default_factory=dict)

    def of(self, file: Path) -> tuple[Built, str] | None:
        """Return the build that wrote a file (or the folder that it is), and the file's path there; None for none.

        Raises InputError (FG028) if a build was stopped while it landed around the file.
        """
        build_of_file = None
        for folder, path in _list_enclosing_folders(file):
            refuse_unfinished(folder, _shorten_path(folder))
            built = self._open_cached(folder) if build_of_file is None else None
            if built is not None and (built.find_digest(path) is not None or file.is_dir()):
                build_of_file = built, path
        return build_of_file

    def _open_cached(self, folder: Path) -> Built | None:
        # the build in a folder; None where it has no manifest
        key = str(folder)
        if key not in self._builds:
            try:
                entries = parse_manifest(read_regular(folder / MANIFEST))
            except OSError:
                entries = None
            self._builds[key] = None if entries is None else Built(folder, entries)
        return self._builds[key]


def refuse_unfinished_around(file: Path) -> None:
    """Raise InputError (FG028) if a build was stopped while it landed around a file."""
    for folder, _ in _list_enclosing_folders(file):
        refuse_unfinished(folder, _shorten_path(folder))


def describe_edited(file: Path | str, hint: str, severity: Severity = Severity.ERROR) -> Diagnostic:
    """Return the finding on a file that is not as it was built."""
    message = (
        f"{Path(file).name} is not as built (sha256 differs from {MANIFEST}): it was edited since, or not written whole"
    )
    return Diagnostic(EDITED, severity, message, hint=hint, span=Span(str(file), 1, 1))


def describe_missing(file: Path | str) -> Diagnostic:
    """Return the finding on a file that a build wrote and that is gone."""
    hint = "build the folder anew, which writes it again"
    return Diagnostic(
        EDITED, Severity.WARNING, f"{Path(file).name} is gone since it was built", hint=hint, span=Span(str(file), 1, 1)
    )


def explain_unreadable(file: Path, error: OSError) -> InputError:
    """Return the error for a file of a build that the system does not give."""
    span = Span(str(file), 1, 1)
    hint = "build the folder anew, without --only"
    return fault(NO_BUILD, f"{file}: {error.strerror or error}", hint=hint, span=span)


def _shorten_path(folder: Path) -> str:
    """Return a folder as people name it: relative to the current one where it is inside."""
    below = os.path.relpath(folder)
    return str(folder) if below.startswith("..") else below


def _list_enclosing_folders(file: Path) -> Iterator[tuple[Path, str]]:
    """Yield (folder, path in it) for a folder itself and all folders above; links on the way to a file are followed."""
    real = os.path.realpath(file) if file.is_dir() else os.path.join(os.path.realpath(file.parent), file.name)  # noqa: PTH118
    if file.is_dir():
        yield Path(real), ""
    for folder in Path(real).parents:
        yield folder, Path(real).relative_to(folder).as_posix()
