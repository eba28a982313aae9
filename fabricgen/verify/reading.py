"""Reading of dumps from files, folders and archives into `Sightings`; each file is recognised by its content."""

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
"""The most files of folders that a worker reads in one go."""

_UNDECODED = 0.01
"""The largest share of a text that may not be UTF-8: a description may be in Latin-1. With more it is a binary file."""


@dataclass
class _Batch:
    """What a batch of files says, as `AllRead` has it; `used` has the numbers of the arguments that had a dump."""

    sightings: Sightings
    files: int = 0
    used: set[int] = field(default_factory=set)
    ignored: list[str] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    reports: list[PortReport] = field(default_factory=list)
    optics_files: int = 0
    tables: list[MacTable] = field(default_factory=list)


class AllRead(NamedTuple):
    """What all dumps say: who sees whom, the state of modules and ports, and which MACs are at which ports.

    `ignored` are files that are not dumps. `files` counts dumps of any kind, `optics_files` those of modules and ports.
    """

    sightings: Sightings
    ignored: list[str]
    files: int
    reports: list[PortReport]
    optics_files: int
    tables: list[MacTable]


def read_all(arguments: Sequence[str], jobs: int = 0, *, optics: bool) -> AllRead:
    """Read all dumps. Those of modules and ports are always recognised, and read only with `optics`.

    Arguments are files, folders, archives and `-` (standard input). `jobs` is a number of processes, 0 for as many as
    there are processors; the result depends neither on it nor on the order of arguments. Raises InputError (FG065) with
    all faults of all files, at most `MOST_FAULTS`: a named file that is not a dump, a damaged file, an argument without
    any dump.
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
    """Return the titles of all formats that are read, each once."""
    titles = (module.TITLE for package in (PACKAGE, OPTICS) for modules in _list_formats(package) for module in modules)
    return tuple(dict.fromkeys(titles))


def _cut_batches(all_sources: list[DumpSource]) -> list[list[DumpSource]]:
    """Cut the files into batches, independent of the number of workers: named files alone, others by `_BATCH`."""
    batches: list[list[DumpSource]] = []
    for source in all_sources:
        if source.named or not batches or batches[-1][0].named or len(batches[-1]) == _BATCH:
            batches.append([])
        batches[-1].append(source)
    return batches


def _read_batch(batches: list[list[DumpSource]], optics: bool, number: int) -> _Batch:
    """Read the files of a batch. Garbage collection is paused: it doubles the time, and parsing makes no cycles."""
    builder, read = SightingsBuilder(), _Batch(join_sightings([]))
    with pause_collector():
        for source in batches[number]:
            _read_source(source, builder, read, optics)
            if len(read.faults) >= MOST_FAULTS:
                break
    read.sightings = builder.make_sightings()
    return read


def _read_source(source: DumpSource, builder: SightingsBuilder, read: _Batch, optics: bool) -> None:
    """Add all contents of a file (several if it is an archive) to `builder` and `read`.

    A fault in one content does not stop the others. Modules and ports are read only if `optics` is true.
    """
    try:
        for shown, raw in read_contents(source):
            faults = list[Diagnostic]()
            must_be = source.named and shown == source.shown
            answers = _split_contents(shown, raw, faults, must_be)
            links, ports = _choose_readers(answers)
            # a file that is not a dump is a fault only if the user named it; in a folder it is ignored with a note
            if answers and must_be and not links and not ports and not faults:
                hint = suggest_dump(answers[0].text) or _make_hint()
                faults.append(_make_fault(Span(shown, 1, 1), f"'{shown}' is none of the dumps that are read", hint))
            _add_rows(links, lambda dump: _add_dump(dump, builder, read), faults)
            _add_rows(ports if optics else [], read.reports.append, faults)
            if links or ports:
                read.files += 1
                read.optics_files += bool(ports)
                read.used.add(source.argument)
            elif not faults:
                hint = suggest_dump(answers[0].text) if answers else ""
                read.ignored.append(f"{shown} ({hint})" if hint else shown)
            read.faults += _drop_repeated(faults)
    except InputError as error:
        read.faults += error.diagnostics


def _add_dump(dump: Dump | MacTable, builder: SightingsBuilder, read: _Batch) -> None:
    if isinstance(dump, MacTable):
        read.tables.append(dump)
    else:
        builder.add_dump(dump)


def _drop_repeated(faults: list[Diagnostic]) -> list[Diagnostic]:
    """Return the first fault at each place: a file may be read once for its links and once for its ports."""
    # reversed twice, so that the first fault at a place stays, and the order too
    return list({fault.span: fault for fault in reversed(faults)}.values())[::-1]


def _split_contents(shown: str, raw: bytes, faults: list[Diagnostic], must_be: bool) -> list[DumpContent]:
    """Return the content of a file, or the answers in a terminal session; nothing for a binary file or damaged JSON.

    Damaged JSON is added to `faults`, and so is a binary file if it must be a dump (`must_be`).
    """
    text = _decode_file(raw)
    if text is None:
        if must_be:
            faults.append(_make_fault(Span(shown, 1, 1), f"'{shown}' is a binary file", _make_hint()))
        return []
    answers = _transcript.split_answers(text) or [_transcript.Answer("", 1, text)]
    contents = [
        DumpContent(shown, answer.text, device=answer.host, first_line=answer.first_line, faults=faults)
        for answer in answers
    ]
    return [content for content in contents if _parse_if_json(content, must_be)]


def _parse_if_json(content: DumpContent, must_be: bool) -> bool:
    """Parse a content that looks like JSON, and store its value in it; return False, with a fault added, if damaged.

    If the content must be a dump, any text that begins with a bracket is taken for JSON.
    """
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
    """Pass what each reader yields to `add`; stop at too many faults, or (with one more fault) at too much data."""
    try:
        for reader, content in readers:
            for row in reader(content):
                add(row)
    except TooManyFaultsError:
        pass
    except TooMuchError as error:
        faults.append(_make_fault(Span(readers[0][1].shown, 1, 1), str(error), "split it by devices"))


def _decode_file(raw: bytes) -> str | None:
    """Return the text of a file: UTF-16 if it has that byte order mark, else UTF-8; None for a binary file.

    Bytes that are not UTF-8 become U+FFFD, so that a description in another encoding spoils only itself.
    """
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", errors="replace")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("utf-8-sig", errors="replace")
        # a few bytes may be wrong in any text; with many, it is not a text
        if text.count("\ufffd") > max(_UNDECODED * len(text), 8):
            return None
    return None if "\0" in text[:4096] else text


_Reader = Callable[[DumpContent], Iterator[Any]]
_Readers = list[tuple[_Reader, DumpContent]]


def _choose_readers(contents: list[DumpContent]) -> tuple[_Readers, _Readers]:
    """Return the readers for links, and those for modules and ports, each with the content that it reads.

    A JSON object of no known format may have devices as keys: then each value is read as the dump of that device.
    """
    dump_contents = list[DumpContent]()
    for content in contents:
        formats = _find_readers(content, PACKAGE) or _find_readers(content, OPTICS)
        if not formats and content.is_json and isinstance(content.value, dict):
            dump_contents += [content.make_child(name, value) for name, value in content.value.items()]
        else:
            dump_contents.append(content)
    link_readers, port_readers = (
        [(reader, content) for content in dump_contents for reader in _find_readers(content, package)]
        for package in (PACKAGE, OPTICS)
    )
    return link_readers, port_readers


def _find_readers(content: DumpContent, package: str) -> list[_Reader]:
    """Return the readers of a package for a content.

    Of the formats of links only the first that recognises it is used. Formats of MAC tables, and of modules and ports,
    may share a file, so that all of them are used.
    """
    text_formats, json_formats = _list_formats(package)
    formats, subject = (json_formats, content.value) if content.is_json else (text_formats, content.text)
    modules = [module for module in formats if module.recognises(subject)]
    if package == PACKAGE:
        links = [module.dumps for module in modules if not hasattr(module, "BESIDE_OTHERS")]
        return links[:1] + [module.dumps for module in modules if hasattr(module, "BESIDE_OTHERS")]
    return [module.reports for module in modules]


@cache
def _list_formats(package: str) -> tuple[tuple[ModuleType, ...], tuple[ModuleType, ...]]:
    """Return the modules of a package that read text, and those that read JSON, each sorted by name."""
    names = [name for name in discovery.list_modules(package) if name != "sighting"]
    modules = [discovery.load_module(package, name) for name in names]
    return tuple(m for m in modules if not m.IS_JSON), tuple(m for m in modules if m.IS_JSON)


def _find_near_miss(ignored: list[str]) -> str:
    """Return the first ignored file that is nearly a dump, with its hint; "" if there is none."""
    # a file that is nearly a dump has a hint in brackets behind its name
    return next((file for file in ignored if file.endswith(")")), "")


def _make_hint() -> str:
    links = [module.TITLE for modules in _list_formats(PACKAGE) for module in modules]
    return f"read are {', '.join(links)}; and tables of optics and ports, which docs/verify.md lists"


def _make_fault(span: Span | None, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, make_printable(message), (), hint, span)


# Outputs that people often save instead of a dump, and how to make the dump.

_MADE_SO = (
    (r"^LLDP neighbors:|^lldp\.\S+\.via=|<lldp label=", "text of lldpctl: make the dump with `lldpctl -f json0`"),
    (r"^Last table change time|^Interface \S+ detected \d+ LLDP", "text of EOS: put `| json` behind the command"),
    (
        r"^(?:Device ID|Local Interface) +Local Int",
        "a table that is not read: write it as CSV with the columns device, port, neighbor, neighbor_port",
    ),
)
_LOOKED_AT = 65_536
"""How many characters of a text `suggest_dump` searches, from its beginning."""


def suggest_dump(text: str) -> str:
    """Return a sentence on how to make a readable dump with the same facts as a text; "" if that is not known."""
    for pattern, advice in _MADE_SO:
        if re.search(pattern, text[:_LOOKED_AT], re.MULTILINE):
            return f"this is {advice}"
    return ""
