"""Dumps from files, folders and archives into `Sightings`; each file is recognised by its content."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from types import ModuleType
from typing import Any

from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, printable
from fabricgen.publish.workers import in_order, processors
from fabricgen.verify.dumps import _json
from fabricgen.verify.dumps._content import CODE, MOST_FAULTS, Content, Json, TooManyFaultsError
from fabricgen.verify.dumps._sources import Source, contents, sources
from fabricgen.verify.sightings import Sightings, SightingsBuilder, joined

PACKAGE = "fabricgen.verify.dumps"

_BATCH = 64
"""Files of folders that a worker reads in one go."""

_UNDECODED = 0.01
"""A text may have so many bytes that are not UTF-8, by its length: a description in Latin-1, not a binary file."""


@dataclass
class _Batch:
    """What a batch of files says; `files` counts dumps, `used` has the arguments in which there was one."""

    sightings: Sightings
    files: int = 0
    used: set[int] = field(default_factory=set)
    ignored: list[str] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)


def read_dumps(arguments: Sequence[str], jobs: int = 0) -> tuple[Sightings, list[str], int]:
    """(what all dumps say, files that are no dumps, number of files that are dumps).

    Arguments are files, folders, archives and `-`, standard input. `jobs` is a number of processes, 0 for as many as
    there are processors; the result does not depend on it. Raises InputError (FG065) with all faults of all files, at
    most `MOST_FAULTS` of them: a named file that is no dump, one that is damaged, an argument without any dump.
    """
    found = list(sources(list(arguments)))
    batches = _batches(found)
    ignored, faults, parts = list[str](), list[Diagnostic](), list[Sightings]()
    files, used = 0, set[int]()
    for batch in in_order(partial(_read_batch, batches), len(batches), jobs or processors()):
        parts.append(batch.sightings)
        files += batch.files
        used |= batch.used
        ignored += batch.ignored
        faults += batch.faults
        if len(faults) >= MOST_FAULTS:
            raise InputError([*faults[:MOST_FAULTS], _fault(faults[MOST_FAULTS - 1].span, "there are more faults")])
    faults += [
        _fault(Span(argument, 1, 1), f"there is no dump in '{argument}'", _hint())
        for number, argument in enumerate(arguments)
        if number not in used and not faults
    ]
    if faults:
        raise InputError(faults)
    return joined(parts), ignored, files


def titles() -> tuple[str, ...]:
    """The formats that are read, in words."""
    return tuple(module.TITLE for modules in _formats() for module in modules)


def _batches(found: list[Source]) -> list[list[Source]]:
    """Files in runs of like size: how they are cut does not depend on the number of workers."""
    batches: list[list[Source]] = []
    for source in found:
        if source.named or not batches or batches[-1][0].named or len(batches[-1]) == _BATCH:
            batches.append([])
        batches[-1].append(source)
    return batches


def _read_batch(batches: list[list[Source]], number: int) -> _Batch:
    """Read the files of a batch. What is parsed has no cycles: to look for these meanwhile would double the time."""
    builder, read = SightingsBuilder(), _Batch(joined([]))
    enabled = gc.isenabled()
    gc.disable()
    try:
        for source in batches[number]:
            _read_source(source, builder, read)
            if len(read.faults) >= MOST_FAULTS:
                break
    finally:
        if enabled:
            gc.enable()
    read.sightings = builder.columns()
    return read


def _read_source(source: Source, builder: SightingsBuilder, read: _Batch) -> None:
    try:
        for shown, data in contents(source):
            faults = list[Diagnostic]()
            must_be = source.named and shown == source.shown
            if _add(shown, data, builder, faults, must_be):
                read.files += 1
                read.used.add(source.argument)
            elif not faults:
                read.ignored.append(shown)
            read.faults += faults
    except InputError as error:
        read.faults += error.diagnostics


def _add(shown: str, data: bytes, builder: SightingsBuilder, faults: list[Diagnostic], must_be: bool) -> bool:
    """Add the dumps of a file; false where it is none. Faults go to `faults`, also that one which must be none is."""
    text = _decoded(data)
    if text is None:
        if must_be:
            faults.append(_fault(Span(shown, 1, 1), f"'{shown}' is a binary file", _hint()))
        return False
    content = Content(shown, text, faults=faults)
    if _json.looks_like(text) or (must_be and text.lstrip()[:1] in ("{", "[")):
        try:
            content.value, content.is_json = _json.parse(text), True
        except _json.NotJsonError as error:
            hint = "is the file whole? make the dump anew"
            content.faults.append(_fault(Span(shown, error.line, error.column), f"this is no JSON: {error.why}", hint))
            return False
    readers = _readers(content)
    if not readers and must_be:
        faults.append(_fault(Span(shown, 1, 1), f"'{shown}' is none of the dumps that are read", _hint()))
    try:
        for reader, part in readers:
            for dump in reader(part):
                builder.add(dump)
    except TooManyFaultsError:
        pass
    return bool(readers)


def _decoded(data: bytes) -> str | None:
    """The text of a file: UTF-16 if it is marked so, else UTF-8; None for a binary file.

    Bytes that are not UTF-8 become U+FFFD, so that a description in another encoding costs its own name only.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", errors="replace")
        if text.count("\ufffd") > max(_UNDECODED * len(text), 8):
            return None
    return None if "\0" in text[:4096] else text


_Reader = Callable[[Content], Iterator[Any]]


def _readers(content: Content) -> list[tuple[_Reader, Content]]:
    """How a file is read, in parts where it is JSON with a dump below the name of each device."""
    whole = _format_of(content)
    if whole is not None:
        return [(whole.dumps, content)]
    if not content.is_json or not isinstance(content.value, dict):
        return []
    parts = [content.child(name, value) for name, value in content.value.items()]
    formats = [_format_of(part) for part in parts]
    return [(each.dumps, part) for each, part in zip(formats, parts, strict=True) if each is not None]


def _format_of(content: Content) -> ModuleType | None:
    text_formats, json_formats = _formats()
    if content.is_json:
        return _first(json_formats, content.value)
    return _first(text_formats, content.text)


def _first(formats: tuple[ModuleType, ...], told: Json) -> ModuleType | None:
    return next((module for module in formats if module.recognises(told)), None)


@cache
def _formats() -> tuple[tuple[ModuleType, ...], tuple[ModuleType, ...]]:
    """(formats of text, formats of JSON), each by name."""
    names = [name for name in discovery.module_names(PACKAGE) if name != "sighting"]
    modules = [discovery.load(PACKAGE, name) for name in names]
    return tuple(m for m in modules if not m.IS_JSON), tuple(m for m in modules if m.IS_JSON)


def _hint() -> str:
    return f"read are {', '.join(titles())}"


def _fault(span: Span | None, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, printable(message), (), hint, span)
