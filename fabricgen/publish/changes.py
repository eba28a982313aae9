"""What landing a stage means for the folder that is there: what stays, what goes and what is in the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fabricgen.publish.files import FolderListing, compute_digest
from fabricgen.publish.manifest import Ledger, ManifestEntry, list_ancestors


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What landing a stage means for the folder that is there now."""

    kept_entries: Mapping[str, ManifestEntry]
    """Manifest entries of the parts that are not being built, and of files that the user edited."""
    keep: frozenset[str]
    keep_folders: frozenset[str]
    remove: frozenset[str]
    prune: frozenset[str]
    in_the_way: frozenset[str]
    """Files and folders of the user where those of the stage belong."""


def list_own_entries(old: Mapping[str, ManifestEntry], ledger: Ledger) -> dict[str, ManifestEntry]:
    """Return what the earlier manifest has of the parts that are not being built, and of files that the user edited.

    Of the latter it goes on telling what was written: by this the next build sees that they were edited.
    """
    parts = ledger.parts
    return {
        path: entry
        for path, entry in old.items()
        if path in ledger.edited or (parts is not None and entry.part not in parts and path not in ledger.entries)
    }


def list_edited(real: str, old: Mapping[str, ManifestEntry], paths: Iterable[str]) -> list[str]:
    """Return those of some files that are there and are not what the manifest says, in order."""
    return [path for path in sorted(paths) if compute_digest(f"{real}/{path}") not in (None, old[path].sha256)]


def compare_listing(listing: FolderListing, old: Mapping[str, ManifestEntry], ledger: Ledger) -> FileChanges:
    """Compare what was produced with what is in a folder, and with what an earlier build left there."""
    own_files, new = list_own_entries(old, ledger), ledger.entries.keys()
    # what no build wrote, and what is the user's own by now
    keep = (listing.files - old.keys()) | (listing.files & own_files.keys())
    our_folders = {folder for path in old for folder in list_ancestors(path)}
    keep_folders = listing.folders - our_folders
    keep_folders |= {folder for path in keep | keep_folders for folder in list_ancestors(path)}
    return FileChanges(
        own_files,
        keep,
        keep_folders,
        remove=frozenset((listing.files & old.keys()) - own_files.keys() - new),
        prune=frozenset(listing.folders - keep_folders - ledger.folders),
        in_the_way=(keep & new) | (keep & ledger.folders) | (keep_folders & new),
    )
