"""Publishing into one archive file: streamed, the same bytes every time, whole or not at all."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH102, PTH105, PTH108, PTH113, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.publish_bundles import Bundle, Tasks, Told, silent, tasks_of
from fabricgen.kernel.publish_files import sync_folder
from fabricgen.kernel.publish_lock import claimed, sibling
from fabricgen.kernel.publish_manifest import MANIFEST, Ledger, PublishReport, check_member, disk_faults
from fabricgen.kernel.publish_members import COPIED, FORMATS, Desk, Frame, MakeMember, Member, Out
from fabricgen.kernel.workers import in_order

_BUFFER = 1 << 20
"""Bytes that are gathered, so that small files and their headers go out together."""


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
        packing = _Packing(Desk(target, os.path.dirname(real)), make, tasks_of(list(bundles)), f"{temporary}.parcels")
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
        out = open(path, "xb", _BUFFER)  # noqa: SIM115
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
class _Packing:
    """What a worker does: write the members of a task into a file of its own, in the folder `parcels`."""

    desk: Desk
    make: MakeMember
    tasks: Tasks
    parcels: str

    def __call__(self, task: int) -> list[list[Member]]:
        """Members, bundle by bundle."""
        with disk_faults(self.desk.target):
            out = open(f"{self.parcels}/{task}", "xb", _BUFFER)  # noqa: SIM115
        with out:
            members = [list(self.members(bundle, out)) for bundle in self.tasks.groups[task]]
            with disk_faults(self.desk.target):
                out.flush()
        return members

    def members(self, bundle: Bundle, out: Out) -> Iterator[Member]:
        """Write the members of one bundle."""
        for path, content in bundle.make():
            check_member(path)
            yield self.make(self.desk, out, bundle.part, path, content)


def _fill(packing: _Packing, frame: Frame, ledger: Ledger, jobs: int, told: Told) -> None:
    workers = packing.tasks.workers(jobs)
    packed = _by_workers(packing, frame, workers) if workers > 1 else _alone(packing, frame)
    for bundle, members in zip(chain.from_iterable(packing.tasks.groups), packed, strict=True):
        for member in members:
            ledger.record(member.part, member.path, member.sha256)
            frame.enter(member)
        told(bundle)
    with disk_faults(packing.desk.target):
        frame.enter(packing.make(packing.desk, frame.out, "", MANIFEST, ledger.manifest()))
        frame.close()


def _alone(packing: _Packing, frame: Frame) -> Iterator[Iterator[Member]]:
    for bundle in chain.from_iterable(packing.tasks.groups):
        yield packing.members(bundle, frame.out)


def _by_workers(packing: _Packing, frame: Frame, workers: int) -> Iterator[list[Member]]:
    """Let workers make parcels, and put these into the archive one after another."""
    target, parcels = packing.desk.target, packing.parcels
    with disk_faults(target):
        os.mkdir(parcels, 0o700)
    try:
        for task, bundles in enumerate(
            in_order(packing, len(packing.tasks.groups), workers, first=packing.tasks.large)
        ):
            base = frame.out.tell()
            with disk_faults(target):
                _copy(f"{parcels}/{task}", frame.out)
            yield from ([member._replace(start=base + member.start) for member in members] for members in bundles)
    finally:
        shutil.rmtree(parcels, ignore_errors=True)


def _copy(parcel: str, out: Out) -> None:
    with open(parcel, "rb", 0) as packed:
        os.unlink(parcel)  # before it is read: what is not written out by now need never be
        while piece := packed.read(COPIED):
            out.write(piece)


def _remove_leftovers(real: str) -> None:
    parent, prefix = os.path.split(sibling(real, "part-"))
    ours = re.compile(re.escape(prefix) + "[0-9a-f]{8}(.parcels)?")
    for name in os.listdir(parent):
        found = ours.fullmatch(name)
        if found and found[1]:
            shutil.rmtree(os.path.join(parent, name))
        elif found:
            os.unlink(os.path.join(parent, name))
