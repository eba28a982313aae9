"""The stage, in which a build grows out of sight until it lands, and the bundles that a build is made of."""

# Plain strings for paths: see files.py.
# ruff: noqa: PTH101, PTH102, PTH104, PTH106, PTH108, PTH112, PTH113, PTH114, PTH116, PTH118, PTH208

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.publish.files import (
    FolderListing,
    compute_digest,
    list_folder,
    name_companion,
    open_new_file,
    write_all,
    write_file,
)
from fabricgen.publish.manifest import (
    BESIDE,
    STAGE,
    Content,
    Ledger,
    ManifestEntry,
    Private,
    Tally,
    check_member,
    choose_mode,
    list_ancestors,
    make_disk_fault,
)
from fabricgen.publish.workers import run_in_order

MARKER = "fabricgen-stage"
"""The file by which a stage is known as ours."""
JOURNAL = "journal.json"
"""The file of a stage with the steps by which it lands in place."""
_CLASH = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR})
"""The errors of a system if the new stage already holds something of that name."""


class Staged(NamedTuple):
    """What became of a file: it was written into the stage, or found unchanged in the target."""

    part: str
    path: str
    sha256: str
    written: bool
    kept: tuple[str, ...] = ()
    """The files that the user edited and that this one lies beside, the oldest first."""


class _FilePlace(NamedTuple):
    """The path for some content, which is NAME.new beside files that the user edited (`kept`); `same`: the target has
    it.
    """

    path: str
    same: bool = False
    kept: tuple[str, ...] = ()


@dataclass(slots=True)
class BuildStage:
    """A build on its way to `real`, the path of the target without links.

    `place` is the folder in which files are staged; it lies inside the target if `inside`, else beside it. `old` has
    the entries of the target's manifest; `exists` says whether there is a target.
    """

    target: Path
    real: str
    place: str
    old: Mapping[str, ManifestEntry]
    ledger: Ledger
    exists: bool
    inside: bool
    force: bool = False
    """Whether edited files are replaced and removed like all other files that an earlier build wrote."""
    staged: list[Staged] = field(default_factory=list)

    @property
    def written(self) -> list[str]:
        """The files that differ from those in the target, or are not there."""
        return [staged.path for staged in self.staged if staged.written]

    @property
    def unchanged(self) -> list[str]:
        """The files that the target has already."""
        return [staged.path for staged in self.staged if not staged.written]

    @property
    def tree(self) -> str:
        """The folder that holds the staged files."""
        return f"{self.place}/tree"

    def open(self) -> None:
        """Make the stage; raises OSError."""
        os.mkdir(self.place, 0o700)
        write_file(f"{self.place}/{MARKER}", b"written by fabricgen, safe to delete\n")
        os.mkdir(self.tree)
        if self.exists and not self.inside:
            _copy_mode_and_owner(self.real, self.tree)
            shutil.copystat(self.real, self.tree)

    def make_stager(self) -> Stager:
        """Return the object that fills the stage, in any process."""
        beside = self.exists and not self.inside
        return Stager(self.target, self.real, self.tree, self.old, beside, self.force)

    def enter_file(self, staged: Staged) -> None:
        """Record what became of a file. Raises ValueError for a file that no producer may make."""
        self.ledger.record_file(staged.part, staged.path, staged.sha256)
        self.ledger.edited.update(dict.fromkeys(staged.kept, staged.path))
        self.staged.append(staged)

    def move_stage_inside(self) -> None:
        """Move the stage into the target, from where files are moved one by one; raises OSError."""
        inner = f"{self.real}/{STAGE}"
        os.rename(self.place, inner)
        self.place, self.inside = inner, True

    def compare_files(self) -> FileChanges:
        """Return what landing the stage would change in the target as it is now.

        A file that was edited, and that the build no longer makes, is the user's from now on. Raises InputError (FG020)
        for files in the way.
        """
        if not self.force:
            dropped = self.old.keys() - self.ledger.entries.keys() - list_own_entries(self.old, self.ledger).keys()
            edited = list_edited(self.real, self.old, dropped)
            self.ledger.edited.update(dict.fromkeys(edited, ""))
            self.old = {path: entry for path, entry in self.old.items() if path not in edited}
        listing = list_folder(self.real, self.inside) if self.exists else FolderListing(frozenset(), frozenset())
        changes = compare_listing(listing, self.old, self.ledger)
        if changes.in_the_way:
            raise InputError(
                Diagnostic(
                    "FG020",
                    Severity.ERROR,
                    f"{self.target / path} is in the way and was not written by fabricgen, or edited since",
                    hint="move it elsewhere, or build into another folder",
                )
                for path in sorted(changes.in_the_way)
            )
        return changes

    def check_late_edits(self, changes: FileChanges) -> None:
        """Raise InputError (FG020) if a file that is about to be replaced or removed was edited since it was staged.

        Only files that changed since the stage was opened are read, by the clock of the file system itself.
        """
        late = self.list_late_edits(self.real, {*self.written, *changes.remove})
        if late:
            raise InputError(
                Diagnostic(
                    "FG020",
                    Severity.ERROR,
                    f"{self.target / path} was saved while this build ran; nothing was published",
                    hint="build again: the file is kept, and the new content is put beside it",
                )
                for path in late
            )

    def list_late_edits(self, root: str, paths: Iterable[str]) -> list[str]:
        """Return, sorted, the files of `paths` in `root`, the old target, that were edited since the stage was
        opened.
        """
        if self.force or not self.exists:
            return []
        since = os.stat(f"{self.place}/{MARKER}").st_ctime_ns
        return [
            path
            for path in sorted(self.old.keys() & set(paths))
            if _read_change_time(f"{root}/{path}") >= since
            and compute_digest(f"{root}/{path}") not in self._list_our_digests(path)
        ]

    def _list_our_digests(self, path: str) -> set[str | None]:
        """Return the digests of what earlier builds wrote at a path or beside it, and None, which stands for a file
        that is gone.
        """
        return {None, *(self.old[name].sha256 for name in (path, path + BESIDE) if name in self.old)}

    def discard(self) -> None:
        """Remove the stage, unless it holds a journal that the next run has to finish."""
        if not os.path.lexists(f"{self.place}/{JOURNAL}"):
            remove_stage(self.place)


