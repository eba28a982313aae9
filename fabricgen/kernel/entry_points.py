"""Entry points of other packages: what each offers, without loading it, and errors that name the package if it
fails.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from fabricgen.kernel.diagnostics import InputError, Span, fault

FAULT = "FG870"
OWN = "fabricgen"
"""Our own package, whose outputs are called like those of others; if one of them fails, that is a defect of ours."""


class EntryPoint(NamedTuple):
    """An object that a package offers: group and name, the package with its version, and where the object is."""

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
        """Import and return the object. Raises InputError (FG870) if that fails."""
        from importlib.metadata import EntryPoint as Loader

        with blame_plugin(self):
            return Loader(self.name, self.value, self.group).load()

    def make_error(self, why: str, hint: str = "") -> InputError:
        """Return an InputError (FG870) that says what is wrong with the entry point."""
        return fault(FAULT, f"{self.group}: {self.text}: {why}", hint=hint or f"it is at {self.value}")


@cache
def list_entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group that installed packages have, sorted by name and package."""
    from importlib.metadata import entry_points as installed

    offered = [
        EntryPoint(group, point.name, point.dist.name, point.dist.version, point.value)
        for point in installed(group=group)
        if point.dist
    ]
    return tuple(sorted(offered, key=lambda point: (point.name, point.package, point.value)))


@contextmanager
def blame_plugin(entry: EntryPoint) -> Iterator[None]:
    """Within this context, turn an error of a plug-in into an InputError (FG870) with its package and the line where it
    happened.

    With FABRICGEN_TRACEBACK set the error is raised as it is; so are InputErrors, interruptions, and errors of our own
    package.
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
    """Return the text of an error; if its `__str__` fails, too, return words that say so."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a stranger's __str__
        return "(it has no text)"
