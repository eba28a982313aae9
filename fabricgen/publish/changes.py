"""What landing a stage means for the folder that is there: what stays, what goes and what is in the way."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH116

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.publish.files import Listing, digest_of, scan
from fabricgen.publish.manifest import Entry, Ledger, ancestors


@dataclass(frozen=True, slots=True)
class Changes:
    """What landing a stage means for the folder that is there now."""

    own: Mapping[str, Entry]
    """Manifest entries of the parts that are not being built, and of files that the user edited."""
    keep: frozenset[str]
    keep_folders: frozenset[str]
    remove: frozenset[str]
    prune: frozenset[str]
    in_the_way: frozenset[str]
    """Files and folders of the user where those of the stage belong."""


def own_entries(old: Mapping[str, Entry], ledger: Ledger) -> dict[str, Entry]:
    """What the earlier manifest has of the parts that are not being built, and of files that the user edited.

    Of the latter it goes on telling what was written: by this the next build sees that they were edited.
    """
    parts = ledger.parts
    if parts is None:
        return {path: old[path] for path in ledger.edited if path in old}
    return {
        path: entry
        for path, entry in old.items()
        if path in ledger.edited or (entry.part not in parts and path not in ledger.entries)
    }


def staying(old: Mapping[str, Entry], ledger: Ledger) -> set[str]:
    """Paths of an earlier manifest that the new one has too."""
    return {*ledger.entries, *own_entries(old, ledger)}


def edited_among(real: str, old: Mapping[str, Entry], paths: Iterable[str]) -> list[str]:
    """Those of some files that are there and are not what the manifest says, in order."""
    return [path for path in sorted(paths) if digest_of(f"{real}/{path}") not in (None, old[path].sha256)]


def compared(seen: Listing, old: Mapping[str, Entry], ledger: Ledger) -> Changes:
    """Compare what was produced with what is in a folder, and with what an earlier build left there."""
    own, new = own_entries(old, ledger), ledger.entries.keys()
    keep = (seen.files - old.keys()) | (seen.files & own.keys())
    ours = {folder for below in {path[: path.rfind("/") + 1] for path in old} for folder in ancestors(below)}
    keep_folders = seen.folders - ours
    keep_folders |= {folder for path in keep | keep_folders for folder in ancestors(path)}
    return Changes(
        own,
        keep,
        keep_folders,
        remove=frozenset((seen.files & old.keys()) - own.keys() - new),
        prune=frozenset(seen.folders - keep_folders - ledger.folders),
        in_the_way=(keep & new) | (keep & ledger.folders) | (keep_folders & new),
    )


def listed_near(real: str, old: Mapping[str, Entry], ledger: Ledger, written: Sequence[str]) -> Listing:
    """List a folder only where a build changes it, which for one file of thousands costs as much as that one.

    That is: files that are written or go, the folders that lead to them, and all in folders that are left without files
    or stand where one is written. Raises OSError.
    """
    gone = old.keys() - staying(old, ledger)
    empty = {folder for path in gone for folder in ancestors(path)} - ledger.folders
    changing = {*written, *gone}
    files, folders = _there(real, changing.union(folder for path in changing for folder in ancestors(path)))
    listed = empty.union(written) & folders
    for folder in [folder for folder in listed if listed.isdisjoint(ancestors(folder))]:
        inside = scan(real, start=f"{folder}/")
        files |= inside.files
        folders |= inside.folders
    return Listing(frozenset(files), frozenset(folders))


def _there(real: str, paths: Iterable[str]) -> tuple[set[str], set[str]]:
    """Which of some paths, and of the folders that lead to them, are files or links, and which are folders."""
    files: set[str] = set()
    folders = {""}
    for path in sorted(paths):
        if path[: max(path.rfind("/"), 0)] in folders:  # and not behind a link
            with contextlib.suppress(FileNotFoundError):
                found = os.stat(f"{real}/{path}", follow_symlinks=False)
                (folders if stat.S_ISDIR(found.st_mode) else files).add(path)
    return files, folders - {""}
