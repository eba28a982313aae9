"""Dumps of which no box is a device of the plan: of another hall, or by names that the plan does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps._content import CODE
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.notes import box_text

_HINT = (
    "is this the blueprint of this hall? what does not say its name is known by its MAC or GUID in the table of "
    "`inventory:`, and a dump also by the name of its file"
)


def check_hall(plan: PlannedCabling, devices: Mapping[Box, int], dumps: Sequence[str]) -> None:
    """Raise InputError (FG065) where no box of dumps is a device of the plan: `devices` has that of each, -1 for none.

    The error has some of what was seen and some of what is planned.
    """
    if not devices or max(devices.values()) >= 0:
        return
    boxes = [text for text in dict.fromkeys(map(box_text, devices)) if text]
    message = f"no box in the dumps is a device of the plan: they tell of {_some(boxes)}; the plan has "
    raise fault(CODE, message + _some(plan.device_names), hint=_HINT, span=Span(dumps[0], 1, 1))


def _some(names: Sequence[str]) -> str:
    """The first three names, and how many more there are."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(name[:80] for name in names[:3]) + more if names else "none"
