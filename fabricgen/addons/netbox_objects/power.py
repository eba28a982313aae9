"""Power where the blueprint names feeds: panels, a feed for each rack, rack PDUs, their outlets, and power supplies.

A feed goes to the inlet of a PDU of its own in each rack, and the power supplies of a device to PDUs in turn. Devices
that a busbar feeds, or whose power supplies the catalogue does not know, have no power ports. Ratings of feeds are
yours: NetBox fills in its defaults.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fabricgen.addons.netbox_objects.kinds import MAKER, Cell, Ends, Kind, make_slug
from fabricgen.addons.netbox_objects.panels import make_racked_kind, make_role_kind
from fabricgen.addons.netbox_objects.ports import DEVICE
from fabricgen.api import ClusterView

PDU = "rack PDU"
INLET = "inlet"

Cord = tuple[Ends, Ends]


def make_power_kinds(view: ClusterView) -> Iterator[Kind]:
    """Panels, feeds, PDUs, power ports and outlets; nothing where no rack has a feed."""
    racks, halls = view.racks, dict(zip(view.racks.name, view.racks.hall, strict=True))
    fed = [(row, feed) for row, feeds in enumerate(racks.feeds) for feed in filter(None, feeds.split("+"))]
    if not fed:
        return
    site_of, sites = [str(racks.site[row]) for row, _ in fed], len(view.sites)
    panels = [name_panel(site, feed, sites) for site, (_, feed) in zip(site_of, fed, strict=True)]
    site_of_panel = dict(zip(panels, site_of, strict=True))
    panel_columns = {"site": list(site_of_panel.values()), "name": list(site_of_panel)}
    yield Kind("dcim/power-panels", "power-panels", panel_columns, ("name",), {"site": ("sites", ("site",))})
    rack_names = [str(racks.name[row]) for row, _ in fed]
    feed_columns: dict[str, Sequence[Cell]] = {
        "power_panel": panels,
        "site": site_of,
        "location": [halls[rack] for rack in rack_names],
        "rack": rack_names,
        "name": rack_names,
        "status": ["planned"] * len(fed),
    }
    references = {"power_panel": ("power-panels", ("power_panel",)), "rack": ("racks", ("site", "location", "rack"))}
    yield Kind("dcim/power-feeds", "power-feeds", feed_columns, ("power_panel", "name"), references)
    type_columns: dict[str, Sequence[Cell]] = {
        "manufacturer": [MAKER],
        "model": [PDU],
        "slug": [make_slug(PDU)],
        "u_height": [0],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/device-types", "pdu-types", type_columns, ("manufacturer", "model"), maker)
    yield make_role_kind("pdu-roles", [PDU])
    pdus = [name_pdu(rack, feed) for rack, (_, feed) in zip(rack_names, fed, strict=True)]
    columns: dict[str, Sequence[Cell]] = {
        "name": pdus,
        "role": [PDU] * len(fed),
        "manufacturer": [MAKER] * len(fed),
        "device_type": [PDU] * len(fed),
        "status": ["planned"] * len(fed),
        "site": site_of,
        "location": [halls[rack] for rack in rack_names],
        "rack": rack_names,
    }
    yield make_racked_kind("pdus", columns, "pdu")
    yield from _make_plug_kinds(view, pdus)


def _make_plug_kinds(view: ClusterView, pdus: Sequence[str]) -> Iterator[Kind]:
    # power ports of PDUs and devices, and outlets of PDUs
    cords = list(_list_device_cords(view))
    ports = [*((pdu, INLET) for pdu in pdus), *(port for _, port in cords)]
    outlets = [outlet for outlet, _ in cords]
    port_columns = {"device": [device for device, _ in ports], "name": [name for _, name in ports]}
    yield Kind("dcim/power-ports", "power-ports", port_columns, ("device", "name"), DEVICE)
    outlet_columns = {
        "device": [device for device, _ in outlets],
        "name": [name for _, name in outlets],
        "power_port": [INLET] * len(outlets),
    }
    references = {**DEVICE, "power_port": ("power-ports", ("device", "power_port"))}
    yield Kind("dcim/power-outlets", "power-outlets", outlet_columns, ("device", "name"), references)


def name_panel(site: str, feed: str, sites: int) -> str:
    """The panel of a feed; of several sites each has its own."""
    return f"{site} {feed}" if sites > 1 else feed


def name_pdu(rack: str, feed: str) -> str:
    """The PDU of a feed in a rack."""
    return f"{rack}-pdu-{feed.lower()}"


def _list_feeds(view: ClusterView) -> Mapping[str, list[str]]:
    """The feeds of each rack that has any."""
    racks = zip(view.racks.name.tolist(), view.racks.feeds.tolist(), strict=True)
    return {rack: feeds.split("+") for rack, feeds in racks if feeds}


def _list_device_cords(view: ClusterView) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """(outlet, power supply), each as (device, name): outlets of a PDU are taken from the lowest device up."""
    feeds, taken = _list_feeds(view), defaultdict[str, int](int)
    devices = view.devices
    for row in sorted(range(len(devices)), key=lambda row: (devices.rack[row], devices.u[row], devices.name[row])):
        feeds_here = feeds.get(devices.rack[row], ())
        for supply in range(int(devices.power_supplies[row]) if feeds_here else 0):
            pdu = name_pdu(devices.rack[row], feeds_here[supply % len(feeds_here)])
            taken[pdu] += 1
            yield (pdu, str(taken[pdu])), (devices.name[row], f"PSU{supply + 1}")


def list_power_cables(view: ClusterView) -> Iterator[Cord]:
    """What whips and cords join: a feed and the inlet of its PDU, an outlet and a power supply."""
    sites = dict(zip(view.racks.name, view.racks.site, strict=True))
    for rack, feeds in _list_feeds(view).items():
        for feed in feeds:
            panel = name_panel(sites[rack], feed, len(view.sites))
            yield (("power-feeds", (panel, rack)),), (("power-ports", (name_pdu(rack, feed), INLET)),)
    for outlet, supply in _list_device_cords(view):
        yield (("power-outlets", outlet),), (("power-ports", supply),)
