"""What stands on the order sheet: single pieces, and switches by the part numbers of their variants."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.bom.accessories import NETWORK_M, find_narrow_racks, flag_busbar_racks
from fabricgen.bom.bill import Bill, BillLine, split_sets
from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import COLUMNS, Needs
from fabricgen.bom.sources.devices import find_included_devices, is_bought, name_model
from fabricgen.bom.sources.power_cords import list_corded, make_cord
from fabricgen.bom.variants import count_variants, list_switches
from fabricgen.catalog.loads import find_power_basis
from fabricgen.catalog.models import NodeProfile, SwitchProfile, Variant
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.cabling.offers import make_shelf
from fabricgen.wiring.tables import SWITCH

UNNUMBERED = "no part number is published for this form with this NOS: order it by its description"
ENDED = "said to be sold no longer: ask what stands in for it"
UNSOURCED = "no public source was found to print this number: confirm it before you order"
_DC_UNNUMBERED = "no part number is published for the DC form: order it by its description"


def list_order_lines(bill: Bill) -> tuple[BillLine, ...]:
    """Return the lines of the order sheet: sets split into pieces, and switches into variants by part number.

    Spares of a switch are all of its commonest variant. Devices that come with their racks are not split into variants.
    The remark of a line says what a buyer must know of the part.
    """
    remarks_by_part, included = list_remarks(bill), find_included_devices(bill.cluster)
    lines = (replace(line, remark=remarks_by_part.get(line.part, "")) for line in split_sets(bill.lines))
    return tuple(
        part for line in lines for part in ([line] if line.part in included else _split_variants(bill.cluster, line))
    )


def map_numbers_to_models(cluster: Cluster, lines: Iterable[BillLine]) -> dict[str, str]:
    """Return the name of each variant on the order sheet -> its model, the part in `lines`, if the two differ."""
    models: dict[str, str] = {}
    for line in lines:
        if line.kind == "switch":
            models |= {name_variant(v, line.part): line.part for v in count_variants(cluster, line.part)}
    return {name: model for name, model in models.items() if name != model}


def name_variant(variant: Variant, model: str) -> str:
    """Return the part number of a variant; if none is published, the model, with `-dc` for the form on a busbar."""
    return variant.part_number or (f"{model}-dc" if variant.supply == "dc" else model)


def filter_needs(cluster: Cluster, needs: Needs, number: str) -> Needs:
    """Return the needs of a model, the only part of `needs`, for the variant that the order sheet calls `number`.

    Their part has the number of the variant.
    """
    model = needs.parts[0].part
    is_variant = np.zeros(len(cluster.plan.devices), dtype=bool)
    for variant, switches in list_switches(cluster, model):
        is_variant[switches] = name_variant(variant, model) == number
    rows = np.flatnonzero(is_variant[needs.device])
    part: Ints = np.zeros(len(rows), dtype=np.int32)
    return Needs((needs.parts[0]._replace(part=number),), part, *(getattr(needs, name)[rows] for name in COLUMNS))


def _split_variants(cluster: Cluster, line: BillLine) -> Sequence[BillLine]:
    """Split a line of switches into one for each variant, with all spares at the commonest; keep any other line."""
    if line.kind != "switch":
        return (line,)
    counts = count_variants(cluster, line.part)
    unnumbered = replace(line, remark=_append_remark(line.remark, UNNUMBERED))
    if all(name_variant(variant, line.part) == line.part for variant in counts):
        return (unnumbered if any(variant.text for variant in counts) else line,)
    commonest = max(counts, key=lambda variant: counts[variant])
    name = line.description.split(" (")[0]
    return [
        replace(
            line,
            part=name_variant(variant, line.part),
            description=f"{name}, {variant.text}" if variant.text else name,
            quantity=count,
            remark=_remark_variant(line.remark, variant),
            spares=line.spares if variant == commonest else 0,
        )
        for variant, count in counts.items()
    ]


def _remark_variant(remark_of_model: str, variant: Variant) -> str:
    if variant.part_number:
        return remark_of_model
    return _append_remark(remark_of_model, _DC_UNNUMBERED if variant.supply == "dc" else UNNUMBERED)


def _append_remark(remark: str, added: str) -> str:
    return "; ".join(filter(None, (remark, added)))


# What a buyer must know of parts before ordering them: remarks of the order sheet.

_BASES = {
    "typical": "sized by typical draws, since no maximum is published, of",
    "estimate": "sized by estimates of",
    "estimate-with-optics": "sized by estimates of",
    "unknown": "without what nobody publishes, the draw of",
}
"""Basis of a device's power other than a published maximum -> how a PDU that is sized by it is described."""

_PLACEHOLDER = "placeholder: choose a product"
_BY_DESCRIPTION = "no part number is in the catalogue: order it by its description"


def list_remarks(bill: Bill) -> dict[str, str]:
    """Return the remarks of the order sheet: part number of a single piece -> what a buyer must know of it."""
    remarks_by_part: dict[str, list[str]] = defaultdict(list)
    sources = (
        _remark_unsold,
        _remark_products,
        _remark_unnumbered,
        _remark_included,
        _remark_cords,
        _remark_outlets,
        _remark_sized_low,
        _remark_crowded,
    )
    for part, text in (remark for source in sources for remark in source(bill)):
        if text not in remarks_by_part[part]:
            remarks_by_part[part].append(text)
    return {part: "; ".join(texts) for part, texts in remarks_by_part.items()}


