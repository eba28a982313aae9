"""Dumps of which no box is a device of the plan: of another hall, or without any name that it knows."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps._content import CODE
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.telling import told_of

_HINT = (
    "is this the blueprint of this hall? what does not say its name is known by its MAC or GUID in the table of "
    "`inventory:`, and a dump also by the name of its file"
)


def other_hall(plan: PlannedCabling, boxes: Sequence[Box], dumps: Sequence[str]) -> InputError:
    """The error (FG065) that no box is known, with some of what was seen and some of what is planned."""
    seen = dict.fromkeys(map(told_of, boxes))
    seen.pop("", None)
    message = f"no box in the dumps is a device of the plan: they tell of {_some(list(seen))}; the plan has "
    return fault(CODE, message + _some(plan.device_names), hint=_HINT, span=Span(dumps[0], 1, 1))


def _some(names: Sequence[str]) -> str:
    """The first three names, and how many more there are."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(name[:80] for name in names[:3]) + more if names else "none"
