"""Patch panels and housings of fibre shuffles as devices, with front ports that lead to positions of rear ports.

Rear ports of a panel are its trunks, with a position for each front port; those of a shuffle its ports out, with a
position for each fibre pair (v4.6.8: netbox/dcim/models/device_components.py, PortMapping).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from fabricgen.addons.netbox_objects.devices import NODE_COLOR
from fabricgen.addons.netbox_objects.kinds import MAKER, Cell, Kind, Mapped, make_slug, name_rear_port
from fabricgen.addons.netbox_objects.ports import DEVICE
from fabricgen.api import ClusterView

ROLES = {"panel": "patch panel", "shuffle": "fibre shuffle"}
CONNECTORS = {"MPO": "mpo", "LC": "lc", "SC": "sc", "SN": "sn", "CS": "cs", "MDC": "mdc"}
"""How connectors begin -> the type of a port (v4.6.8: netbox/dcim/choices.py, PortTypeChoices)."""


def make_panel_kinds(view: ClusterView) -> Iterator[Kind]:
    """Types, roles and devices of panels, then their ports; nothing where no fibre is patched."""
    panels, halls = view.panels, dict(zip(view.racks.name, view.racks.hall, strict=True))
    if not len(panels):
        return
    first = {model: row for row, model in reversed([*enumerate(panels.model.tolist())])}
    models = sorted(first)
    type_columns: dict[str, Sequence[Cell]] = {
        "manufacturer": [MAKER] * len(models),
        "model": models,
        "slug": list(map(make_slug, models)),
        "u_height": [int(panels.units[first[model]]) for model in models],
        "description": [str(panels.description[first[model]])[:200] for model in models],
    }
    maker = {"manufacturer": ("manufacturers", ("manufacturer",))}
    yield Kind("dcim/device-types", "panel-types", type_columns, ("manufacturer", "model"), maker)
    roles = [ROLES[kind] for kind in sorted(set(panels.kind))]
    yield make_role_kind("panel-roles", roles)
    columns: dict[str, Sequence[Cell]] = {
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
    }
    yield make_racked_kind("panels", columns, "panel")
    yield from _make_port_kinds(view)


def make_role_kind(name: str, roles: Sequence[str]) -> Kind:
    """Roles of what is no switch."""
    columns = {"name": roles, "slug": list(map(make_slug, roles)), "color": [NODE_COLOR] * len(roles)}
    return Kind("dcim/device-roles", name, columns, ("name",))


def make_racked_kind(name: str, columns: dict[str, Sequence[Cell]], word: str) -> Kind:
    """Devices in racks, of the kinds WORD-types and WORD-roles."""
    references = {
        "role": (f"{word}-roles", ("role",)),
        "device_type": (f"{word}-types", ("manufacturer", "device_type")),
        "site": ("sites", ("site",)),
        "location": ("locations", ("site", "location")),
        "rack": ("racks", ("site", "location", "rack")),
    }
    return Kind("dcim/devices", name, columns, ("name",), references, any_case=True)


def _make_port_kinds(view: ClusterView) -> Iterator[Kind]:
    # rear ports, then front ports with what they lead to
    rear, front = list[tuple[Cell, ...]](), list[tuple[tuple[Cell, ...], Mapped]]()
    forms = {
        panel["name"]: [
            next((form for start, form in CONNECTORS.items() if panel[side].startswith(start)), "other")
            for side in ("front", "rear")
        ]
        for panel in view.panels.rows()
    }
    for panel in view.panels.rows():
        count, name = panel["pairs"], panel["name"]
        for first in range(1, panel["ports"] + 1, 2 * count) if count else ():
            for port in range(count):
                rear.append((name, str(first + count + port), forms[name][0], count, ""))
                # pair k of port i in is pair i of port k out
                leads: Mapped = tuple((k + 1, (name, str(first + count + k)), port + 1) for k in range(count))
                front.append(((name, str(first + port), forms[name][0], count), leads))
    for trunk, end in product(view.trunks.rows(), "ab"):
        name, first, count = trunk[f"{end}_panel"], trunk[f"{end}_port"], trunk["ports"]
        rear_port = name_rear_port(first, count)
        rear.append((name, rear_port, forms[name][1], count, trunk["name"][:200]))
        for position in range(count):
            leads = ((1, (name, rear_port), position + 1),)
            front.append(((name, str(first + position), forms[name][0], 1), leads))
    names = ("device", "name", "type", "positions", "description")
    rear_columns = {name: [row[at] for row in rear] for at, name in enumerate(names)}
    yield Kind("dcim/rear-ports", "rear-ports", rear_columns, ("device", "name"), DEVICE)
    front_columns = {name: [row[at] for row, _ in front] for at, name in enumerate(names[:-1])}
    mapped = [leads for _, leads in front]
    yield Kind("dcim/front-ports", "front-ports", front_columns, ("device", "name"), DEVICE, mapped=mapped)