def find_unsold(parts: CableParts) -> set[str]:
    """Return the part numbers of the transceivers of a cluster's cables that nobody is known to sell."""
    kinds, media = parts.kinds[0], parts.media
    return {kind.find_transceiver_part(medium) for kind in kinds for medium in media if kind.is_unsold(medium)}


def _remark_unsold(bill: Bill) -> Iterator[tuple[str, str]]:
    for part in sorted(find_unsold(CableParts(bill.cluster))):
        yield part, "nobody is known to sell it: state other media or another speed"


def _remark_products(bill: Bill) -> Iterator[tuple[str, str]]:
    """Yield (part, remark) for products of the lists that are sold no longer, or whose number no public source
    prints.
    """
    shelf = make_shelf(bill.cluster.design)
    for product in (p for product_list in (shelf.lists if shelf else ()) for p in product_list.products):
        if product.ended:
            yield from ((number, ENDED) for number in product.list_numbers())
        yield from ((number, UNSOURCED) for number in product.unsourced)


def _remark_unnumbered(bill: Bill) -> Iterator[tuple[str, str]]:
    """Yield (part, remark) for devices and racks without a part number in the catalogue; variants are for
    `_remark_variant`.
    """
    devices, racks = bill.cluster.plan.devices, bill.cluster.plan.racks
    included = find_included_devices(bill.cluster)
    for cls in devices.classes:
        if is_bought(cls) and cls.profile.id not in included and not _has_variants(cls.profile):
            yield cls.profile.id, _BY_DESCRIPTION if _find_maker(cls.profile) else _PLACEHOLDER
    for rack in racks.kinds:
        if rack.vendor and not rack.part_number:
            yield rack.id, _BY_DESCRIPTION


def _remark_included(bill: Bill) -> Iterator[tuple[str, str]]:
    """Yield (part, remark) for management switches in racks that are sold complete and have places for switches.

    A GB200 NVL72 holds two of them, as its maker tells (docs.nvidia.com, DGX GB200 user guide, Hardware, Rack
    Configuration).
    """
    devices, racks = bill.cluster.plan.devices, bill.cluster.plan.racks
    # kinds of racks that are sold complete, and have places for switches that they are sold without
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


def _find_maker(profile: NodeProfile | SwitchProfile) -> str:
    """Return the vendor of a device; "" for a generic device of the catalogue."""
    return "" if profile.vendor.lower() == "generic" else profile.vendor


def _remark_cords(bill: Bill) -> Iterator[tuple[str, str]]:
    """Yield (part, remark) for devices that have no cords on the order sheet, and for cords whose inlet is to be
    looked up.
    """
    for cls, _ in list_corded(bill.cluster):
        psu = cls.profile.psu
        if psu is None:
            yield cls.profile.id, "its power supplies are not published: no power cords are listed for it"
        elif psu.cords == "included":
            yield cls.profile.id, "its power cords come with it"
        elif psu.inlet is None:
            yield make_cord(bill.cluster, cls).part, "look up the inlet in its data sheet before you order"


def _remark_outlets(bill: Bill) -> Iterator[tuple[str, str]]:
    """Yield (part, remark) for devices in racks with a busbar that have AC supplies and no known DC form."""
    devices, busbar = bill.cluster.plan.devices, flag_busbar_racks(bill.cluster)
    count: Counter[str] = Counter()
    for cls in devices.classes:
        forms = cls.profile.variants if isinstance(cls.profile, SwitchProfile) else ()
        if cls.profile.psu and is_bought(cls) and not any(form.supply == "dc" for form in forms):
            count[cls.profile.id] += int(busbar[devices.rack[cls.rows]].sum())
    for part, number in count.items():
        if number:
            yield part, f"{number:,} stand in racks with a busbar, which has no outlets: order these with DC supplies"


def _remark_crowded(bill: Bill) -> Iterator[tuple[str, str]]:
    """Yield (part, remark) for racks that are too narrow for cable managers and zero-U PDUs at their sides."""
    for narrow in find_narrow_racks(bill.cluster, bill.needs):
        rack = narrow.rack
        yield rack.part_number or rack.id, f"{narrow.text}: for such racks {NETWORK_M * 1000:.0f} mm or more is usual"


def _remark_sized_low(bill: Bill) -> Iterator[tuple[str, str]]:
    """Yield (part, remark) for PDUs and whips of racks with devices whose maximum power is not published."""
    needs, busbar = bill.needs, flag_busbar_racks(bill.cluster)
    for number, part in enumerate(needs.parts):
        if part.kind in ("rack-pdu", "whip"):
            pdu_racks = np.unique(needs.rack[needs.part == number])
            for text, names in _find_unpublished(bill, pdu_racks[~busbar[pdu_racks]]).items():
                yield part.part, f"{text} {', '.join(names)}"


def _find_unpublished(bill: Bill, racks: Ints) -> dict[str, list[str]]:
    """Return the devices in some racks that have no published maximum power: text of `_BASES` -> sorted names.

    `racks` are rows of the rack table; texts are in the order of `_BASES`.
    """
    devices = bill.cluster.plan.devices
    names_by_text: dict[str, set[str]] = defaultdict(set)
    for cls in devices.classes:
        text = _BASES.get(find_power_basis(cls.profile) or "")
        if text and np.isin(devices.rack[cls.rows], racks).any():
            names_by_text[text].add(name_model(cls.profile))
    return {text: sorted(names_by_text[text]) for text in dict.fromkeys(_BASES.values()) if text in names_by_text}
