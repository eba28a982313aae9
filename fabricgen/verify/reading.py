"""Dumps from files, folders and archives into `Sightings`; each file is recognised by its content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from types import ModuleType
from typing import Any, NamedTuple

from fabricgen.diff.compare import pause_collector
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, make_printable
from fabricgen.publish.workers import count_processors, run_in_order
from fabricgen.verify.dumps import _json, _transcript
from fabricgen.verify.dumps._content import CODE, MOST_FAULTS, DumpContent, TooManyFaultsError
from fabricgen.verify.dumps._sources import DumpSource, list_sources, read_contents
from fabricgen.verify.dumps.sighting import Dump, MacTable
from fabricgen.verify.optics.report import PortReport
from fabricgen.verify.sightings import Sightings, SightingsBuilder, TooMuchError, join_sightings

PACKAGE = "fabricgen.verify.dumps"
OPTICS = "fabricgen.verify.optics.dumps"

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
    reports: list[PortReport] = field(default_factory=list)
    optics_files: int = 0
    tables: list[MacTable] = field(default_factory=list)


class AllRead(NamedTuple):
    """What all dumps say: who sees whom, how modules and ports are, which MACs are where; `ignored` are no dumps.

    `files` counts dumps of either kind, `optics_files` those of modules and ports.
    """

    sightings: Sightings
    ignored: list[str]
    files: int
    reports: list[PortReport]
    optics_files: int
    tables: list[MacTable]


def read_all(arguments: Sequence[str], jobs: int = 0, *, optics: bool) -> AllRead:
    """What all dumps say; of modules and ports only with `optics`, though their dumps are known without it, too.

    Arguments are files, folders, archives and `-`, standard input. `jobs` is a number of processes, 0 for as many as
    there are processors; the result does not depend on it, nor on the order of arguments. Raises InputError (FG065)
    with all faults of all files, at most `MOST_FAULTS` of them: a
    named file that is no dump, one that is damaged, an argument without any dump.
    """
    # by name, not by the order in which arguments were given: the result must not depend on that
    all_sources = sorted(list_sources(list(arguments)), key=lambda source: arguments[source.argument])
    batches = _cut_batches(all_sources)
    ignored, faults, parts, reports = list[str](), list[Diagnostic](), list[Sightings](), list[PortReport]()
    tables = list[MacTable]()
    files, optics_files, used = 0, 0, set[int]()
    for batch in run_in_order(partial(_read_batch, batches, optics), len(batches), jobs or count_processors()):
        parts.append(batch.sightings)
        reports += batch.reports
        tables += batch.tables
        files += batch.files
        optics_files += batch.optics_files
        used |= batch.used
        ignored += batch.ignored
        faults += batch.faults
        if len(faults) >= MOST_FAULTS:
            raise InputError(
                [*faults[:MOST_FAULTS], _make_fault(faults[MOST_FAULTS - 1].span, "there are more faults")]
            )
    faults += [
        _make_fault(Span(argument, 1, 1), f"there is no dump in '{argument}'", _find_near_miss(ignored) or _make_hint())
        for number, argument in enumerate(arguments)
        if number not in used and not faults
    ]
    if faults:
        raise InputError(faults)
    return AllRead(join_sightings(parts), ignored, files, reports, optics_files, tables)


def list_titles() -> tuple[str, ...]:
    """The formats that are read, in words."""
    titles = (module.TITLE for package in (PACKAGE, OPTICS) for modules in _list_formats(package) for module in modules)
    return tuple(dict.fromkeys(titles))


def _cut_batches(all_sources: list[DumpSource]) -> list[list[DumpSource]]:
    """Files in runs of like size: how they are cut does not depend on the number of workers."""
    batches: list[list[DumpSource]] = []
    for source in all_sources:
        if source.named or not batches or batches[-1][0].named or len(batches[-1]) == _BATCH:
            batches.append([])
        batches[-1].append(source)
    return batches


def _read_batch(batches: list[list[DumpSource]], optics: bool, number: int) -> _Batch:
    """Read the files of a batch. What is parsed has no cycles: to look for these meanwhile would double the time."""
    builder, read = SightingsBuilder(), _Batch(join_sightings([]))
    with pause_collector():
        for source in batches[number]:
            _read_source(source, builder, read, optics)
            if len(read.faults) >= MOST_FAULTS:
                break
    read.sightings = builder.make_sightings()
    return read


def _read_source(source: DumpSource, builder: SightingsBuilder, read: _Batch, optics: bool) -> None:
    # add all files of an argument to `builder` and `read`; faults of a file do not stop the others
    try:
        for shown, raw in read_contents(source):
            faults = list[Diagnostic]()
            must_be = source.named and shown == source.shown
            parts = _split_contents(shown, raw, faults, must_be)
            links, ports = _choose_readers(parts)
            # only a file that was named is a mistake; in a folder it is left out and told
            if parts and must_be and not links and not ports and not faults:
                hint = suggest_dump(parts[0].text) or _make_hint()
                faults.append(_make_fault(Span(shown, 1, 1), f"'{shown}' is none of the dumps that are read", hint))
            _add_rows(links, lambda told: _add_dump(told, builder, read), faults)
            _add_rows(ports if optics else [], read.reports.append, faults)
            if links or ports:
                read.files += 1
                read.optics_files += bool(ports)
                read.used.add(source.argument)
            elif not faults:
                hint = suggest_dump(parts[0].text) if parts else ""
                read.ignored.append(f"{shown} ({hint})" if hint else shown)
            read.faults += _drop_repeated(faults)
    except InputError as error:
        read.faults += error.diagnostics


def _add_dump(told: Dump | MacTable, builder: SightingsBuilder, read: _Batch) -> None:
    if isinstance(told, MacTable):
        read.tables.append(told)
    else:
        builder.add_dump(told)


def _drop_repeated(faults: list[Diagnostic]) -> list[Diagnostic]:
    """The first fault at each place: a file may be read for its links and again for its ports."""
    # backwards twice: the first fault at a place is the one that stays, and the order is kept
    return list({fault.span: fault for fault in reversed(faults)}.values())[::-1]


def _split_contents(shown: str, raw: bytes, faults: list[Diagnostic], must_be: bool) -> list[DumpContent]:
    """The content of a file, or of each answer in a session of a terminal; none of one that is binary, or no JSON.

    A fault is noted for damaged JSON, and for a binary file where it must be a dump.
    """
    text = _decode_file(raw)
    if text is None:
        if must_be:
            faults.append(_make_fault(Span(shown, 1, 1), f"'{shown}' is a binary file", _make_hint()))
        return []
    answers = _transcript.split_answers(text) or [_transcript.Answer("", 1, text)]
    parts = [
        DumpContent(shown, answer.text, device=answer.host, first_line=answer.first_line, faults=faults)
        for answer in answers
    ]
    return [part for part in parts if _is_readable(part, must_be)]


def _is_readable(content: DumpContent, must_be: bool) -> bool:
    """Whether a content is text, or JSON that could be parsed, to whose value it is set; else a fault is noted."""
    text = content.text
    if _json.looks_like_json(text) or (must_be and text.lstrip()[:1] in ("{", "[")):
        try:
            content.value, content.is_json = _json.parse_json(text), True
        except _json.NotJsonError as error:
            span = Span(content.shown, content.first_line + error.line - 1, error.column)
            hint = "is the file whole? make the dump anew"
            content.faults.append(_make_fault(span, f"this is no JSON: {error.why}", hint))
            return False
    return True


def _add_rows(readers: list[tuple[_Reader, DumpContent]], add: Callable[[Any], None], faults: list[Diagnostic]) -> None:
    """Add what is read of a file; with too many faults, or too much in it, the first part of it."""
    try:
        for reader, part in readers:
            for row in reader(part):
                add(row)
    except TooManyFaultsError:
        pass
    except TooMuchError as error:
        faults.append(_make_fault(Span(readers[0][1].shown, 1, 1), str(error), "split it by devices"))


def _decode_file(raw: bytes) -> str | None:
    """The text of a file: UTF-16 if it is marked so, else UTF-8; None for a binary file.

    Bytes that are not UTF-8 become U+FFFD, so that a description in another encoding costs its own name only.
    """
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", errors="replace")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("utf-8-sig", errors="replace")
        # a few bytes may be wrong in any text; where many are, it is none
        if text.count("\ufffd") > max(_UNDECODED * len(text), 8):
            return None
    return None if "\0" in text[:4096] else text


_Reader = Callable[[DumpContent], Iterator[Any]]


_Readers = list[tuple[_Reader, DumpContent]]


def _choose_readers(contents: list[DumpContent]) -> tuple[_Readers, _Readers]:
    """How a file is read for links and for ports: as it is, or in parts, if devices have dumps below their names."""
    parts = list[DumpContent]()
    for content in contents:
        formats = _find_readers(content, PACKAGE) or _find_readers(content, OPTICS)
        if not formats and content.is_json and isinstance(content.value, dict):
            parts += [content.make_child(name, value) for name, value in content.value.items()]
        else:
            parts.append(content)
    of_links, of_ports = (
        [(reader, part) for part in parts for reader in _find_readers(part, package)] for package in (PACKAGE, OPTICS)
    )
    return of_links, of_ports


def _find_readers(content: DumpContent, package: str) -> list[_Reader]:
    """The first format of links that content is of; all of MACs, and of modules and ports, which may share a file."""
    text_formats, json_formats = _list_formats(package)
    formats, subject = (json_formats, content.value) if content.is_json else (text_formats, content.text)
    found = [module for module in formats if module.recognises(subject)]
    if package == PACKAGE:
        links = [module.dumps for module in found if not hasattr(module, "BESIDE_OTHERS")]
        return links[:1] + [module.dumps for module in found if hasattr(module, "BESIDE_OTHERS")]
    return [module.reports for module in found]


@cache
def _list_formats(package: str) -> tuple[tuple[ModuleType, ...], tuple[ModuleType, ...]]:
    """(formats of text, formats of JSON) of a package, each by name."""
    names = [name for name in discovery.list_modules(package) if name != "sighting"]
    modules = [discovery.load_module(package, name) for name in names]
    return tuple(m for m in modules if not m.IS_JSON), tuple(m for m in modules if m.IS_JSON)


def _find_near_miss(ignored: list[str]) -> str:
    """The first file that is nearly a dump, with what it is instead; "" where there is none."""
    # what is nearly a dump has its hint in brackets
    return next((file for file in ignored if file.endswith(")")), "")


def _make_hint() -> str:
    links = [module.TITLE for modules in _list_formats(PACKAGE) for module in modules]
    return f"read are {', '.join(links)}; and tables of optics and ports, which docs/verify.md lists"


def _make_fault(span: Span | None, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, make_printable(message), (), hint, span)


# Outputs that are often kept in place of a dump, and how the dump is made instead.

_MADE_SO = (
    (r"^LLDP neighbors:|^lldp\.\S+\.via=|<lldp label=", "text of lldpctl: make the dump with `lldpctl -f json0`"),
    (r"^Last table change time|^Interface \S+ detected \d+ LLDP", "text of EOS: put `| json` behind the command"),
    (
        r"^(?:Device ID|Local Interface) +Local Int",
        "a table that is not read: write it as CSV with the columns device, port, neighbor, neighbor_port",
    ),
)
_LOOKED_AT = 65_536


def suggest_dump(text: str) -> str:
    """A sentence on how to make a dump of which the text says the same; "" where that is not known."""
    for pattern, advice in _MADE_SO:
        if re.search(pattern, text[:_LOOKED_AT], re.MULTILINE):
            return f"this is {advice}"
    return ""
