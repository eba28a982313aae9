"""A folder that a build wrote, opened for reading: one whole build, each file as it was written, or a refusal.

All code that reads a build does so through this module. A build that was killed while it landed in place leaves files
of two builds under one manifest: nothing is read until the next build has finished it. Otherwise the digests of the
manifest say whether a file is what the last build wrote; only files that are read are hashed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean, fault
from fabricgen.kernel.text_input import read_regular
from fabricgen.publish.manifest import BESIDE, MANIFEST, STAGE, ManifestEntry, is_left_beside, parse_manifest
from fabricgen.publish.stage import JOURNAL, MARKER, is_unfinished

EDITED = "FG054"
"""The code of a file that is not as it was built."""
NO_BUILD = "FG028"
"""The code of a folder that holds no build, or not the whole of one."""

PENDING = (f"{STAGE}/{JOURNAL}", f"{STAGE}/{MARKER}")
"""The files of a folder in which a build was stopped while it landed."""


@dataclass(frozen=True, slots=True)
class Built:
    """A built folder; `entries` are those of its manifest, None if it has no manifest and nothing can be compared.

    Paths are below the folder, as the manifest has them.
    """

    folder: Path
    entries: Mapping[str, ManifestEntry] | None

    def find_digest(self, path: str) -> str | None:
        """Return the SHA-256 of what the last build made for a path, or beside it if the user had edited the file;
        None for a path that it did not make.
        """
        entry = self._find_entry(path)
        return None if entry is None else entry.sha256

    def find_blueprint_digest(self, path: str) -> str:
        """Return the digest of the blueprint that a file was made of; "" if it is not known."""
        entry = self._find_entry(path)
        return "" if entry is None else entry.digest

    def _find_entry(self, path: str) -> ManifestEntry | None:
        """Return the entry of the content that a build last wrote for a path, or beside it; None if there is none."""
        entries = self.entries or {}
        # a file that somebody edited is kept, and the new content lies beside it; that may have been edited, too
        while path + BESIDE in entries:
            path += BESIDE
        return entries.get(path)

    def is_edited(self, path: str, content: bytes) -> bool:
        """Whether a file is not as it was built. Line ends alone do not count, since git may change them."""
        digest = self.find_digest(path)
        if digest is None or sha256(content).hexdigest() == digest:
            return False
        return sha256(content.replace(b"\r\n", b"\n")).hexdigest() != digest

    def check(self, path: str, content: bytes) -> None:
        """Raise InputError if a file is not as it was built (FG054), if the manifest does not name it, or if a build
        is landing meanwhile (FG028).
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
        """Return the content of a file as it was built. Raises InputError (FG028, FG054) for anything else."""
        content = self.read_as_it_stands(path)
        self.check(path, content)
        return content

    def read_as_it_stands(self, path: str) -> bytes:
        """Return the content of a file as it is now. Raises InputError (FG028) for a file that does not exist."""
        file = self.folder / path
        try:
            return read_regular(file)
        except OSError as error:
            raise explain_unreadable(file, error) from error

    def make_hint(self, path: str) -> str:
        """Return a hint for a file that is not as it was built."""
        if path + BESIDE in (self.entries or {}):
            return f"what was built is in {path}{BESIDE} beside it; `fabricgen build --force` replaces the edited file"
        return "`fabricgen build --force` replaces edited files; or compare with the blueprint instead of the folder"


def open_built(folder: Path) -> Built:
    """Open a folder that a build wrote, or lists that are in a folder without a manifest.

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
    if not entries:
        why = "is not the manifest of a build" if entries is None else "names no file: nothing was built"
        span = Span(str(manifest), 1, 1)
        raise fault(NO_BUILD, f"{manifest} {why}", hint="build the folder anew", span=span)
    return Built(folder, entries)


def refuse_unfinished(folder: Path, shown_as: str = "") -> None:
    """Raise InputError (FG028) if a build was stopped while it landed in a folder, which the error calls `shown_as`."""
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
        """Return the build that wrote a file, or that is in this folder, and the file's path there; None if there is no
        build.

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
        """Return the build in a folder; None if it has no manifest, or none of ours. Each folder is read once."""
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
    """Return the finding for a file that is not as it was built."""
    message = (
        f"{Path(file).name} is not as built (sha256 differs from {MANIFEST}): it was edited since, or not written whole"
    )
    return Diagnostic(EDITED, severity, message, hint=hint, span=Span(str(file), 1, 1))


def describe_missing(file: Path | str) -> Diagnostic:
    """Return the finding for a file that a build wrote and that is gone."""
    hint = "build the folder anew, which writes it again"
    return Diagnostic(
        EDITED, Severity.WARNING, f"{Path(file).name} is gone since it was built", hint=hint, span=Span(str(file), 1, 1)
    )


def explain_unreadable(file: Path, error: OSError) -> InputError:
    """Return the error for a file of a build that the system cannot read."""
    hint = "build the folder anew, without --only"
    return fault(NO_BUILD, f"{file}: {error.strerror or error}", hint=hint, span=Span(str(file), 1, 1))


def _shorten_path(folder: Path) -> str:
    """Return a folder's path, relative to the current folder if it is inside."""
    below = os.path.relpath(folder)
    return str(folder) if below.startswith("..") else below


def _list_enclosing_folders(file: Path) -> Iterator[tuple[Path, str]]:
    """Yield (folder, path in it) for a folder itself and for all folders above a file; links on the way to the file
    are followed.
    """
    real = os.path.realpath(file) if file.is_dir() else os.path.join(os.path.realpath(file.parent), file.name)  # noqa: PTH118
    if file.is_dir():
        yield Path(real), ""
    for folder in Path(real).parents:
        yield folder, Path(real).relative_to(folder).as_posix()


# Checksums as `sha256sum -c` reads them: the digests of the manifest, written anew.

DEVICE_PARTS = ("configs", "hosts")
"""The folders of a build that have a folder for each device."""


def list_checksums(folder: Path, device: str = "") -> Iterator[str]:
    """Yield a line `SHA256  PATH` (GNU coreutils, sha256sum) for each file of the devices of a built folder, by path.

    Paths are below the built folder; those of a single `device` are below its own folder, as they would be copied to
    it. A file that the user edited is listed as it was built. Raises InputError (FG028) if the folder holds no build,
    or a build without files of devices or of that device.
    """
    built = open_built(folder)
    files = built.entries or {}
    paths = sorted(p for p in files if p.split("/")[0] in DEVICE_PARTS and p.count("/") > 1)
    devices = {path.split("/")[1] for path in paths}
    if not devices:
        raise fault(NO_BUILD, f"{folder} holds no files of devices", hint="build its part `configs` or `hosts`")
    if device and device not in devices:
        raise fault(NO_BUILD, f"{folder} has no files of '{device}'", hint=did_you_mean(device, sorted(devices)))
    for path in paths:
        part, owner, name = path.split("/", 2)
        if device in ("", owner) and not is_left_beside(path, files):
            yield f"{built.find_digest(path)}  {name if device else f'{part}/{owner}/{name}'}"
