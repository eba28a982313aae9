"""Patch panels, housings of fibre shuffles, and power as devices with their ports.

Front ports of a panel lead to positions of rear ports. Rear ports of a panel are its trunks, with a position for each
front port; those of a shuffle are its ports out, with a position for each fibre pair (v4.6.8:
netbox/dcim/models/device_components.py, PortMapping).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from fabricgen.addons.netbox_objects.devices import NODE_COLOR
from fabricgen.addons.netbox_objects.kinds import (
    IN_RACK,
    MAKER,
    MANUFACTURER,
    Cell,
    Ends,
    Kind,
    Mapped,
    make_slug,
    name_rear_port,
)
from fabricgen.addons.netbox_objects.ports import DEVICE
from fabricgen.api import ClusterView

ROLES = {"panel": "patch panel", "shuffle": "fibre shuffle"}
CONNECTORS = {"MPO": "mpo", "LC": "lc", "SC": "sc", "SN": "sn", "CS": "cs", "MDC": "mdc"}
"""Type of a port by prefix of its connector (v4.6.8: netbox/dcim/choices.py, PortTypeChoices)."""


def make_panel_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield types, roles and devices of panels, then their ports; nothing if no fibre is patched."""
    panels, halls = view.panels, dict(zip(view.racks.name, view.racks.hall, strict=True))
    if not len(panels):
        return
    # of several rows of one model the first is written last
    first_row = {model: row for row, model in reversed([*enumerate(panels.model.tolist())])}
    models = sorted(first_row)
    yield Kind(
        "dcim/device-types",
        "panel-types",
        {
            "manufacturer": [MAKER] * len(models),
            "model": models,
            "slug": list(map(make_slug, models)),
            "u_height": [int(panels.units[first_row[model]]) for model in models],
            "description": [str(panels.description[first_row[model]])[:200] for model in models],
        },
        ("manufacturer", "model"),
        MANUFACTURER,
    )
    yield make_role_kind("panel-roles", [ROLES[kind] for kind in sorted(set(panels.kind))])
    yield make_racked_kind(
        "panels",
        {
            "name": panels.name.tolist(),
            "role": [ROLES[kind] for kind in panels.kind],
            "manufacturer": [MAKER] * len(panels),
            "device_type": panels.model.tolist(),
            "face": ["front"] * len(panels),
            "status": ["planned"] * len(panels),
            "site": panels.site.tolist(),
            "location": [halls[rack] for rack in panels.rack],
            "rack": panels.rack.tolist(),
            "position": panels.u.tolist(),
        },
        "panel",
    )
    yield from _make_port_kinds(view)


def make_role_kind(name: str, roles: Sequence[str]) -> Kind:
    """Return roles of devices that are not switches."""
    return Kind(
        "dcim/device-roles",
        name,
        {"name": roles, "slug": list(map(make_slug, roles)), "color": [NODE_COLOR] * len(roles)},
        ("name",),
    )


def make_racked_kind(name: str, columns: dict[str, Sequence[Cell]], word: str) -> Kind:
    """Return the kind `name` of devices in racks, with these columns.

    Their types and roles are of the kinds that begin with `word`: for `panel`, `panel-types` and `panel-roles`.
    """
    return Kind(
        "dcim/devices",
        name,
        columns,
        ("name",),
        {
            "role": (f"{word}-roles", ("role",)),
            "device_type": (f"{word}-types", ("manufacturer", "device_type")),
            **IN_RACK,
        },
        any_case=True,
    )


