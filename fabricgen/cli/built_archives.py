"""Builds in archives, which are read like folders, and messages that name archives and revisions instead of
temporary copies.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Span, fault
from fabricgen.publish.manifest import MANIFEST, check_path
from fabricgen.publish.reading import NO_BUILD

SUFFIXES = (".tar", ".tar.zst", ".zip")
"""The suffixes of archives that `build` writes."""


@dataclass(frozen=True)
class BuiltPlaces:
    """Unpacks archives into temporary folders, which go when `stack` closes; `shown` gets the archive's name by folder,
    as `replace_names` takes it.
    """

    stack: ExitStack
    shown: dict[str, str] = field(default_factory=dict)

    def folder_of(self, place: str) -> str:
        """Return the folder into which an archive of a build was unpacked; any other place as it is.

        Raises InputError: FG028 for an archive that holds no build, FG065 for one that is damaged or too large.
        """
        if not place.endswith(SUFFIXES) or not Path(place).is_file():
            return place
        from fabricgen.verify.dumps._sources import DumpSource, read_contents

        folder = os.path.realpath(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="fabricgen-archive-")))
        self.shown[folder] = place
        for name, content in read_contents(DumpSource(Path(place), place, True, 0)):
            with suppress(ValueError):  # a path that leaves the folder is no file of a build
                path = name.removeprefix(f"{place}/")
                check_path(path)
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, path).write_bytes(content)
        if not Path(folder, MANIFEST).is_file():
            hint = "name an archive that `fabricgen build --archive` wrote"
            raise fault(NO_BUILD, f"{place} holds no build: it has no {MANIFEST}", hint=hint, span=Span(place, 1, 1))
        return folder


def refuse_for_a_build(folder: object, **options_given: object) -> None:
    """Raise UsageError if options that apply to a blueprint are given for a built folder.

    `options_given` are the values of options by name; one that is empty, false or None was not given.
    """
    options = [f"--{option.replace('_', '-')}" for option, value in options_given.items() if value]
    if options:
        raise click.UsageError(f"{', '.join(options)} go with a blueprint, {folder} is a built folder")


def replace_names(text: str, shown: Mapping[str, str]) -> str:
    """Return a text in which temporary folders have the names that are shown for them; `shown`: folder -> name."""
    for folder, name in shown.items():
        text = text.replace(folder, name)
    return text


@contextmanager
def rename_in_messages(shown: Mapping[str, str]) -> Iterator[None]:
    """Within this context, errors name files of a revision or archive instead of their temporary copies."""
    try:
        yield
    except InputError as error:
        raise InputError(_rename_diagnostic(d, shown) for d in error.diagnostics) from error


def _rename_diagnostic(diagnostic: Diagnostic, shown: Mapping[str, str]) -> Diagnostic:
    """Return a diagnostic that names files as the user did, rather than where they were unpacked."""
    span = diagnostic.span
    return replace(
        diagnostic,
        message=replace_names(diagnostic.message, shown),
        hint=replace_names(diagnostic.hint, shown),
        span=span._replace(file=replace_names(span.file, shown)) if span else None,
    )


@contextmanager
def open_built_places() -> Iterator[BuiltPlaces]:
    """Within this context, unpack archives by the yielded value; errors name the archives instead of the copies."""
    with ExitStack() as stack:
        places = BuiltPlaces(stack)
        stack.enter_context(rename_in_messages(places.shown))
        yield places