@dataclass(frozen=True, slots=True)
class Stager:
    """Puts files into `tree`, the stage of `real`, unless `real` has the same content, written by us.

    Files that the user edited stay, unless `force`: the new content is put beside them. With `resembles`, folders of
    the stage get mode and owner of those that they stand for.
    """

    target: Path
    real: str
    tree: str
    old: Mapping[str, ManifestEntry]
    resembles: bool
    force: bool = False
    made: set[str] = field(default_factory=set)

    def __call__(self, bundles: Sequence[FileBundle]) -> list[list[Staged]]:
        """Make the files of bundles and stage them; return, for each bundle, what became of its files."""
        return [[self.stage_file(bundle.part, path, content) for path, content in bundle.make()] for bundle in bundles]

    def stage_file(self, part: str, path: str, content: Content) -> Staged:
        """Stage one file. Raises ValueError for a bad path, InputError (FG023) if it cannot be written."""
        check_member(path)
        tally = Tally(content)
        if isinstance(content, bytes):
            (single,) = tally
            destination = self._choose_place(path, tally.sha256)
            if destination.same and isinstance(content, Private) and _is_open(f"{self.real}/{destination.path}"):
                destination = destination._replace(same=False)  # an earlier build wrote it for all to read
            if not destination.same:
                self._write_pieces(destination.path, (single,), choose_mode(content))
        else:  # pieces come once: they are written, and taken away again if they were there
            self._write_pieces(path, tally, choose_mode(content))
            destination = self._choose_place(path, tally.sha256)
            with self._report_faults(path):
                if destination.same:
                    os.unlink(f"{self.tree}/{path}")
                elif destination.kept:
                    os.rename(f"{self.tree}/{path}", f"{self.tree}/{destination.path}")
        return Staged(part, destination.path, tally.sha256, not destination.same, destination.kept)

    def _choose_place(self, path: str, sha256: str) -> _FilePlace:
        """Return where content for a path goes: to the path itself, unless the user edited the file that an earlier
        build wrote.

        Then it goes to the first path beside it, NAME.new, that the user has not edited either. With `force`, edited
        files do not count.
        """
        kept: list[str] = []
        target_path = path
        our_digests: set[str] = set()
        with self._report_faults(path):
            while path in self.old:
                digest = compute_digest(f"{self.real}/{target_path}")
                if digest == sha256 and target_path in self.old:
                    return _FilePlace(target_path, same=True, kept=tuple(kept))
                our_digests.update(
                    self.old[name].sha256 for name in (target_path, target_path + BESIDE) if name in self.old
                )
                if self.force or digest is None or digest in our_digests:
                    break
                kept.append(target_path)
                target_path += BESIDE
        return _FilePlace(target_path, kept=tuple(kept))

    def _write_pieces(self, path: str, pieces: Iterable[bytes], mode: int) -> None:
        """Write a new file of the stage, with the folders that it is in."""
        with contextlib.ExitStack() as stack:
            with self._report_faults(path):
                self.folder_of(path)
                descriptor = stack.enter_context(open_new_file(f"{self.tree}/{path}", mode))
            for piece in pieces:
                with self._report_faults(path):
                    write_all(descriptor, piece)

    @contextlib.contextmanager
    def _report_faults(self, path: str) -> Iterator[None]:
        """Turn an OSError while a path is written into InputError (FG023), or ValueError if the path is taken."""
        try:
            yield
        except OSError as error:
            if error.errno in _CLASH:
                raise ValueError(f"produced twice, or both a file and a folder: {path!r}") from error
            raise make_disk_fault(self.target / path, error) from error

    def folder_of(self, path: str) -> None:
        """Make the staged folders that lead to `path`, unless another process has; raises OSError."""
        for folder in reversed([ancestor for ancestor in list_ancestors(path) if ancestor not in self.made]):
            with contextlib.suppress(FileExistsError):
                os.mkdir(f"{self.tree}/{folder}")
                if self.resembles:
                    _copy_mode_and_owner(f"{self.real}/{folder}", f"{self.tree}/{folder}")
            self.made.add(folder)


