"""Running configurations of switches, read as far as readers know them."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.adopt.settings.draft import ReadSwitch
from fabricgen.adopt.settings.far_ends import index_far_ends
from fabricgen.kernel.nos_rooms import load_part
from fabricgen.running.tree import CANNOT_READ, explain_error, read_tolerantly


def read_switch(nos: str, files: Mapping[str, str]) -> ReadSwitch | str:
    """What the files of a switch say, by their names, with what of them is passed over; why they cannot be read."""
    try:
        with read_tolerantly() as notes:
            model = load_part(nos, "reader").read(files)
    except CANNOT_READ as error:
        return explain_error(error)
    unread = [f"{part}: {why}" for part, why in notes.unread.items()]
    passed_over = (*dict.fromkeys(notes.unknown), *unread, *notes.unfit)
    return ReadSwitch(nos, model, files, passed_over, index_far_ends(model))
