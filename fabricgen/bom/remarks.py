"""What a buyer must know of parts before ordering them: remarks of the order sheet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from fabricgen.bom.bill import Bill
from fabricgen.bom.busbars import busbar_racks
from fabricgen.bom.cables import CableParts
from fabricgen.bom.narrow import NETWORK_M, narrow_racks
from fabricgen.bom.sources.devices import called, is_bought, with_racks
from fabricgen.bom.sources.power_cords import cord, corded
from fabricgen.catalog.loads import basis
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.wiring.tables import SWITCH, Ints

_BASES = {
    "typical": "sized by typical draws, since no maximum is published, of",
    "estimate": "sized by estimates of",
    "estimate-with-optics": "sized by estimates of",
    "unknown": "without what nobody publishes, the draw of",
}
"""What a figure less than a published maximum means to a PDU that is sized by it."""

_PLACEHOLDER = "placeholder: choose a product"
_BY_DESCRIPTION = "no part number is in the catalogue: order it by its description"


def remarks(bill: Bill) -> dict[str, str]:
    """Part, as the bill has it in single pieces -> what to know of it."""
    found: dict[str, list[str]] = defaultdict(list)
    sources = (_unsold, _unnumbered, _perhaps_included, _cords, _without_outlets, _sized_low, _crowded)
    for part, text in (each for source in sources for each in source(bill)):
        if text not in found[part]:
            found[part].append(text)
    return {part: "; ".join(texts) for part, texts in found.items()}


def unsold(parts: CableParts) -> set[str]:
    """The transceivers of cables that nobody is known to sell."""
    kinds, media = parts.kinds[0], parts.media
    return {kind.transceiver(medium) for kind in kinds for medium in media if kind.unsold(medium)}


def _unsold(bill: Bill) -> Iterator[tuple[str, str]]:
    for part in sorted(unsold(CableParts(bill.cluster))):
        yield part, "nobody is known to sell it: state other media or another speed"


def _unnumbered(bill: Bill) -> Iterator[tuple[str, str]]:
    """Devices and racks of which the catalogue has no part number; `ordered` tells it of switches with variants."""
    devices, racks = bill.cluster.plan.devices, bill.cluster.plan.racks
    included = with_racks(bill.cluster)
    for cls in devices.classes:
        if is_bought(cls) and cls.profile.id not in included and not _has_variants(cls.profile):
            yield cls.profile.id, _BY_DESCRIPTION if _maker(cls.profile) else _PLACEHOLDER
    for rack in racks.kinds:
        if rack.vendor and not rack.part_number:
            yield rack.id, _BY_DESCRIPTION


def _perhaps_included(bill: Bill) -> Iterator[tuple[str, str]]:
    """Management switches in racks that are sold complete, with places for switches: as its maker tells of a GB200
    NVL72, it holds two (docs.nvidia.com, DGX GB200 user guide, Hardware, Rack Configuration).
    """
    devices, racks = bill.cluster.plan.devices, bill.cluster.plan.racks
    complete = np.array(
        [bool(kind.includes) and "switch" in kind.fixed.keys() - set(kind.includes) for kind in racks.kinds]
    )
    count: Counter[str] = Counter()
    for cls in devices.classes:
        if cls.kind == SWITCH and bill.cluster.design.fabric(cls.fabric).manages:
            count[cls.profile.id] += int(complete[racks.kind[devices.rack[cls.rows]]].sum())
    for part, number in count.items():
        if number:
            yield (
                part,
                f"{number:,} stand in racks that may be sold with management switches: ask their integrator first",
            )


def _has_variants(profile: NodeProfile | SwitchProfile) -> bool:
    return isinstance(profile, SwitchProfile) and bool(profile.variants)


def _maker(profile: NodeProfile | SwitchProfile) -> str:
    """Who makes a device; "" for the generic ones of the catalogue."""
    return "" if profile.vendor.lower() == "generic" else profile.vendor


def _cords(bill: Bill) -> Iterator[tuple[str, str]]:
    """Devices without cords on the sheet, and cords whose inlet is to be looked up."""
    for cls, _ in corded(bill.cluster):
        psu = cls.profile.psu
        if psu is None:
            yield cls.profile.id, "its power supplies are not published: no power cords are listed for it"
        elif psu.cords == "included":
            yield cls.profile.id, "its power cords come with it"
        elif psu.inlet is None:
            yield cord(bill.cluster, cls).part, "look up the inlet in its data sheet before you order"


def _without_outlets(bill: Bill) -> Iterator[tuple[str, str]]:
    """Devices with AC supplies in racks with a busbar, of which no DC form is known."""
    devices, busbar = bill.cluster.plan.devices, busbar_racks(bill.cluster)
    count: Counter[str] = Counter()
    for cls in devices.classes:
        forms = cls.profile.variants if isinstance(cls.profile, SwitchProfile) else ()
        if cls.profile.psu and is_bought(cls) and not any(form.supply == "dc" for form in forms):
            count[cls.profile.id] += int(busbar[devices.rack[cls.rows]].sum())
    for part, number in count.items():
        if number:
            yield part, f"{number:,} stand in racks with a busbar, which has no outlets: order these with DC supplies"


def _crowded(bill: Bill) -> Iterator[tuple[str, str]]:
    """Racks too narrow for vertical cable managers and zero-U PDUs at their sides."""
    for narrow in narrow_racks(bill.cluster, bill.needs):
        rack = narrow.rack
        yield rack.part_number or rack.id, f"{narrow.text}: for such racks {NETWORK_M * 1000:.0f} mm or more is usual"


def _sized_low(bill: Bill) -> Iterator[tuple[str, str]]:
    """PDUs and whips of racks with devices of which no maximum is published."""
    needs, busbar = bill.needs, busbar_racks(bill.cluster)
    for number, part in enumerate(needs.parts):
        if part.kind in ("rack-pdu", "whip"):
            of = np.unique(needs.rack[needs.part == number])
            for text, names in _less_than_maxima(bill, of[~busbar[of]]).items():
                yield part.part, f"{text} {', '.join(names)}"


def _less_than_maxima(bill: Bill, racks: Ints) -> dict[str, list[str]]:
    """What the figures are -> the devices in some racks that have no published maximum, by name."""
    devices = bill.cluster.plan.devices
    found: dict[str, set[str]] = defaultdict(set)
    for cls in devices.classes:
        text = _BASES.get(basis(cls.profile) or "")
        if text and np.isin(devices.rack[cls.rows], racks).any():
            found[text].add(called(cls.profile))
    return {text: sorted(found[text]) for text in dict.fromkeys(_BASES.values()) if text in found}
