"""The stage: where a build grows, out of sight, until it can land."""

# Plain strings for paths: see lock.py.
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
from fabricgen.publish.changes import FileChanges, compare_listing, list_edited, list_own_entries
from fabricgen.publish.files import FolderListing, compute_digest, list_folder, open_new_file, write_all, write_file
from fabricgen.publish.lock import name_companion
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
JOURNAL = "journal.json"
_CLASH = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR})
"""What a system answers where the new stage already holds something of that name."""


class Staged(NamedTuple):
    """What became of a file: written into the stage, or found unchanged in the target."""

    part: str
    path: str
    sha256: str
    written: bool
    kept: tuple[str, ...] = ()
    """Files that the user edited, the one that was made first: this lies beside them."""


class _FilePlace(NamedTuple):
    """Where content goes, past the files that the user edited, and whether it is there already."""

    path: str
    same: bool = False
    kept: tuple[str, ...] = ()


@dataclass(slots=True)
class BuildStage:
    """A build on its way to `real`: staged in `place`, which is inside the target or beside it."""

    target: Path
    real: str
    place: str
    old: Mapping[str, ManifestEntry]
    ledger: Ledger
    exists: bool
    inside: bool
    force: bool = False
    """Whether what the user edited is replaced and removed like all else that an earlier build wrote."""
    staged: list[Staged] = field(default_factory=list)

    @property
    def written(self) -> list[str]:
        """Files that differ from those in the target, or are not there."""
        return [staged.path for staged in self.staged if staged.written]

    @property
    def unchanged(self) -> list[str]:
        """Files that the target holds already."""
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
        """Return what fills the stage, in any process."""
        beside = self.exists and not self.inside
        return Stager(self.target, self.real, self.tree, self.old, beside, self.force)

    def enter_file(self, staged: Staged) -> None:
        """Note what became of a file; raises ValueError for one that no producer may make."""
        self.ledger.record_file(staged.part, staged.path, staged.sha256)
        self.ledger.edited.update(dict.fromkeys(staged.kept, staged.path))
        self.staged.append(staged)

    def move_stage_inside(self) -> None:
        """Go on inside the target, from where files are moved one by one; raises OSError."""
        inner = f"{self.real}/{STAGE}"
        os.rename(self.place, inner)
        self.place, self.inside = inner, True

    def compare_files(self) -> FileChanges:
        """Compare with what is there now; raises InputError FG020 for files in the way.

        A file that was edited and is made no more is the user's from here on.
        """
        if not self.force:
            dropped = self.old.keys() - self.ledger.entries.keys() - list_own_entries(self.old, self.ledger).keys()
            edited = list_edited(self.real, self.old, dropped)
            self.ledger.edited.update(dict.fromkeys(edited, ""))
            self.old = {path: entry for path, entry in self.old.items() if path not in edited}
        listing = list_folder(self.real, self.inside) if self.exists else FolderListing(frozenset(), frozenset())
        changes = compare_listing(listing, self.old, self.ledger)
        if changes.in_the_way:
            raise _explain_collisions(self.target, changes.in_the_way)
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
        """Return those of some files in `root`, the old target, that were edited since the stage was opened, in
        order.
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
        """Return digests of what earlier builds wrote at a path or beside it; None for a file that is gone."""
        return {None, *(self.old[name].sha256 for name in (path, path + BESIDE) if name in self.old)}

    def discard(self) -> None:
        """Remove the stage, unless it holds a journal that the next run has to finish."""
        if not os.path.lexists(f"{self.place}/{JOURNAL}"):
            remove_stage(self.place)


@dataclass(frozen=True, slots=True)
class Stager:
    """Puts files into `tree`, the stage of `real`, unless `real` holds the same, written by us.

    What the user edited stays, unless `force` is given: the new content is put beside it. With `resembles`, folders of
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
        """Make the files of bundles and stage them; tells of each bundle what became of its files."""
        return [[self.stage_file(bundle.part, path, content) for path, content in bundle.make()] for bundle in bundles]

    def stage_file(self, part: str, path: str, content: Content) -> Staged:
        """Stage one file; raises ValueError for a bad path, InputError FG023 when it cannot be written."""
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
        """Return where content goes: in place of what an earlier build wrote, there or beside it, and of nothing
        else.
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
        # writes a new file of the stage, with the folders that it is in
        with contextlib.ExitStack() as stack:
            with self._report_faults(path):
                self.folder_of(path)
                descriptor = stack.enter_context(open_new_file(f"{self.tree}/{path}", mode))
            for piece in pieces:
                with self._report_faults(path):
                    write_all(descriptor, piece)

    @contextlib.contextmanager
    def _report_faults(self, path: str) -> Iterator[None]:
        # faults of the system while a path is written become errors that say so; a file that is there is a producer's
        # defect
        try:
            yield
        except OSError as error:
            if error.errno in _CLASH:
                raise ValueError(f"produced twice, or both a file and a folder: {path!r}") from error
            raise make_disk_fault(self.target / path, error) from error

    def folder_of(self, path: str) -> None:
        """Make the staged folders that lead to `path`, as far as no other process has; raises OSError."""
        for folder in reversed([ancestor for ancestor in list_ancestors(path) if ancestor not in self.made]):
            with contextlib.suppress(FileExistsError):
                os.mkdir(f"{self.tree}/{folder}")
                if self.resembles:
                    _copy_mode_and_owner(f"{self.real}/{folder}", f"{self.tree}/{folder}")
            self.made.add(folder)


def _is_open(path: str) -> bool:
    """Whether others than its owner may read or write a file."""
    with contextlib.suppress(OSError):
        return bool(os.stat(path, follow_symlinks=False).st_mode & 0o077)
    return False


def _read_change_time(path: str) -> int:
    """When a file changed last, in ns; -1 for one that is gone."""
    try:
        return os.stat(path, follow_symlinks=False).st_ctime_ns
    except OSError:
        return -1


def _copy_mode_and_owner(old: str, new: str) -> None:
    """Give a staged folder the mode and owner of the folder it stands for, as far as one may."""
    try:
        was = os.stat(old, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return
    now = os.stat(new)
    if not stat.S_ISDIR(was.st_mode) or (was.st_mode, was.st_uid, was.st_gid) == (
        now.st_mode,
        now.st_uid,
        now.st_gid,
    ):
        return
    with contextlib.suppress(PermissionError):
        os.chown(new, was.st_uid, was.st_gid)
    with contextlib.suppress(PermissionError):
        os.chmod(new, stat.S_IMODE(was.st_mode))


def _explain_collisions(target: Path, paths: frozenset[str]) -> InputError:
    # an error with a finding for each path that a build would overwrite and may not
    return InputError(
        Diagnostic(
            "FG020",
            Severity.ERROR,
            f"{target / path} is in the way and was not written by fabricgen, or edited since",
            hint="move it elsewhere, or build into another folder",
        )
        for path in sorted(paths)
    )


def is_unfinished(real: str) -> bool:
    """Tell whether a build was stopped in a folder after its journal was written: some files are in place, some not."""
    return os.path.isfile(f"{real}/{STAGE}/{JOURNAL}") and os.path.isfile(f"{real}/{STAGE}/{MARKER}")


def name_stage(real: str) -> str:
    """Name a stage beside the target that no other run uses."""
    return name_companion(real, f"stage-{secrets.token_hex(4)}")


def remove_stage(path: str) -> None:
    """Remove a stage of ours: a real folder with our marker, or empty; anything else is left alone."""
    if os.path.islink(path) or not os.path.isdir(path):
        return
    with contextlib.suppress(OSError):
        if os.path.isfile(f"{path}/{MARKER}"):
            shutil.rmtree(f"{path}/tree", ignore_errors=True)
            for name in {*os.listdir(path)} - {MARKER}:
                os.unlink(f"{path}/{name}")
            os.unlink(f"{path}/{MARKER}")  # last, so that a later run knows whose the rest is
        os.rmdir(path)


def remove_leftovers(real: str) -> None:
    """Remove the stages that killed runs left beside the target; the caller holds its lock."""
    parent, prefix = os.path.split(name_companion(real, "stage-"))
    ours = re.compile(re.escape(prefix) + "[0-9a-f]{8}")
    with contextlib.suppress(PermissionError):
        for name in os.listdir(parent):
            if ours.fullmatch(name):
                remove_stage(os.path.join(parent, name))


# What a build hands to publishing: bundles of files, and how they are portioned out to workers.

Result = TypeVar("Result")

Make: TypeAlias = Callable[[], Iterable[tuple[str, Content]]]

TASK = 64
"""Cost, in switches, from which a task is worth a message to a worker."""
WORKERS_FROM = 512
"""Cost, in switches, from which worker processes pay; below, starting them costs more than they save."""


class FileBundle(NamedTuple):
    """Files of one part that are made together, in whatever process takes them.

    `make` yields (path below the output folder, content), in the order that archives have. It must be safe to call in
    a forked or spawned process: a `functools.partial` of a module's function over what the bundles share, say, which
    goes over once however many bundles hold it; what it caches there serves all bundles that the process makes.

    `key` names the bundle within its part: a switch's name, say.

    `cost` is what it takes to make, roughly, with the configuration of one switch as the unit.

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
    """Tell nobody of a bundle that is done."""


