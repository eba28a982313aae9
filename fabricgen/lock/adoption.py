"""Adoption of a running fabric: its names and numbers, read from lists, are written to the lock if they differ.

The lock knows a device by its default name, which follows from its coordinates alone (`compute-spine-01`); the place of
a device is its rack and rack unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from fabricgen.blueprint.beside.adopted import (
    ADOPTED,
    PLACE,
    Key,
    can_be_kept,
    find_interval,
    format_place,
    parse_adopted_section,
)
from fabricgen.blueprint.beside.allocation import CODE, Allocation, Stated, read_allocations
from fabricgen.blueprint.beside.lock import Lock, show_interval
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.design.names.templates import apply_stated_names
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean
from fabricgen.kernel.intervals import Interval
from fabricgen.lock.found import Matching, NetboxDevice, Source, read_export
from fabricgen.numbering.addresses.allocate import Addresses, allocate_numbers
from fabricgen.numbering.names import find_stated_places, index_default_names, list_usual_names
from fabricgen.numbering.ports import LinkEnds
from fabricgen.wiring.expand import place_devices
from fabricgen.wiring.tables import DeviceTable, RackTable


def adopt_lists(
    design: Design, files: Sequence[str], sources: Sequence[Source] = (), report: Callable[[str], None] = print
) -> Design:
    """Return a design whose lock has the names, places and numbers of some lists that differ from the planned ones.

    `files` are lists of an allocation or of devices that a NetBox exported, `sources` are NetBoxes. `report` is called
    with sentences about what cannot be kept. Devices that are not in the lists keep what they have. Blocks that are not
    in the lock yet are allocated away from adopted numbers. Raises InputError with every fault in the lists.
    """
    cluster = build_cluster(design)
    exports = {file: read_export(file) for file in files}
    adoption = _Adoption(cluster, read_allocations([file for file in files if exports[file] is None]))
    netbox_devices = [export for export in exports.values() if export is not None]
    netbox_devices += [source(set(cluster.sites)) for source in sources]
    if netbox_devices:
        adoption.match_devices(netbox_devices, report)
    return adoption.adopt_values()


class _Adoption:
    """Collects stated names, places and numbers of devices, and writes a lock with those that differ from the plan."""

    def __init__(self, cluster: Cluster, lists: Allocation) -> None:
        self._cluster, self._lists, self._design = cluster, lists, cluster.design
        planned = cluster.planned
        self._ends = LinkEnds(planned.plan, planned.port_names.ports)
        self._plugged = LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
        self._rows = index_default_names(cluster.design, cluster.plan.devices)
        self._defaults = list(self._rows)
        self._adopted_keys = {name for kind, name in cluster.addresses.used if kind == ADOPTED}
        usual = list_usual_names(cluster.design, cluster.plan.devices)
        by_usual = {name: row for row, name in enumerate(usual)}
        self._places = _list_places(cluster.plan.devices, cluster.plan.racks)
        self._plain_names = apply_stated_names(cluster.design.loaded.blueprint, usual)
        by_name = {name: row for row, name in enumerate(cluster.names)}
        self._present = by_name
        self._rows_by_name = by_name | by_usual | self._rows if lists.named else self._rows | by_usual | by_name
        """Device rows by all names of devices; if lists have a column of present names, default names go first."""
        self._faults = list(lists.faults)
        self._stated: dict[Key, Stated] = {}
        """Stated values by their key in the lock; a link between switches has the key of its lower end."""

    def match_devices(self, device_lists: Sequence[Sequence[NetboxDevice]], report: Callable[[str], None]) -> None:
        """Match devices of NetBoxes with planned ones, by names in other lists too, and keep what they state."""
        names = {stated.value: stated.key.device for stated in self._lists.stated if stated.key.what == "name"}
        rows_by_name = self._rows_by_name | self._present
        rows_by_name |= {
            name: self._rows_by_name[device] for name, device in names.items() if device in self._rows_by_name
        }
        matching = Matching(
            self._cluster, rows_by_name, self._defaults, lambda key: self._find_value(key, self._cluster.addresses)
        )
        for devices in device_lists:
            matching.take_devices(devices)
        self._faults += matching.faults
        self._rows_by_name = rows_by_name | self._rows
        for stated in matching.stated:
            self._resolve_stated(stated)
        for text in matching.unused:
            report(text)

    def adopt_values(self) -> Design:
        """Return the design with all differing values in its lock; blocks with adopted numbers in them are moved."""
        for stated in self._lists.stated:
            self._resolve_stated(stated)
        # values that an allocation without adopted numbers gives anyway need no line in the lock
        earlier = parse_adopted_section(self._cluster.lock.find_words(ADOPTED))
        plain = self._allocate_plain(self._cluster.lock)
        adopted = dict(earlier)
        for key, stated in self._stated.items():
            if stated.value != self._find_value(key, self._cluster.addresses):
                adopted[key] = stated.value
                if stated.value == self._find_value(key, plain):
                    del adopted[key]
        lock, moved = self._cluster.lock, False
        if adopted != earlier:
            changed = {key: value for key, value in adopted.items() if earlier.get(key) != value}
            crowded = self._find_crowded(changed, adopted, plain)
            moved = bool(crowded)
            # blocks with adopted numbers in them are taken out of the lock, and so allocated anew, beside these numbers
            held = {
                kind: {name: intervals for name, intervals in of_kind.items() if (kind, name) not in crowded}
                for kind, of_kind in lock.held.items()
            }
            # other devices may get other numbers then: all that was stated is kept, until it is known what need not be
            everything = adopted | {key: stated.value for key, stated in self._stated.items()} if moved else adopted
            lock = self._put_adopted(replace(lock, held=held), everything)
        built = self._build_cluster(lock)
        if moved:
            plain = self._allocate_plain(built.lock)
            final = {k: v for k, v in everything.items() if k not in self._stated or v != self._find_value(k, plain)}
            return build_design(replace(self._design.loaded, lock=self._put_adopted(built.lock, final)))
        return built.design

    def _build_cluster(self, lock: Lock) -> Cluster:
        """Build the cluster with a lock; raises InputError with all faults of the lists."""
        try:
            built = build_cluster(build_design(replace(self._design.loaded, lock=lock)))
        except InputError as error:
            self._faults += error.diagnostics
        if self._faults:
            raise InputError(sorted(set(self._faults), key=_order_fault))
        return built

    def _put_adopted(self, lock: Lock, adopted: Mapping[Key, str]) -> Lock:
        lines = {**lock.lines, **{key.text(): stated.span for key, stated in self._stated.items()}}
        words = {key.text(): value for key, value in adopted.items()}
        return replace(lock, words={**lock.words, ADOPTED: words}, lines=lines)

    def _allocate_plain(self, lock: Lock) -> Addresses:
        """Return the addresses that devices would have without adopted numbers."""
        loaded = replace(self._design.loaded, lock=replace(lock, words={**lock.words, ADOPTED: {}}))
        return allocate_numbers(build_design(loaded), self._cluster.planned.plan)

    def _resolve_stated(self, stated: Stated) -> None:
        """Record a stated value under the default name of its device, or add a fault if it cannot be kept."""
        key, row = stated.key, self._rows_by_name.get(stated.key.device, -1)
        if row < 0:
            names = self._rows_by_name
            self._add_fault(stated, f"there is no device '{key.device}'", did_you_mean(key.device, names))
            return
        key = key._replace(device=self._defaults[row])
        if key.what == "port" and key.port not in self._plugged.list_device_links(row):
            hint = did_you_mean(key.port, self._plugged.list_device_links(row))
            self._add_fault(stated, f"{stated.key.device} has no cabled port '{key.port}'", hint)
            return
        if key.what == "port" and self._cluster.planned.overrides:
            key = key._replace(port=self._find_planned_port(row, key.port))
        if not self._find_value(key, self._cluster.addresses):
            word = {"asn": "AS number", "loopback": "router id", "mgmt": "management address"}
            number = word.get(key.what) or f"address on {key.port}"
            self._add_fault(stated, f"{stated.key.device} has no {number} to override", "leave the cell empty")
            return
        length = self._find_length(row, key)
        # -1: no length was stated
        if stated.length not in (-1, length):
            message = f"{stated.value}/{stated.length}: the prefix length there is /{length}"
            self._add_fault(stated, message, "state the address alone where the length may become another")
            return
        key, value = self._find_lower_end(row, key, stated.value)
        # both ends of a link have one key: the second one has to state the same
        earlier = self._stated.setdefault(key, replace(stated, value=value))
        if earlier.value != value and key.what != "port":
            self._add_fault(
                stated, f"{key.text()} is {value} here and {earlier.value} at {earlier.span}", "state it once"
            )
        elif earlier.value != value:
            message = (
                f"{stated.value} is not in one /{length} with the address of the far end, stated at {earlier.span}"
            )
            self._add_fault(stated, message, "one end has an even address, the other the odd one after it")
        elif not can_be_kept(key):
            self._add_fault(stated, f"the port '{key.port}' cannot be written into a lock", "rename the port")

    def _find_planned_port(self, row: int, port: str) -> str:
        """Return the planned port of the link that was built into a port, since addresses follow the plan."""
        link, upper = self._plugged.list_device_links(row)[port]
        # index 0 (False) is the column of lower ends, 1 (True) that of upper ones
        return str(self._cluster.planned.port_names.ports[upper][link])

    def _find_lower_end(self, row: int, key: Key, value: str) -> tuple[Key, str]:
        """Return the key and address of the lower end of a link between switches, for an address that was stated at its
        upper end; any other key and value are returned unchanged.

        A key says what of which device is stated, here the address of a port; the lock has those of lower ends alone.
        `row` is that of the device.
        """
        # the row of the link, and whether the device is its upper end
        link, upper = (
            self._ends.list_device_links(row).get(key.port, (-1, False)) if key.what == "port" else (-1, False)
        )
        if not upper:
            return key, value
        key = key._replace(
            device=self._defaults[int(self._cluster.plan.links.a_device[link])],
            port=str(self._cluster.planned.port_names.ports[0][link]),
        )
        family = self._cluster.addresses.families[key.v6]
        # the ends of a /31 differ in one bit, those of a /30 that an exit states in two
        differing_bits = int(family.a.at(link)) ^ int(family.b.at(link))
        return key, family.format_address(family.family.parse(value) ^ differing_bits)

    def _find_value(self, key: Key, addresses: Addresses) -> str:
        """Return the value of a key of the lock (a name, place, AS number or address of a device) as text; "" for none.

        Numbers and addresses are those in `addresses`. Names and places are the present ones if `addresses` are the
        cluster's own; otherwise they are those that the device would have if none were adopted.
        """
        row = self._rows[key.device]
        if key.what == "name":
            present = addresses is self._cluster.addresses
            return self._cluster.names[row] if present else self._plain_names[row]
        if key.what == PLACE:
            return self._places[row] if addresses is self._cluster.addresses else self._plain_places[row]
        if key.what == "asn":
            return str(int(addresses.asn[row]) or "")
        # `v6` (False or True) is the index of the family
        if key.v6 >= len(addresses.families):
            return ""
        family = addresses.families[key.v6]
        if key.what == "port":
            link, upper = self._ends.list_device_links(row)[key.port]
            return family.format_address((family.b if upper else family.a).at(link))
        if key.what == "mgmt":
            return family.format_address(family.management.at(row))
        return family.format_address(family.loopback.at(row) if key.v6 else int(addresses.router_id[row]))

    @cached_property
    def _plain_places(self) -> list[str]:
        """The places that devices would have without adopted places, as text, by row of the device table."""
        loaded = self._design.loaded
        plain = build_design(replace(loaded, lock=replace(loaded.lock, words={**loaded.lock.words, ADOPTED: {}})))
        return _list_places(*place_devices(plain, find_stated_places))

    def _find_length(self, row: int, key: Key) -> int:
        """Return the prefix length of the address of a key; -1 if its value is no address."""
        if key.what in ("name", PLACE, "asn"):
            return -1
        family = self._cluster.addresses.families[key.v6]
        if key.what == "port":
            return int(family.length[self._ends.list_device_links(row)[key.port][0]])
        return int(family.management_length[row]) if key.what == "mgmt" else family.family.bits

    def _find_crowded(
        self, changed: Mapping[Key, str], adopted: Mapping[Key, str], plain: Addresses
    ) -> frozenset[tuple[str, str]]:
        """Return (kind, name) of the blocks with adopted numbers in them, which devices added later would get as well.

        Such a block must move; if the lock file holds it, the adopted number is a fault. A number in a block is
        harmless if the device that would get it has adopted another one.
        """
        # (kind, number) of each number that a device with an adopted one would have without it
        vacated = {
            (taken[0], number)
            for key in adopted
            if key in self._stated or key.text() in self._adopted_keys
            if (value := self._find_value(key, plain)) and (taken := find_interval(key, value))
            for number in range(taken[1].first, taken[1].end)
        }
        crowded = set()
        for key, value in changed.items():
            # (kind of number, interval of the numbers that the value takes)
            taken = (
                find_interval(key, value) if key.what in ("asn", "loopback") or self._is_between_switches(key) else None
            )
            if taken is None or (taken[0], taken[1].first) in vacated:
                continue
            for name, interval in self._list_holders(*taken):
                crowded.add((taken[0], name))
                if name in self._design.loaded.lock.find_allocations(taken[0]):
                    self._add_fault(
                        self._stated[key],
                        f"{value} lies in {show_interval(taken[0], interval)}, held for {name}: a device that is added "
                        "would be given it too",
                        f"let that have other numbers in the same step (--release '{name}'), or move the pool; where "
                        "nothing stands by this lock yet, delete it first: --import makes one",
                    )
        return frozenset(crowded)

    def _list_holders(self, kind: str, number_interval: Interval) -> list[tuple[str, Interval]]:
        """Return the blocks of the lock that share numbers with an interval, with their names."""
        held = self._cluster.lock.find_allocations(kind)
        return [
            (name, interval)
            for name, intervals in held.items()
            for interval in intervals
            if interval.first < number_interval.end and number_interval.first < interval.end
        ]

    def _is_between_switches(self, key: Key) -> bool:
        # whether a key is a port whose link has an address at its upper end as well
        if key.what != "port" or key.device not in self._rows:
            return False
        link = self._ends.list_device_links(self._rows[key.device])[key.port][0]
        return bool(self._cluster.addresses.families[key.v6].b.at(link))

    def _add_fault(self, stated: Stated, message: str, hint: str) -> None:
        self._faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, stated.span))


def _list_places(devices: DeviceTable, racks: RackTable) -> list[str]:
    """Return the place of every device in the form of the lock; "" for a device in no rack unit."""
    pairs = zip(devices.rack.tolist(), devices.u.tolist(), strict=True)
    return [format_place(racks.names[rack], u) if u else "" for rack, u in pairs]


def _order_fault(diagnostic: Diagnostic) -> tuple[Span, str]:
    return diagnostic.span or Span("", 0, 0), diagnostic.message
