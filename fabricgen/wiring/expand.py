"""Expansion of the design into the wiring plan: every device, link, rack and cable, as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.blueprint.sections.floor import DevicePlace
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError, Path, fault
from fabricgen.wiring.bonding import make_bonds
from fabricgen.wiring.cabling.cables import make_cables
from fabricgen.wiring.cabling.offers import add_offers, make_shelf
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.devices import expand_devices
from fabricgen.wiring.links.fabric import FabricWiring
from fabricgen.wiring.links.scale_up_places import list_scale_up_links
from fabricgen.wiring.racks.table import move_stated_devices, place_in_racks
from fabricgen.wiring.tables import DeviceTable, LinkTable, RackTable, WiringPlan

MOST_ROWS = 50_000_000
"""The most links, or devices, that are expanded."""

BYTES_A_LINK = 340
"""Peak memory per link, bytes, with the names of ports and devices; measured with 660,480 links."""


PlacesOf = Callable[[Design, DeviceTable], tuple[Sequence[str], Mapping[str, tuple[DevicePlace, Path]]]]
"""(design, device table) -> the name of every device, and where single ones stand, each with where that is stated."""


def build_wiring_plan(design: Design, places_of: PlacesOf) -> WiringPlan:
    """Return the wiring plan of a design: devices, links, cables, racks, patching and bonds.

    Raises InputError, located in the blueprint, for a cluster that is too large, for devices or panels that do not fit
    where they are to stand, and for bonds that cannot be.
    """
    try:
        _check_size(design)
        shelf = make_shelf(design)
        devices, racks = place_devices(design, places_of)
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    links = _expand_links(design, devices, shelf)
    try:
        cable_of_link, cables, racks, patching = make_cables(design, devices, racks, links, shelf)
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    return WiringPlan(
        devices, replace(links, cable=cable_of_link), cables, racks, patching, make_bonds(design, devices, links)
    )


def place_devices(design: Design, places_of: PlacesOf) -> tuple[DeviceTable, RackTable]:
    """Return the device table with the rack and rack unit of each device, and the rack table; raises InputError as
    `place_in_racks` and `move_stated_devices` do.
    """
    devices, racks = place_in_racks(design, expand_devices(design))
    names, stated_places = places_of(design, devices)
    return move_stated_devices(devices, racks, names, stated_places) if stated_places else devices, racks


def _expand_links(design: Design, devices: DeviceTable, shelf: Shelf | None) -> LinkTable:
    """Return the link table; `cable` is -1 until cables are assigned."""
    wires = [w for fabric in design.fabrics for w in FabricWiring(design, devices, fabric).list_links()]
    wires += list_scale_up_links(design, devices)
    if shelf:
        media = design.catalog.cables
        wires = [w._replace(segment=add_offers(w.segment, shelf, media)) for w in wires]
    counts = [len(w.a_device) for w in wires]
    return LinkTable(
        segments=tuple(w.segment for w in wires),
        segment=np.repeat(np.arange(len(wires), dtype=np.int32), counts),
        a_device=np.concatenate([w.a_device for w in wires]),
        a_port=np.concatenate([w.a_port for w in wires]),
        b_device=np.concatenate([w.b_device for w in wires]),
        b_port=np.concatenate([w.b_port for w in wires]),
        rail=np.concatenate([w.rail for w in wires]),
        plane=np.concatenate([w.plane for w in wires]),
        cable=np.broadcast_to(np.int32(-1), sum(counts)),
    )


def _check_size(design: Design) -> None:
    """Raise InputError (FG062) for a design that would not fit into memory; extra devices are not counted."""
    layout = design.layout
    attached = ((feed, *pair) for fabric in design.fabrics for feed in fabric.node_feeds for pair in feed.attachments)
    links = sum(
        nodes.count * layout.of_part(feed.part).units * len(attachment.legs) for feed, nodes, attachment in attached
    )
    links += sum(tier.switches * tier.up.count for tier in design.tiers if tier.up)
    members = sum(kind.members * pod.su for kind, pod in zip(layout.kind_of_pod, layout.pods, strict=True))
    devices = members + sum(tier.switches for tier in design.tiers)
    if max(links, devices) > MOST_ROWS:
        raise fault(
            "FG062",
            f"{devices:,} devices and {links:,} links would take {max(links, devices) * BYTES_A_LINK / 1e9:,.0f} GB; "
            f"{MOST_ROWS:,} links are the most",
            path=("pods",),
            hint="`show` and `lint --fast` expand nothing; is there a digit too many in `pods` or `nodes`?",
        )