def _is_open(path: str) -> bool:
    """Whether others than the owner may read or write a file."""
    with contextlib.suppress(OSError):
        return bool(os.stat(path, follow_symlinks=False).st_mode & 0o077)
    return False


def _read_change_time(path: str) -> int:
    """Return the time, ns, at which a file changed last; -1 for a file that is gone."""
    try:
        return os.stat(path, follow_symlinks=False).st_ctime_ns
    except OSError:
        return -1


def _copy_mode_and_owner(old: str, new: str) -> None:
    """Give a staged folder the mode and owner of the folder it stands for, as far as that is permitted."""
    try:
        was = os.stat(old, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return
    now = os.stat(new)
    is_same = (was.st_mode, was.st_uid, was.st_gid) == (now.st_mode, now.st_uid, now.st_gid)
    if not stat.S_ISDIR(was.st_mode) or is_same:
        return
    with contextlib.suppress(PermissionError):
        os.chown(new, was.st_uid, was.st_gid)
    with contextlib.suppress(PermissionError):
        os.chmod(new, stat.S_IMODE(was.st_mode))


# What landing a stage means for the folder that is there.


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What landing a stage means for the folder that is there now; all paths are below it.

    Files to `keep` and to `remove` are not in the stage; folders to `prune` will be empty.
    """

    kept_entries: Mapping[str, ManifestEntry]
    """The manifest entries of parts that are not being built, and of files that the user edited."""
    keep: frozenset[str]
    keep_folders: frozenset[str]
    remove: frozenset[str]
    prune: frozenset[str]
    in_the_way: frozenset[str]
    """The user's files and folders at paths that the stage needs."""


def list_own_entries(old: Mapping[str, ManifestEntry], ledger: Ledger) -> dict[str, ManifestEntry]:
    """Return the entries of the earlier manifest that stay: those of parts that are not built now, and of edited files.

    The entry of an edited file still says what was written, by which the next build sees that it was edited.
    """
    parts = ledger.parts
    return {
        path: entry
        for path, entry in old.items()
        if path in ledger.edited or (parts is not None and entry.part not in parts and path not in ledger.entries)
    }


def list_edited(real: str, old: Mapping[str, ManifestEntry], paths: Iterable[str]) -> list[str]:
    """Return, sorted, the files of `paths` that exist and are not what the manifest says."""
    return [path for path in sorted(paths) if compute_digest(f"{real}/{path}") not in (None, old[path].sha256)]


def compare_listing(listing: FolderListing, old: Mapping[str, ManifestEntry], ledger: Ledger) -> FileChanges:
    """Return what becomes of a folder with this listing when the files of `ledger` land in it. `old` are the entries of
    the manifest that an earlier build left there.
    """
    own_files, new = list_own_entries(old, ledger), ledger.entries.keys()
    # files that no build wrote, and files that are the user's own by now
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


def is_unfinished(real: str) -> bool:
    """Whether a build was stopped in a folder after its journal was written: some files are in place, some are not."""
    return os.path.isfile(f"{real}/{STAGE}/{JOURNAL}") and os.path.isfile(f"{real}/{STAGE}/{MARKER}")


def name_stage(real: str) -> str:
    """Return the path of a stage beside the target that no other run uses."""
    return name_companion(real, f"stage-{secrets.token_hex(4)}")


def remove_stage(path: str) -> None:
    """Remove a stage of ours: a real folder that has our marker or is empty; anything else is left alone."""
    if os.path.islink(path) or not os.path.isdir(path):
        return
    with contextlib.suppress(OSError):
        if os.path.isfile(f"{path}/{MARKER}"):
            shutil.rmtree(f"{path}/tree", ignore_errors=True)
            for name in {*os.listdir(path)} - {MARKER}:
                os.unlink(f"{path}/{name}")
            os.unlink(f"{path}/{MARKER}")  # last, so that a later run knows whose the other files are
        os.rmdir(path)


def remove_leftovers(real: str) -> None:
    """Remove the stages that killed runs left beside the target; the caller holds its lock."""
    parent, prefix = os.path.split(name_companion(real, "stage-"))
    ours = re.compile(re.escape(prefix) + "[0-9a-f]{8}")
    with contextlib.suppress(PermissionError):
        for name in os.listdir(parent):
            if ours.fullmatch(name):
                remove_stage(os.path.join(parent, name))


# Bundles of files, which a build hands to publishing, and how they are portioned out to workers.

Result = TypeVar("Result")

Make: TypeAlias = Callable[[], Iterable[tuple[str, Content]]]

TASK = 64
"""The cost, in switches, from which a task is worth a message to a worker."""
WORKERS_FROM = 512
"""The cost, in switches, from which worker processes pay; below it, starting them costs more than they save."""


class FileBundle(NamedTuple):
    """Files of one part that are made together, in whatever process takes them.

    `make` yields (path below the output folder, content), in the order that archives have. It must be safe to call in a
    forked or spawned process: for example a `functools.partial` of a module's function over what the bundles share,
    which is sent once however many bundles hold it; what it caches there serves all bundles that the process makes.

    `key` names the bundle within its part, for example by a switch.

    `cost` is roughly what it takes to make, with the configuration of one switch as the unit.

    `prepare` computes what bundles share when they are made: it is called once, before processes are started.
    """

    part: str
    key: str
    make: Make
    cost: int = 1
    prepare: Callable[[], object] | None = None


Told: TypeAlias = Callable[[FileBundle], None]
"""Called, in the parent, for each bundle that is done, in order."""


def ignore_bundle(bundle: FileBundle) -> None:
    """Do nothing with a bundle that is done."""


def run_in_tasks(
    bundles: Sequence[FileBundle], work: Callable[[Sequence[FileBundle]], Result], jobs: int
) -> Iterator[tuple[tuple[FileBundle, ...], Result]]:
    """Yield, in order, portions of bundles and what `work` makes of each, in up to `jobs` processes.

    Raises what the makers of the bundles raise, and InputError (FG023) if a worker is killed.
    """
    for prepare in dict.fromkeys(bundle.prepare for bundle in bundles):
        if prepare is not None:
            prepare()
    tasks = tuple(_group_bundles(bundles))
    costs = [sum(bundle.cost for bundle in task) for task in tasks]
    large = [number for number, cost in enumerate(costs) if cost > 2 * TASK]
    large_first = sorted(large, key=lambda number: -costs[number])  # so that nobody waits for one at the end
    workers = jobs if sum(costs) >= WORKERS_FROM else 1
    results = run_in_order(partial(_run_task, work, tasks), len(tasks), workers, first=large_first)
    yield from zip(tasks, results, strict=True)


def _run_task(
    work: Callable[[Sequence[FileBundle]], Result], tasks: Sequence[Sequence[FileBundle]], number: int
) -> Result:
    """Do one task: `work` on its bundles."""
    return work(tasks[number])


def _group_bundles(bundles: Iterable[FileBundle]) -> Iterator[tuple[FileBundle, ...]]:
    """Yield portions of neighbouring bundles, each of about the cost of a task (`TASK`); a costlier bundle is a
    portion.
    """
    portion: list[FileBundle] = []
    total = 0
    for bundle in bundles:
        if portion and total + bundle.cost > TASK:
            yield tuple(portion)
            portion, total = [], 0
        portion.append(bundle)
        total += bundle.cost
    if portion:
        yield tuple(portion)
