"""Dumps that tell of nothing that is planned: of another hall, or by names that the plan does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps._content import CODE
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.seen import Seen
from fabricgen.verify.telling import told_of

_NO_BOX = (
    "is this the blueprint of this hall? what does not say its name is known by its MAC or GUID in the table of "
    "`inventory:`, and a dump also by the name of its file"
)
_NO_PORT = (
    "is this the blueprint of this hall, or its phase? what hosts call their interfaces is known from the dumps of "
    "the switches at their other ends"
)


def check_hall(plan: PlannedCabling, seen: Seen, devices: Mapping[Box, int], dumps: Sequence[str]) -> None:
    """Raise InputError (FG065) where no box of dumps is a device of the plan, or none of their ports is planned.

    `devices` has the device of each box, -1 for none.
    """
    known = [device for device in devices.values() if device >= 0]
    if devices and not known:
        told = dict.fromkeys(map(told_of, devices))
        told.pop("", None)
        message = f"no box in the dumps is a device of the plan: they tell of {_some(list(told))}; the plan has "
        raise fault(CODE, message + _some(plan.device_names), hint=_NO_BOX, span=Span(dumps[0], 1, 1))
    planned = slice(plan.ports)
    told_of_plan = (seen.dumped[planned] | (seen.mate[planned] >= 0) | (seen.towards[planned] >= 0)).any()
    if devices and plan.ports and not told_of_plan:
        mine = plan.ports_of_device(known[0])[:3].tolist() or [0]
        told = ", ".join(f"'{plan.place(port)}'" for port in mine)
        message = f"no port in the dumps is one of the plan, which has {told} among others"
        raise fault(CODE, message, hint=_NO_PORT, span=Span(dumps[0], 1, 1))


def _some(names: Sequence[str]) -> str:
    """The first three names, and how many more there are."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(name[:80] for name in names[:3]) + more if names else "none"