def run_in_tasks(
    bundles: Sequence[FileBundle], work: Callable[[Sequence[FileBundle]], Result], jobs: int
) -> Iterator[tuple[tuple[FileBundle, ...], Result]]:
    """Yield, in order, portions of bundles and what `work` makes of each, in up to `jobs` processes.

    Raises as the makers of the bundles do, InputError FG023 when a worker is killed.
    """
    for prepare in dict.fromkeys(bundle.prepare for bundle in bundles):
        if prepare is not None:
            prepare()
    tasks = tuple(_group_bundles(bundles))
    costs = [sum(bundle.cost for bundle in task) for task in tasks]
    large = [number for number, cost in enumerate(costs) if cost > 2 * TASK]
    first = sorted(large, key=lambda number: -costs[number])  # so that nobody waits for one at the end
    workers = jobs if sum(costs) >= WORKERS_FROM else 1
    results = run_in_order(partial(_run_task, work, tasks), len(tasks), workers, first=first)
    yield from zip(tasks, results, strict=True)


def _run_task(
    work: Callable[[Sequence[FileBundle]], Result], tasks: Sequence[Sequence[FileBundle]], number: int
) -> Result:
    return work(tasks[number])


def _group_bundles(bundles: Iterable[FileBundle]) -> Iterator[tuple[FileBundle, ...]]:
    """Join neighbours until they are worth a task."""
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
