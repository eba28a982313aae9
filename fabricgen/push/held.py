"""What a NetBox holds of a plan, as the lists that `fabricgen plan` compares: those of the plan, with what NetBox has
in their place.

NetBox does not say which pod, rail or tier a device is of, nor what its AS number is: that is taken from the plan's
device of the same name, or in the same place of a rack. An object is left out if the plan has nothing in its place and
no push of the plan made it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from fabricgen.addons.netbox_objects.cables import choose_cable_type
from fabricgen.addons.netbox_objects.devices import name_role
from fabricgen.addons.netbox_objects.kinds import make_slug
from fabricgen.cluster import Cluster
from fabricgen.diff.cables import OPTIC_CHANGES
from fabricgen.diff.delta import Delta, compare_rows
from fabricgen.diff.listing import COLUMNS, Column, Listing, Lists, make_column
from fabricgen.export.graph import KINDS
from fabricgen.kernel.units import format_number
from fabricgen.lock.found import NetboxDevice
from fabricgen.push.client import NetBox
from fabricgen.push.reading import Cable, NetboxPort, NetboxReading
from fabricgen.push.state import TAGS

Row = dict[str, Any]
_NEAR_M = 0.006
"""Lengths that differ by less, m, are equal: NetBox stores centimetres."""


class Held:
    """What a NetBox holds of a plan, as lists that can be compared with those of the plan."""

    def __init__(self, netbox: NetBox, cluster: Cluster, plan: Lists) -> None:
        self._reading = NetboxReading(netbox, frozenset(cluster.sites))
        self._cluster, self._plan = cluster, plan
        self._tag = f"{TAGS}{make_slug(cluster.design.loaded.blueprint.name)}"
        self._links, self._ends = _list_rows(plan.links), _list_rows(plan.cables)
        self._planned = {row["device"]: row for row in _list_rows(plan.devices)}
        self.renamed = dict(self._find_renamed())
        """Devices of NetBox under another name than the plan has for them -> that name."""
        self._netbox_names = {name: own for own, name in self.renamed.items()}
        self._devices = self._choose_devices()
        self.notes = [f"NetBox has no site {name}" for name in self._reading.missing]
        """Records of NetBox that are not compared."""

    def make_lists(self) -> Lists:
        """Return the devices, links, cables and addresses that NetBox has as lists; it has no bill of materials.

        How many cables could not be compared is added to `notes`.
        """
        links, cables = self._list_cabling()
        return Lists(
            devices=_make_listing("devices", (self._make_device_row(device) for device in self._devices.values())),
            links=_make_listing("links", links),
            cables=_make_listing("cables", cables),
            addresses=_make_listing(
                "addresses", (dict(zip(COLUMNS["addresses"], row, strict=True)) for row in self._addresses)
            ),
        )

    def compare_optics(self) -> Delta:
        """Return how transceivers differ; NetBox knows them by their cages, whatever cable is there."""
        planned = {
            (row[f"{side}_device"], row[f"{side}_cage"]): row[f"{side}_transceiver"]
            for row in self._ends
            for side in "ab"
            if row[f"{side}_transceiver"]
        }
        held_parts = {
            (self.renamed.get(cage.device, cage.device), cage.name): part
            for cage, (part, tags) in self._reading.modules.items()
            if (self.renamed.get(cage.device, cage.device), cage.name) in planned or self._tag in tags
        }
        old, new = (
            Listing.of({"device": [d for d, _ in held], "cage": [c for _, c in held], "part": list(held.values())})
            for held in (held_parts, planned)
        )
        return compare_rows("optics", ("device", "cage"), OPTIC_CHANGES, (old, new), "device")

    def _find_renamed(self) -> Iterator[tuple[str, str]]:
        """Yield (name in NetBox, name in the plan) of devices that NetBox has under another name than the plan.

        Such a device has a name that the plan does not know, and stands in the rack unit of a planned device of the
        same model whose name NetBox does not know.
        """
        names = {device.name for device in self._reading.devices}
        name_by_place = {
            (r["site"], r["rack"], r["u"], r["model"]): name for name, r in self._planned.items() if r["u"]
        }
        for device in self._reading.devices:
            name = name_by_place.get((device.site, device.rack, device.u, device.model), "")
            if name and device.name not in self._planned and name not in names:
                yield device.name, name

    def _choose_devices(self) -> dict[str, NetboxDevice]:
        """Return the devices of NetBox, by name, that the plan has or that a push of it made.

        Of two devices with one name, the one at the site of the plan is taken.
        """
        chosen: dict[str, NetboxDevice] = {}
        for device in self._reading.devices:
            planned = self._planned.get(self.renamed.get(device.name, device.name))
            is_ours = planned or self._tag in device.tags
            if is_ours and (device.name not in chosen or (planned and planned["site"] == device.site)):
                chosen[device.name] = device
        return chosen

    def _make_device_row(self, device: NetboxDevice) -> Row:
        """Return a device of NetBox in the columns of devices.csv.

        It is the planned row with what NetBox has; a device that is not planned has what NetBox has alone.
        """
        row = self._planned.get(self.renamed.get(device.name, device.name))
        if row is None:
            classes = self._cluster.plan.devices.classes
            of_role = {name_role(KINDS[c.kind], c.fabric, c.tier): (c.fabric, c.tier) for c in classes}
            fabric, tier = of_role.get(device.role, ("", device.role))
            row = dict.fromkeys(COLUMNS["devices"], "") | {"fabric": fabric, "tier": tier}
        addresses = self._addresses_by_device.get(device.name, [])
        numbers = {
            column: _keep_planned(
                row[column],
                [prefix.partition("/")[0] for prefix, kind_held, _ in addresses if kind_held == kind] or (),
                addresses,
            )
            for column, kind in (("loopback", "loopback"), ("mgmt", "management"))
        }
        facts = {"site": device.site, "rack": device.rack, "u": device.u, "model": device.model, "nos": device.platform}
        return {**row, "device": device.name, **facts, **numbers}

    @cached_property
    def _addresses(self) -> tuple[tuple[str, str, str, str], ...]:
        """The addresses that are compared, as (prefix, kind, device, port)."""
        return tuple(self._list_addresses())

    @cached_property
    def _addresses_by_device(self) -> dict[str, list[tuple[str, str, str]]]:
        """(prefix, kind, port) of the addresses of each device that has any, by its name in NetBox."""
        addresses_by_device: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for prefix, kind, device, port in self._addresses:
            addresses_by_device[device].append((prefix, kind, port))
        return addresses_by_device

    def _list_addresses(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield (prefix, kind, device, port) of the addresses in NetBox that belong to the plan.

        These are at a port that has a planned address, have a planned prefix, or were made by a push of the plan. An
        address at no port is one of them if the plan has it without a port.
        """
        assert self._plan.addresses is not None  # noqa: S101 - a plan has addresses
        rows = _list_rows(self._plan.addresses)
        kinds = {row["kind"] for row in rows}
        kind_at_port = {NetboxPort(self._name_in_netbox(row["device"]), row["port"]): row["kind"] for row in rows}
        loose = {row["prefix"]: row for row in rows if not row["port"]}
        planned = {row["prefix"] for row in rows}
        for prefix, description, port, tags in self._reading.list_addresses():
            if port is None:
                row = loose.get(prefix)
                if row and self._name_in_netbox(row["device"]) in self._devices:
                    yield prefix, row["kind"], self._name_in_netbox(row["device"]), ""
            elif port in kind_at_port or prefix in planned or self._tag in tags:
                yield (
                    prefix,
                    description if description in kinds else kind_at_port.get(port, ""),
                    port.device,
                    port.name,
                )

    def _name_in_netbox(self, device: str) -> str:
        """Return what NetBox calls a device of the plan."""
        return self._netbox_names.get(device, device)

    def _list_cabling(self) -> tuple[list[Row], list[Row]]:
        """Return (rows of links.csv, rows of cables.csv) as NetBox has them, with a and b ends as the plan has them."""
        media = self._list_media()
        of_cable = {row["cable"]: row for row in reversed(self._ends)}
        of_end = {_key_of_end(row): row for row in self._ends}
        links = [row for row in map(self._keep_backplane_link, self._links) if row]
        ends: dict[tuple[str, ...], Row] = {}
        several = 0
        for cable in self._reading.list_cables():
            if len(cable.a) != 1 or len(cable.b) != 1:
                several += len(cable.a) > 1 or len(cable.b) > 1
                continue
            a, b = cable.a[0], cable.b[0]
            # at either port: (the end of the planned link there, "a" or "b"; its row of links.csv)
            near, far = self._planned_at_port.get(a, ("", None)), self._planned_at_port.get(b, ("", None))
            if not (near[1] or far[1] or cable.label in of_cable or self._tag in cable.tags):
                continue
            # NetBox's a end is the plan's b end: a cable has its ends as planned
            if near[0] != "a" and (far[0] == "a" or near[0] == "b"):
                a, b = b, a
            link = self._make_link_row(cable, a, b, of_cable)
            links.append(link)
            planned = self._find_planned_end(link)
            end = self._make_end_row(cable, link, of_end.get(planned) or of_cable.get(link["cable"]), media)
            ends[_key_of_end(end)] = end
        if several:
            self.notes.append(f"{several:,} cables of NetBox have several ends at a side: these are not compared")
        return links, list(ends.values())

    @cached_property
    def _cages(self) -> dict[NetboxPort, str]:
        """The planned cage of each planned port; devices under their names in NetBox."""
        return {
            NetboxPort(self._name_in_netbox(row[f"{side}_device"]), row[f"{side}_port"]): cage
            for side, cages in zip("ab", self._cluster.port_names.cage_columns, strict=True)
            for row, cage in zip(self._links, cages.texts().tolist(), strict=True)
        }

    @cached_property
    def _planned_at_port(self) -> dict[NetboxPort, tuple[str, Row]]:
        """The planned link at each planned port: (its end there, "a" or "b"; its row of links.csv); devices under their
        names in NetBox.
        """
        return {
            NetboxPort(self._name_in_netbox(row[f"{side}_device"]), row[f"{side}_port"]): (side, row)
            for row in self._links
            for side in "ab"
        }

    @cached_property
    def _patched(self) -> frozenset[str]:
        """The ids of the planned cables that go through panels."""
        patching = self._cluster.plan.patching
        is_patched = (patching.policy >= 0).tolist() if patching else []
        return frozenset(name for name, passes in zip(self._cluster.cable_ids, is_patched, strict=False) if passes)

    def _find_planned_end(self, link: Row) -> tuple[str, ...]:
        """Return the key (cable, a_device, a_cage, b_device, b_cage) of the planned row of cables.csv that belongs to a
        link.

        `link` is a row of links.csv with NetBox's names of devices; the key has those of the plan, and "" for the cage
        of a port that is not planned.
        """
        ports = [NetboxPort(link[f"{side}_device"], link[f"{side}_port"]) for side in "ab"]
        names = [self.renamed.get(port.device, port.device) for port in ports]
        cages = [self._cages.get(port, "") for port in ports]
        return link["cable"], names[0], cages[0], names[1], cages[1]

    def _keep_backplane_link(self, row: Row) -> Row | None:
        """Return a planned link without a cable, under the names of NetBox; None if a device of it is not there."""
        a, b = (self._name_in_netbox(row[f"{side}_device"]) for side in "ab")
        is_here = not row["cable"] and a in self._devices and b in self._devices
        return {**row, "a_device": a, "b_device": b} if is_here else None

    def _make_link_row(self, cable: Cable, a: NetboxPort, b: NetboxPort, of_cable: Mapping[str, Row]) -> Row:
        """Return a cable between two ports as a row of links.csv. Its fabric, and what NetBox does not have, are those
        of the link that is planned at the first of the ports, else at the second.

        `of_cable` has planned rows of cables.csv by cable: they tell the fabric of a cable whose ports have no planned
        link.
        """
        planned = self._planned_at_port.get(a, self._planned_at_port.get(b, ("", {})))[1]
        joins_as_planned = all(self._planned_at_port.get(port, ("", None))[1] is planned for port in (a, b))
        name = planned["cable"] if joins_as_planned or not cable.label else cable.label
        source = planned or of_cable.get(name, {})
        speed = self._reading.speeds.get(a) or planned.get("speed_gbps", "")
        ends = {"a_device": a.device, "a_port": a.name, "b_device": b.device, "b_port": b.name}
        numbers = {"a_ip": self._choose_address(a), "b_ip": self._choose_address(b)}
        return {"fabric": source.get("fabric", ""), "cable": name, **ends, **numbers, "speed_gbps": speed}

    def _choose_address(self, port: NetboxPort) -> str:
        """Return the address of a port: the planned one if NetBox has it anywhere on the device, else the port's first
        in NetBox.

        It is "" if none is planned for the port's end of its link, or if NetBox has none.
        """
        side, row = self._planned_at_port.get(port, ("", {}))
        addresses = self._addresses_by_device.get(port.device, [])
        prefixes = [prefix for prefix, _, port_name in addresses if port_name == port.name]
        planned = row.get(f"{side}_ip")
        return "" if planned == "" else _keep_planned(planned or "", prefixes, addresses)

    def _make_end_row(self, cable: Cable, link: Row, row: Row | None, media: Mapping[str, str]) -> Row:
        """Return a cable as a row of cables.csv; `link` is its row of links.csv, `row` its planned row, None if there
        is none.

        `media` has the type of each planned cable as NetBox names it. A cable that is not planned has what NetBox says,
        and the fabric of its link.
        """
        row = row or dict.fromkeys(COLUMNS["cables"], "") | {"cable": link["cable"], "fabric": link["fabric"]}
        end = {**row}
        for side in "ab":
            port = NetboxPort(link[f"{side}_device"], link[f"{side}_port"])
            cage = self._cages.get(port) or self._reading.labels.get(port) or port.name
            end |= {
                f"{side}_device": port.device,
                f"{side}_cage": cage,
                f"{side}_transceiver": self._reading.modules.get(NetboxPort(port.device, cage), ("", frozenset()))[0],
            }
        length = cable.length_m
        # within what NetBox rounds, the planned length stands, and where it knows the jumpers of a channel alone
        is_patched = length is None and link["cable"] in self._patched
        if not is_patched and (length is None or abs(float(row["length_m"] or 0) - length) > _NEAR_M):
            end["length_m"] = "" if length is None else format_number(length)
        if cable.type != media.get(link["cable"]):
            end |= {"medium": cable.type, "part": ""}
        return end

    def _list_media(self) -> dict[str, str]:
        """Return {cable: type} for all cables of the plan, with the types as NetBox names them."""
        cables = self._cluster.plan.cables
        types = [choose_cable_type(medium.medium, medium.fibre) for medium in cables.media]
        ids = self._cluster.cable_id_columns.make_id_column(cables.end_cable).texts().tolist()
        return {name: types[cables.medium[row]] for name, row in zip(ids, cables.end_cable.tolist(), strict=True)}


def _keep_planned(planned: str, own_prefixes: Iterable[str], held: Iterable[tuple[str, str, str]]) -> str:
    """Return the planned address if a device has it at any port; else the first of `own_prefixes`, "" without any.

    `held` are the (prefix, kind, port) of all addresses of the device; prefix lengths are not compared.
    """
    if planned and planned.partition("/")[0] in {prefix.partition("/")[0] for prefix, _, _ in held}:
        return planned
    return next(iter(own_prefixes), "")


def _key_of_end(row: Row) -> tuple[str, ...]:
    """Return (cable, a_device, a_cage, b_device, b_cage) of a row of cables.csv, which no other row has."""
    return tuple(row[name] for name in ("cable", "a_device", "a_cage", "b_device", "b_cage"))


def _list_rows(listing: Listing) -> list[Row]:
    """Return the rows of a listing."""
    names, columns = list(listing.columns), [_list_texts(column) for column in listing.columns.values()]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _list_texts(column: Column) -> list[str]:
    return list(column[:].tolist())


def _make_listing(name: str, rows: Iterable[Row]) -> Listing:
    """Return a listing with its usual columns from rows."""
    listed = list(rows)
    return Listing({column: make_column([row[column] for row in listed]) for column in COLUMNS[name]})
