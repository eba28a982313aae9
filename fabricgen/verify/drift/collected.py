"""Running configurations that were collected into a folder, assigned to the devices that they are of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.nos_rooms import list_nos, load_part
from fabricgen.publish.manifest import MANIFEST
from fabricgen.publish.reading import Surroundings
from fabricgen.running.statements import ShownConfiguration, ShownText
from fabricgen.verify.dumps._sources import DumpSource, list_sources, read_contents

CODE = "FG144"

_SUFFIX = re.compile(r"[-_.](?:running|startup|config|show|frr|nv|vtysh)[-_.\w]*$")
"""What collectors put behind the name of a device."""

MOST_BYTES = 16 * 1024 * 1024
"""The largest running configuration; one of a switch of 512 ports has about 2 MiB."""


@dataclass
class Collected:
    """Collected files.

    `files` has them by planned device; `unknown` are (file, host name in it) of files of no planned device; `ignored`
    are files in no form that is read.
    """

    files: dict[str, list[DumpSource]] = field(default_factory=dict)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def collect_configurations(folder: str, devices: Collection[str]) -> Collected:
    """Find the device of each file in a folder, by the name of the file or a folder around it, else by its host name.

    Raises InputError (FG144) if there is no such folder, or nothing of a planned device in it, and FG028 if a build was
    stopped while it was moved there.
    """
    if not Path(folder).is_dir():
        raise fault(
            CODE, f"there is no folder '{folder}'", hint="name the folder that running configurations were collected in"
        )
    gathered, device_names, builds = Collected(), frozenset(devices), Surroundings()
    for source in list_sources([folder]):
        device = find_device(source.shown.removeprefix(folder.rstrip("/")), device_names)
        if device is None and source.path is not None:
            device = _find_by_content(source, source.path, device_names, gathered, builds)
        if device is not None:
            gathered.files.setdefault(device, []).append(source)
    if not gathered.files:
        strange = f": {gathered.unknown[0][1]} is none" if gathered.unknown else ""
        hint = (
            "files are known by the names of their devices, or by the host name in them; docs/day2.md lists the forms"
        )
        raise fault(CODE, f"no running configuration in '{folder}' is of a device of the plan{strange}", hint=hint)
    return gathered


def find_device(shown: str, devices: Collection[str]) -> str | None:
    """Return the device that a path names: `DEVICE.cfg`, `DEVICE/config_db.json`, `DEVICE-running-config.txt`."""
    path = PurePosixPath(shown.lstrip("/"))
    stem = path.name
    while True:
        if stem in devices:
            return stem
        # suffixes are taken off one by one, since names of devices may have dots
        stem, dot, _ = stem.rpartition(".")
        if not dot:
            break
    if (word := _SUFFIX.search(path.name)) and path.name[: word.start()] in devices:
        return path.name[: word.start()]
    # the nearest folder first
    return next((part for part in reversed(path.parts[:-1]) if part in devices), None)


def _find_by_content(
    source: DumpSource, path: Path, device_names: Collection[str], gathered: Collected, builds: Surroundings
) -> str | None:
    """Return the planned device whose host name is in a file; if there is none, add the file to `gathered`.

    It is added as unknown if it is a configuration, else as ignored, unless a build wrote it.
    """
    try:
        configurations = [configuration for _, configuration in read_configurations(source)]
    except InputError:
        configurations = []
    names = {
        configuration.hostname
        for configuration in configurations
        if configuration is not None and configuration.hostname
    }
    if named := sorted(names & frozenset(device_names)):
        return named[0]
    if any(configurations):
        gathered.unknown.append((source.shown, min(names, default="")))
    elif builds.of(path.parent if path.name == MANIFEST else path) is None:  # a build's own files are nobody's mistake
        gathered.ignored.append(source.shown)
    return None


def read_configurations(source: DumpSource) -> Iterator[tuple[str, ShownConfiguration | None]]:
    """Yield (file, its configuration or None) of a file, or of the files in an archive.

    Raises InputError for a file that is damaged or too large.
    """
    for shown, raw in read_contents(source):
        if len(raw) > MOST_BYTES:
            raise fault(CODE, f"'{shown}' has more than {MOST_BYTES >> 20} MiB, which no running configuration has")
        yield (
            shown,
            # a file with an early NUL is binary; some editors write a byte order mark
            None if b"\0" in raw[:4096] else recognize_configuration(raw.decode("utf-8-sig", errors="replace")),
        )


@dataclass
class ShownFiles:
    """What the collected files of a device show.

    `files` are the files that are read; `by_nos` has their texts, by NOS and the file name that the NOS's reader
    expects. `ignored` are files in no form that is read. `twice` has (expected file name, file, earlier file) for two
    files that show different texts for the same name.
    """

    files: list[str] = field(default_factory=list)
    by_nos: dict[str, dict[str, str]] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    twice: list[tuple[str, str, str]] = field(default_factory=list)


def read_device_files(files: list[DumpSource]) -> ShownFiles:
    """Read the collected files of one device; raises InputError as `read_configurations` does."""
    shown = ShownFiles()
    first: dict[tuple[str, str], str] = {}
    for source in files:
        for file, configuration in read_configurations(source):
            if configuration is None:
                shown.ignored.append(file)
                continue
            shown.files.append(file)
            texts = shown.by_nos.setdefault(configuration.nos, {})
            for name, text in configuration.files.items():
                earlier = first.setdefault((configuration.nos, name), file)
                if texts.setdefault(name, text) != text:
                    shown.twice.append((name, file, earlier))
    return shown


# Forms in which devices show their configuration, recognised by content: each NOS knows its own (`dumps.py`).

_PROMPTS = re.compile(
    r"\A\s*[\w.-]{1,64}(?:@[\w.-]{1,64}(?::[^\n#$>]{0,200})?)?[#$>] ?(?:sudo |vtysh |cat |nv |sh)[^\n]*\n"
    r"|\n[\w.-]{1,64}(?:@[\w.-]{1,64}(?::[^\n#$>]{0,200})?)?[#$>][ \t]*\s*\Z"
)
"""The prompt of a terminal: with the command at the start of a text, and alone at its end."""


def recognize_configuration(text: str) -> ShownConfiguration | None:
    """Return the configuration that a text shows; None if no NOS knows its form. Raises nothing, whatever the text."""
    dump = ShownText(_PROMPTS.sub("", text))
    shown = (load_part(nos, "dumps").recognize_configuration(dump) for nos in list_nos("dumps"))
    return next((configuration for configuration in shown if configuration is not None), None)
