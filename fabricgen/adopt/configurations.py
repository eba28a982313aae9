"""Read the running configurations of a folder, each of the switch that it is of, and the models that they tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from fabricgen.adopt.configured_links import find_configured_links
from fabricgen.adopt.facts import DeviceFacts, Facts
from fabricgen.adopt.settings.draft import ReadSwitch, index_far_ends
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.nos_rooms import load_part
from fabricgen.running.tree import CANNOT_READ, explain_error, tolerate_unknown_text
from fabricgen.verify.drift.collected import CODE, read_configurations
from fabricgen.verify.dumps._sources import list_sources


def read_switch(nos: str, files: Mapping[str, str]) -> ReadSwitch | str:
    """Return what the files of a switch say; or, as a text, why they cannot be read. `files` are contents by name."""
    try:
        with tolerate_unknown_text() as notes:
            model = load_part(nos, "reader").read(files)
    except CANNOT_READ as error:
        return explain_error(error)
    unread = (f"{part}: {why}" for part, why in notes.unread.items())
    passed_over = (*dict.fromkeys(notes.unknown), *unread, *notes.unfit)
    return ReadSwitch(nos, model, files, passed_over, index_far_ends(model))


class Configurations(NamedTuple):
    """What was read of each switch, by its name, and facts on devices; their notes tell what was not read.

    `configured` has the links that descriptions and subnets tell.
    """

    switches: dict[str, ReadSwitch]
    facts: Facts
    configured: Facts


def gather_configurations(folder: str) -> Configurations:
    """Read all running configurations of a folder.

    A switch is called as the host name in its file, else as the folder of the file, else as the file itself. Raises
    InputError (FG144) if there is no such folder, or no configuration in it.
    """
    if not Path(folder).is_dir():
        hint = "name the folder that running configurations were collected in"
        raise fault(CODE, f"there is no folder '{folder}'", hint=hint)
    files: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    places: dict[str, str] = {}
    for source in list_sources([folder]):
        for shown, configuration in read_configurations(source):
            if configuration is None:
                continue
            path = PurePosixPath(shown)
            device = configuration.hostname or (path.parent.name if shown != source.shown else path.stem)
            files[device, configuration.nos].update(configuration.files)
            places.setdefault(device, shown)
    if not files:
        raise fault(
            CODE, f"no running configuration is in '{folder}'", hint="docs/day2.md lists the forms that are read"
        )
    switches, devices, notes = dict[str, ReadSwitch](), dict[str, DeviceFacts](), list[str]()
    for (device, nos), texts in sorted(files.items()):
        # not every NOS tells the model of its switch
        find_model = getattr(load_part(nos, "dumps"), "find_model", lambda _: "")
        devices.setdefault(device, DeviceFacts(device, model=find_model(texts), nos=nos))
        read = read_switch(nos, texts)
        if isinstance(read, str):
            notes.append(f"{places[device]}: {read}")
        else:
            switches[device] = read
    return Configurations(switches, Facts((), devices, notes=tuple(notes)), find_configured_links(switches))
