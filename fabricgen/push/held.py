"""What a NetBox holds of a plan, as the lists that `fabricgen plan` compares: those of the plan, with what NetBox has
in their place.

NetBox does not say which pod, rail or tier a device is of, nor what its AS number is: that is of the plan's device of
the same name, or in the same place of a rack. What nothing of the plan is at, and no push of it made, is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.diff.cables import OPTIC_CHANGES
from fabricgen.diff.delta import Delta, compare_rows
from fabricgen.diff.listing import COLUMNS, Column, Listing, Lists, column_of
from fabricgen.export.netbox.devices import name_role
from fabricgen.export.netbox.kinds import make_slug
from fabricgen.export.netbox.ports import choose_cable_type
from fabricgen.kernel.units import format_number
from fabricgen.lock.found import NetboxDevice
from fabricgen.push.client import NetBox
from fabricgen.push.reading import Cable, Port, Reading
from fabricgen.push.state import TAGS

Row = dict[str, Any]
_NEAR_M = 0.006
"""NetBox keeps lengths to centimetres."""


class Held:
    """A NetBox read beside the lists of a plan."""

    def __init__(self, netbox: NetBox, cluster: Cluster, plan: Lists) -> None:
        self._reading = Reading(netbox, frozenset(cluster.sites))
        self._cluster, self._plan = cluster, plan
        self._tag = f"{TAGS}{make_slug(cluster.design.loaded.blueprint.name)}"
        self._links, self._ends = _rows(plan.links), _rows(plan.cables)
        self._planned = {row["device"]: row for row in _rows(plan.devices)}
        self.renamed = dict(self._renamed())
        """Devices of NetBox under another name than the plan has for them -> that name."""
        self._own = {name: own for own, name in self.renamed.items()}
        self._devices = self._chosen()
        self.notes = [f"NetBox has no site {name}" for name in self._reading.missing]
        """What NetBox has and is not compared."""

    def lists(self) -> Lists:
        """The lists; NetBox has no bill of materials."""
        addresses = list(self._addresses())
        self._at: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for prefix, kind, device, port in addresses:
            self._at[device].append((prefix, kind, port))
        links, cables = self._cabled()
        return Lists(
            devices=_listing("devices", (self._device(each) for each in self._devices.values())),
            links=_listing("links", links),
            cables=_listing("cables", cables),
            addresses=_listing("addresses", (dict(zip(COLUMNS["addresses"], row, strict=True)) for row in addresses)),
        )

    def optics(self) -> Delta:
        """How transceivers differ: NetBox knows them by their cages, whatever cable is there."""
        planned = {
            (row[f"{side}_device"], row[f"{side}_cage"]): row[f"{side}_transceiver"]
            for row in self._ends
            for side in "ab"
            if row[f"{side}_transceiver"]
        }
        there = {
            (self.renamed.get(cage.device, cage.device), cage.name): part
            for cage, (part, tags) in self._reading.modules.items()
            if (self.renamed.get(cage.device, cage.device), cage.name) in planned or self._tag in tags
        }
        old, new = (
            Listing.of({"device": [d for d, _ in held], "cage": [c for _, c in held], "part": list(held.values())})
            for held in (there, planned)
        )
        return compare_rows("optics", ("device", "cage"), OPTIC_CHANGES, (old, new), "device")

    def _renamed(self) -> Iterator[tuple[str, str]]:
        """Devices with a name that the plan has not, in the place of one of its devices that NetBox has not."""
        there = {each.name for each in self._reading.devices}
        place = {(r["site"], r["rack"], r["u"], r["model"]): name for name, r in self._planned.items() if r["u"]}
        for each in self._reading.devices:
            name = place.get((each.site, each.rack, each.u, each.model), "")
            if name and each.name not in self._planned and name not in there:
                yield each.name, name

    def _chosen(self) -> dict[str, NetboxDevice]:
        """The devices that are the plan's or a push of it made; of two of a name the one at the site of the plan."""
        found: dict[str, NetboxDevice] = {}
        for each in self._reading.devices:
            planned = self._planned.get(self.renamed.get(each.name, each.name))
            own = planned or self._tag in each.tags
            if own and (each.name not in found or (planned and planned["site"] == each.site)):
                found[each.name] = each
        return found

    def _device(self, each: NetboxDevice) -> Row:
        row = self._planned.get(self.renamed.get(each.name, each.name))
        if row is None:
            of_role = {name_role(cls): (cls.fabric, cls.tier) for cls in self._cluster.plan.devices.classes}
            fabric, tier = of_role.get(each.role, ("", each.role))
            row = dict.fromkeys(COLUMNS["devices"], "") | {"fabric": fabric, "tier": tier}
        held = self._at[each.name]
        numbers = {
            column: _kept(row[column], [prefix.partition("/")[0] for prefix, its, _ in held if its == kind] or (), held)
            for column, kind in (("loopback", "loopback"), ("mgmt", "management"))
        }
        place = {"site": each.site, "rack": each.rack, "u": each.u, "model": each.model, "nos": each.platform}
        return {**row, "device": each.name, **place, **numbers}

    def _addresses(self) -> Iterator[tuple[str, str, str, str]]:
        """(prefix, kind, device, port), each at ports of the plan, of the plan's number or made by its push."""
        assert self._plan.addresses is not None  # noqa: S101 - a plan has addresses
        rows = _rows(self._plan.addresses)
        kinds = {row["kind"] for row in rows}
        at = {Port(self._named(row["device"]), row["port"]): row["kind"] for row in rows}
        loose = {row["prefix"]: row for row in rows if not row["port"]}
        planned = {row["prefix"] for row in rows}
        for prefix, told, port, tags in self._reading.addresses():
            if port is None:
                row = loose.get(prefix)
                if row and self._named(row["device"]) in self._devices:
                    yield prefix, row["kind"], self._named(row["device"]), ""
            elif port in at or prefix in planned or self._tag in tags:
                yield prefix, told if told in kinds else at.get(port, ""), port.device, port.name

    def _named(self, device: str) -> str:
        """What NetBox calls a device of the plan."""
        return self._own.get(device, device)

    def _cabled(self) -> tuple[list[Row], list[Row]]:
        """Links and ends of cables."""
        names = self._cluster.port_names.cage_columns
        self._cages = {
            Port(self._named(row[f"{side}_device"]), row[f"{side}_port"]): cage
            for side, cages in zip("ab", names, strict=True)
            for row, cage in zip(self._links, cages.texts().tolist(), strict=True)
        }
        self._at_port = {
            Port(self._named(row[f"{side}_device"]), row[f"{side}_port"]): (side, row)
            for row in self._links
            for side in "ab"
        }
        media = self._media()
        of_cable = {row["cable"]: row for row in reversed(self._ends)}
        of_end = {_end_of(row): row for row in self._ends}
        links = [row for row in map(self._backplane, self._links) if row]
        ends: dict[tuple[str, ...], Row] = {}
        several = 0
        for cable in self._reading.cables():
            if len(cable.a) != 1 or len(cable.b) != 1:
                several += len(cable.a) > 1 or len(cable.b) > 1
                continue
            a, b = cable.a[0], cable.b[0]
            near, far = self._at_port.get(a, ("", None)), self._at_port.get(b, ("", None))
            if not (near[1] or far[1] or cable.label in of_cable or self._tag in cable.tags):
                continue
            if near[0] != "a" and (far[0] == "a" or near[0] == "b"):
                a, b = b, a
            link = self._link(cable, a, b, of_cable)
            links.append(link)
            planned = self._planned_end(link)
            end = self._end(cable, link, of_end.get(planned) or of_cable.get(link["cable"]), media)
            ends[_end_of(end)] = end
        if several:
            self.notes.append(f"{several:,} cables of NetBox have several ends at a side: these are not compared")
        return links, list(ends.values())

    def _planned_end(self, link: Row) -> tuple[str, ...]:
        """The end of a cable that a link would be of in the plan, by the names there."""
        ports = [Port(link[f"{side}_device"], link[f"{side}_port"]) for side in "ab"]
        names = [self.renamed.get(port.device, port.device) for port in ports]
        cages = [self._cages.get(port, "") for port in ports]
        return link["cable"], names[0], cages[0], names[1], cages[1]

    def _backplane(self, row: Row) -> Row | None:
        """A link that no cable is of, where both devices are there."""
        a, b = (self._named(row[f"{side}_device"]) for side in "ab")
        here = not row["cable"] and a in self._devices and b in self._devices
        return {**row, "a_device": a, "b_device": b} if here else None

    def _link(self, cable: Cable, a: Port, b: Port, of_cable: Mapping[str, Row]) -> Row:
        planned = self._at_port.get(a, self._at_port.get(b, ("", {})))[1]
        same = planned and {self._at_port.get(port, ("", None))[1] is planned for port in (a, b)} == {True}
        name = planned["cable"] if same or not cable.label else cable.label
        about = planned or of_cable.get(name, {})
        speed = self._reading.speeds.get(a) or planned.get("speed_gbps", "")
        ends = {"a_device": a.device, "a_port": a.name, "b_device": b.device, "b_port": b.name}
        numbers = {"a_ip": self._ip(a), "b_ip": self._ip(b)}
        return {"fabric": about.get("fabric", ""), "cable": name, **ends, **numbers, "speed_gbps": speed}

    def _ip(self, port: Port) -> str:
        """The address at an end: the plan's where its device has it, else the first of the port."""
        side, row = self._at_port.get(port, ("", {}))
        own = [prefix for prefix, _, at in self._at[port.device] if at == port.name]
        planned = row.get(f"{side}_ip")
        return "" if planned == "" else _kept(planned or "", own, self._at[port.device])

    def _end(self, cable: Cable, link: Row, row: Row | None, media: Mapping[str, str]) -> Row:
        row = row or dict.fromkeys(COLUMNS["cables"], "") | {"cable": link["cable"], "fabric": link["fabric"]}
        found = {**row}
        for side in "ab":
            port = Port(link[f"{side}_device"], link[f"{side}_port"])
            cage = self._cages.get(port) or self._reading.labels.get(port) or port.name
            found |= {
                f"{side}_device": port.device,
                f"{side}_cage": cage,
                f"{side}_transceiver": self._reading.modules.get(Port(port.device, cage), ("", frozenset()))[0],
            }
        length = cable.length_m
        if length is None or abs(float(row["length_m"] or 0) - length) > _NEAR_M:
            found["length_m"] = "" if length is None else format_number(length)
        if cable.type != media.get(link["cable"]):
            found |= {"medium": cable.type, "part": ""}
        return found

    def _media(self) -> dict[str, str]:
        """What NetBox calls the type of each cable of the plan."""
        cables = self._cluster.plan.cables
        types = [choose_cable_type(medium) for medium in cables.media]
        ids = self._cluster.cable_id_columns.of(cables.end_cable).texts().tolist()
        return {name: types[cables.medium[row]] for name, row in zip(ids, cables.end_cable.tolist(), strict=True)}


def _kept(planned: str, own: Iterable[str], held: Iterable[tuple[str, str, str]]) -> str:
    """What is planned where a device has that address at all, else the first of its `own` ones."""
    if planned and planned.partition("/")[0] in {prefix.partition("/")[0] for prefix, _, _ in held}:
        return planned
    return next(iter(own), "")


def _end_of(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("cable", "a_device", "a_cage", "b_device", "b_cage"))


def _rows(listing: Listing) -> list[Row]:
    names, columns = list(listing.columns), [_texts(column) for column in listing.columns.values()]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _texts(column: Column) -> list[str]:
    return list(column[:].tolist())


def _listing(name: str, rows: Iterable[Row]) -> Listing:
    found = list(rows)
    return Listing({column: column_of([row[column] for row in found]) for column in COLUMNS[name]})