def _make_port_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield the kind of the rear ports of panels, then that of the front ports, with what each position leads to."""
    rear_rows, front_rows = list[tuple[Cell, ...]](), list[tuple[tuple[Cell, ...], Mapped]]()
    connectors_of_panel = {
        panel["name"]: [
            next((form for start, form in CONNECTORS.items() if panel[face].startswith(start)), "other")
            for face in ("front", "rear")
        ]
        for panel in view.panels.rows()
    }
    for panel in view.panels.rows():
        count, name = panel["pairs"], panel["name"]
        for first_port in range(1, panel["ports"] + 1, 2 * count) if count else ():
            for port in range(count):
                rear_rows.append((name, str(first_port + count + port), connectors_of_panel[name][0], count, ""))
                # pair k of port i in is pair i of port k out
                leads: Mapped = tuple((k + 1, (name, str(first_port + count + k)), port + 1) for k in range(count))
                front_rows.append(((name, str(first_port + port), connectors_of_panel[name][0], count), leads))
    for trunk, end in product(view.trunks.rows(), "ab"):
        name, first_port, count = trunk[f"{end}_panel"], trunk[f"{end}_port"], trunk["ports"]
        rear_port = name_rear_port(first_port, count)
        rear_rows.append((name, rear_port, connectors_of_panel[name][1], count, trunk["name"][:200]))
        for position in range(count):
            leads = ((1, (name, rear_port), position + 1),)
            front_rows.append(((name, str(first_port + position), connectors_of_panel[name][0], 1), leads))
    names = ("device", "name", "type", "positions", "description")
    yield Kind(
        "dcim/rear-ports",
        "rear-ports",
        {name: [row[column] for row in rear_rows] for column, name in enumerate(names)},
        ("device", "name"),
        DEVICE,
    )
    yield Kind(
        "dcim/front-ports",
        "front-ports",
        {name: [row[column] for row, _ in front_rows] for column, name in enumerate(names[:-1])},
        ("device", "name"),
        DEVICE,
        mapped=[leads for _, leads in front_rows],
    )


PDU = "rack PDU"
INLET = "inlet"

Cord = tuple[Ends, Ends]


def make_power_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield power panels, feeds, PDUs, power ports and outlets; nothing if no rack has a feed."""
    racks, halls = view.racks, dict(zip(view.racks.name, view.racks.hall, strict=True))
    # (row of the rack, feed) of each PDU; a rack on two feeds has the text `A+B`
    fed = [(row, feed) for row, feeds in enumerate(racks.feeds) for feed in filter(None, feeds.split("+"))]
    if not fed:
        return
    site_of, sites = [str(racks.site[row]) for row, _ in fed], len(view.sites)
    panels = [name_panel(site, feed, sites) for site, (_, feed) in zip(site_of, fed, strict=True)]
    site_of_panel = dict(zip(panels, site_of, strict=True))
    yield Kind(
        "dcim/power-panels",
        "power-panels",
        {"site": list(site_of_panel.values()), "name": list(site_of_panel)},
        ("name",),
        {"site": IN_RACK["site"]},
    )
    rack_names = [str(racks.name[row]) for row, _ in fed]
    yield Kind(
        "dcim/power-feeds",
        "power-feeds",
        {
            "power_panel": panels,
            "site": site_of,
            "location": [halls[rack] for rack in rack_names],
            "rack": rack_names,
            "name": rack_names,
            "status": ["planned"] * len(fed),
        },
        ("power_panel", "name"),
        {"power_panel": ("power-panels", ("power_panel",)), "rack": IN_RACK["rack"]},
    )
    yield Kind(
        "dcim/device-types",
        "pdu-types",
        {"manufacturer": [MAKER], "model": [PDU], "slug": [make_slug(PDU)], "u_height": [0]},
        ("manufacturer", "model"),
        MANUFACTURER,
    )
    yield make_role_kind("pdu-roles", [PDU])
    pdus = [name_pdu(rack, feed) for rack, (_, feed) in zip(rack_names, fed, strict=True)]
    yield make_racked_kind(
        "pdus",
        {
            "name": pdus,
            "role": [PDU] * len(fed),
            "manufacturer": [MAKER] * len(fed),
            "device_type": [PDU] * len(fed),
            "status": ["planned"] * len(fed),
            "site": site_of,
            "location": [halls[rack] for rack in rack_names],
            "rack": rack_names,
        },
        "pdu",
    )
    yield from _make_plug_kinds(view, pdus)


def _make_plug_kinds(view: ClusterView, pdus: Sequence[str]) -> Iterator[Kind]:
    """Yield power ports of PDUs and devices, and outlets of PDUs."""
    cords = list(_list_device_cords(view))
    ports = [*((pdu, INLET) for pdu in pdus), *(port for _, port in cords)]
    outlets = [outlet for outlet, _ in cords]
    yield Kind(
        "dcim/power-ports",
        "power-ports",
        {"device": [device for device, _ in ports], "name": [name for _, name in ports]},
        ("device", "name"),
        DEVICE,
    )
    yield Kind(
        "dcim/power-outlets",
        "power-outlets",
        {
            "device": [device for device, _ in outlets],
            "name": [name for _, name in outlets],
            "power_port": [INLET] * len(outlets),
        },
        ("device", "name"),
        {**DEVICE, "power_port": ("power-ports", ("device", "power_port"))},
    )


def name_panel(site: str, feed: str, sites: int) -> str:
    """Return the power panel of a feed, `A`; if there are several sites, each has its own, `west A`."""
    return f"{site} {feed}" if sites > 1 else feed


def name_pdu(rack: str, feed: str) -> str:
    """Return the PDU of a feed in a rack: `p1-su01-rk01-pdu-a`."""
    return f"{rack}-pdu-{feed.lower()}"


def _list_feeds(view: ClusterView) -> Mapping[str, list[str]]:
    """Return the feeds of each rack that has any."""
    racks = zip(view.racks.name.tolist(), view.racks.feeds.tolist(), strict=True)
    return {rack: feeds.split("+") for rack, feeds in racks if feeds}


def _list_device_cords(view: ClusterView) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Yield (outlet, power supply), each as (device, name); outlets of a PDU are used from the lowest device up."""
    feeds, taken = _list_feeds(view), defaultdict[str, int](int)
    devices = view.devices
    for row in sorted(range(len(devices)), key=lambda row: (devices.rack[row], devices.u[row], devices.name[row])):
        feeds_here = feeds.get(devices.rack[row], ())
        for supply in range(int(devices.power_supplies[row]) if feeds_here else 0):
            pdu = name_pdu(devices.rack[row], feeds_here[supply % len(feeds_here)])
            taken[pdu] += 1
            yield (pdu, str(taken[pdu])), (devices.name[row], f"PSU{supply + 1}")


def list_power_cables(view: ClusterView) -> Iterator[Cord]:
    """Yield what whips and cords join: a feed and the inlet of its PDU, an outlet and a power supply."""
    sites = dict(zip(view.racks.name, view.racks.site, strict=True))
    for rack, feeds in _list_feeds(view).items():
        for feed in feeds:
            panel = name_panel(sites[rack], feed, len(view.sites))
            yield (("power-feeds", (panel, rack)),), (("power-ports", (name_pdu(rack, feed), INLET)),)
    for outlet, supply in _list_device_cords(view):
        yield (("power-outlets", outlet),), (("power-ports", supply),)
