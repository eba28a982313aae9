"""Publishing into one archive file: streamed, the same bytes every time, whole or not at all."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH102, PTH105, PTH108, PTH113, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.bundles import Bundle, Told, large, portions, prepare, silent, workers_for
from fabricgen.publish.files import sync_folder
from fabricgen.publish.large_file import LargeFile
from fabricgen.publish.lock import claimed, sibling
from fabricgen.publish.manifest import MANIFEST, Ledger, PublishReport, check_member, disk_faults
from fabricgen.publish.members import COPIED, FORMATS, Desk, Frame, MakeMember, Member, Out
from fabricgen.publish.workers import in_order

_BUFFER = 1 << 20
"""Bytes that are gathered, so that small files and their headers go out together."""
_AHEAD = 16
"""Parcels that may wait for the one that comes next in the archive."""


def publish_archive(
    target: Path, bundles: Iterable[Bundle], *, header: Mapping[str, object], jobs: int = 1, told: Told = silent
) -> PublishReport:
    """Write these files, in the order they come, and a manifest into a `.tar`, `.tar.zst` or `.zip`.

    Up to `jobs` processes make files and their members; `told` hears of each bundle done. The bytes depend on the
    files and the header alone (compressed: and on the release of the compression library). The target is replaced at
    the end; on any error it stays as it was. Raises InputError: FG020 the target is not a file, FG021 no such kind of
    archive, FG022 another build is writing it, FG023 the system refused; ValueError for paths that no producer may
    use; and, as they are, the errors of the producers.
    """
    form = next((form for suffix, form in FORMATS.items() if target.name.endswith(suffix)), None)
    if form is None:
        raise fault(
            "FG021",
            f"{target}: no archive is known by this suffix",
            hint=f"known: {', '.join(sorted(FORMATS))}",
        )
    make, frame = form
    with claimed(target) as real:
        if os.path.lexists(real) and not os.path.isfile(real):
            raise fault("FG020", f"{target} is not a file", hint="name a new archive")
        with disk_faults(target):
            _remove_leftovers(real)
        ledger = Ledger(header)
        temporary = sibling(real, f"part-{secrets.token_hex(4)}")
        desk, tasks = Desk(target, os.path.dirname(real)), tuple(portions(bundles, lambda bundle: bundle.cost))
        early = large([sum(bundle.cost for bundle in task) for task in tasks])
        packing = _Packing(desk, make, tasks, early, f"{temporary}.parcels")
        try:
            with _new_archive(target, temporary, flushed=os.path.lexists(real)) as out:
                _fill(packing, frame(out), ledger, jobs, told)
            with disk_faults(target):
                os.replace(temporary, real)
            with contextlib.suppress(OSError):  # it has landed, however durably
                sync_folder(os.path.dirname(real))
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    return PublishReport(len(ledger.entries), 0, 0)


@contextlib.contextmanager
def _new_archive(target: Path, path: str, *, flushed: bool) -> Iterator[BinaryIO]:
    """A file to write; flushed to the disk before it takes the place of an earlier one, which would be lost with it."""
    with disk_faults(target):
        out = io.BufferedWriter(LargeFile(path), _BUFFER)
    try:
        yield out
        with disk_faults(target):
            out.flush()
            if flushed:
                os.fsync(out.fileno())
    finally:
        with contextlib.suppress(OSError):
            out.close()  # after a full disk it would fail once more


@dataclass(frozen=True, slots=True)
class _Parcel:
    """Members of a task in a file on their way into the archive: bundle by bundle, `size` bytes in all."""

    size: int
    members: list[list[Member]]


@dataclass(frozen=True, slots=True)
class _Packing:
    """What a worker does: write the members of a task into a file in the folder `parcels`."""

    desk: Desk
    make: MakeMember
    tasks: Sequence[Sequence[Bundle]]
    early: Sequence[int]
    """Tasks that are started before those that precede them, in this order."""
    parcels: str

    def __call__(self, task: int) -> _Parcel:
        """Write a parcel over the one that lay at its place before and is in the archive by now.

        Gigabytes pass through here. The same few pages take them all: no memory is sought for new ones, and the disk,
        which the archive keeps busy, need hardly ever see them.
        """
        with disk_faults(self.desk.target):
            out = open(os.open(self.place(task), os.O_WRONLY | os.O_CREAT, 0o600), "wb", _BUFFER)  # noqa: SIM115
        with out:
            members = [list(self.members(bundle, out)) for bundle in self.tasks[task]]
            with disk_faults(self.desk.target):
                out.flush()
            return _Parcel(out.tell(), members)

    def place(self, task: int) -> str:
        """The file of a parcel: of its own for one that is made early, one of a few for all others."""
        return f"{self.parcels}/{f'early-{task}' if task in self.early else task % _AHEAD}"

    def members(self, bundle: Bundle, out: Out) -> Iterator[Member]:
        """Write the members of one bundle."""
        for path, content in bundle.make():
            check_member(path)
            yield self.make(self.desk, out, bundle.part, path, content)


def _fill(packing: _Packing, frame: Frame, ledger: Ledger, jobs: int, told: Told) -> None:
    bundles = list(chain.from_iterable(packing.tasks))
    prepare(bundles)
    workers = workers_for(bundles, jobs)
    packed = _by_workers(packing, frame, workers) if workers > 1 else _alone(packing, frame)
    for bundle, members in zip(bundles, packed, strict=True):
        for member in members:
            ledger.record(member.part, member.path, member.sha256)
            frame.enter(member)
        told(bundle)
    with disk_faults(packing.desk.target):
        frame.enter(packing.make(packing.desk, frame.out, "", MANIFEST, ledger.manifest()))
        frame.close()


def _alone(packing: _Packing, frame: Frame) -> Iterator[Iterator[Member]]:
    for bundle in chain.from_iterable(packing.tasks):
        yield packing.members(bundle, frame.out)


def _by_workers(packing: _Packing, frame: Frame, workers: int) -> Iterator[list[Member]]:
    """Let workers make parcels, and put these into the archive one after another."""
    target, parcels, tasks = packing.desk.target, packing.parcels, packing.tasks
    with disk_faults(target):
        os.mkdir(parcels, 0o700)
    try:
        room = memoryview(bytearray(COPIED))
        made = in_order(packing, len(tasks), workers, first=packing.early, ahead=_AHEAD)
        for task, parcel in enumerate(made):
            base = frame.out.tell()
            with disk_faults(target):
                _copy(packing, task, parcel.size, frame.out, room)
            for members in parcel.members:
                yield [member._replace(start=base + member.start) for member in members]
    finally:
        shutil.rmtree(parcels, ignore_errors=True)


def _copy(packing: _Packing, task: int, size: int, out: Out, room: memoryview) -> None:
    """Copy the first `size` bytes of a parcel, through the same memory each time."""
    with open(packing.place(task), "rb", 0) as parcel:
        if task in packing.early:
            os.unlink(parcel.name)  # before it is read: what is not written out by now need never be
        while size:
            read = parcel.readinto(room[: min(len(room), size)])
            out.write(room[:read])
            size -= read


def _remove_leftovers(real: str) -> None:
    parent, prefix = os.path.split(sibling(real, "part-"))
    ours = re.compile(re.escape(prefix) + "[0-9a-f]{8}(.parcels)?")
    for name in os.listdir(parent):
        found = ours.fullmatch(name)
        if found and found[1]:
            shutil.rmtree(os.path.join(parent, name))
        elif found:
            os.unlink(os.path.join(parent, name))
