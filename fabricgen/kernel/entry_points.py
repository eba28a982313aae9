"""Entry points of other packages: who offers what, without loading it; and who is to blame where it fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from fabricgen.kernel.diagnostics import InputError, Span, fault

FAULT = "FG870"
OWN = "fabricgen"
"""The package whose own outputs are called as those of others are; where one fails, that is a defect of ours."""


class EntryPoint(NamedTuple):
    """What a package offers: its group and name, the package with its version, and where the object is."""

    group: str
    name: str
    package: str
    version: str
    value: str

    @property
    def text(self) -> str:
        """The entry point and its package, for messages: `'ACME101' of the package acme-rules 1.2`."""
        return f"'{self.name}' of the package {self.package} {self.version}"

    def load(self) -> Any:
        """Import the object; raises InputError (FG870) if that fails."""
        from importlib.metadata import EntryPoint as Loader

        with blame_plugin(self):
            return Loader(self.name, self.value, self.group).load()

    def make_error(self, why: str, hint: str = "") -> InputError:
        """Return an InputError (FG870) that says what is wrong with it."""
        return fault(FAULT, f"{self.group}: {self.text}: {why}", hint=hint or f"it is at {self.value}")


@cache
def list_entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return what installed packages offer in a group, by name and package, read from the metadata of all of them."""
    from importlib.metadata import entry_points as installed

    offered = [
        EntryPoint(group, point.name, point.dist.name, point.dist.version, point.value)
        for point in installed(group=group)
        if point.dist
    ]
    return tuple(sorted(offered, key=lambda point: (point.name, point.package, point.value)))


@contextmanager
def blame_plugin(entry: EntryPoint) -> Iterator[None]:
    """Turn what a plug-in raises into an InputError (FG870) with its package and the line where it happened.

    With FABRICGEN_TRACEBACK set it is raised as it is; an interruption, and what is our own, always is.
    """
    try:
        yield
    except (InputError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if os.environ.get("FABRICGEN_TRACEBACK") or entry.package == OWN:
            raise
        frame = error.__traceback__
        # the innermost frame is the line that failed
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        line = Span(frame.tb_frame.f_code.co_filename, frame.tb_lineno, 1) if frame else None
        raise fault(
            FAULT,
            f"{entry.group}: {entry.text} failed: {type(error).__name__}: {_read_text(error)}",
            hint="report it to whoever makes the package; FABRICGEN_TRACEBACK=1 shows where it happened",
            span=line,
        ) from error


def _read_text(error: BaseException) -> str:
    """Return what an error says; of one that fails at that too, nothing."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a stranger's __str__
        return "(it has no text)"
