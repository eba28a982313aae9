"""Adopting a fabric that is there: what lists say of its names and numbers goes into the lock, where it differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fabricgen.blueprint.beside.adopted import ADOPTED, Key, adopted_of, can_be_kept, extent_of
from fabricgen.blueprint.beside.allocation import CODE, Allocation, Stated, read_allocations
from fabricgen.blueprint.beside.lock import Lock, extent_text
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.design.names.templates import with_own
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean
from fabricgen.kernel.extents import Extent
from fabricgen.numbering.addresses.allocate import Addresses, allocate
from fabricgen.numbering.link_ends import LinkEnds
from fabricgen.numbering.names import default_rows, usual_names


def adopt(design: Design, files: Sequence[str]) -> Design:
    """A design whose lock has what lists of devices and ports state, where it is other than what is allocated.

    Whoever is not in the lists keeps what the lock holds. Blocks that the lock does not hold yet go where no adopted
    number is. Raises InputError with every fault in the lists.
    """
    return _Adoption(build_cluster(design), read_allocations(files)).run()


class _Adoption:
    def __init__(self, cluster: Cluster, lists: Allocation) -> None:
        self._cluster, self._lists, self._design = cluster, lists, cluster.design
        planned = cluster.planned
        self._ends = LinkEnds(planned.plan, planned.port_names.ports)
        self._plugged = LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
        self._rows = default_rows(cluster.design, cluster.plan.devices)
        self._defaults = list(self._rows)
        self._there = {name for kind, name in cluster.addresses.used if kind == ADOPTED}
        usual = usual_names(cluster.design, cluster.plan.devices)
        by_usual = {name: row for row, name in enumerate(usual)}
        self._plain_names = with_own(cluster.design.loaded.blueprint, usual)
        by_name = {name: row for row, name in enumerate(cluster.names)}
        self._called = by_name | by_usual | self._rows if lists.named else self._rows | by_usual | by_name
        """Rows by name. Beside present names in a column of their own stand the names that fabricgen gives."""
        self._faults = list(lists.faults)
        self._stated: dict[Key, Stated] = {}
        """By what the lock calls it; of links between switches the lower end."""

    def run(self) -> Design:
        for stated in self._lists.stated:
            self._resolve(stated)
        kept = adopted_of(self._cluster.lock.words_of(ADOPTED))
        plain = self._allocated(self._cluster.lock)
        adopted = dict(kept)
        for key, stated in self._stated.items():
            if stated.value != self._value(key, self._cluster.addresses):
                adopted[key] = stated.value
                if stated.value == self._value(key, plain):
                    del adopted[key]
        lock, moved = self._cluster.lock, False
        if adopted != kept:
            changed = {key: value for key, value in adopted.items() if kept.get(key) != value}
            crowded = self._crowded(changed, adopted, plain)
            moved = bool(crowded)
            held = {
                kind: {name: extents for name, extents in of_kind.items() if (kind, name) not in crowded}
                for kind, of_kind in lock.held.items()
            }
            everything = adopted | {key: stated.value for key, stated in self._stated.items()} if moved else adopted
            lock = self._with(replace(lock, held=held), everything)
        built = self._built(lock)
        if moved:
            plain = self._allocated(built.lock)
            final = {k: v for k, v in everything.items() if k not in self._stated or v != self._value(k, plain)}
            return build_design(replace(self._design.loaded, lock=self._with(built.lock, final)))
        return built.design

    def _built(self, lock: Lock) -> Cluster:
        """The cluster with a lock; raises InputError with all that lists state wrongly."""
        try:
            built = build_cluster(build_design(replace(self._design.loaded, lock=lock)))
        except InputError as error:
            self._faults += error.diagnostics
        if self._faults:
            raise InputError(sorted(set(self._faults), key=_order))
        return built

    def _with(self, lock: Lock, adopted: Mapping[Key, str]) -> Lock:
        lines = {**lock.lines, **{key.text(): stated.span for key, stated in self._stated.items()}}
        words = {key.text(): value for key, value in adopted.items()}
        return replace(lock, words={**lock.words, ADOPTED: words}, lines=lines)

    def _allocated(self, lock: Lock) -> Addresses:
        """What devices would have without what is adopted."""
        loaded = replace(self._design.loaded, lock=replace(lock, words={**lock.words, ADOPTED: {}}))
        return allocate(build_design(loaded), self._cluster.planned.plan)

    def _resolve(self, stated: Stated) -> None:
        """Note a value under the default name of its device, or why it cannot be."""
        key, row = stated.key, self._called.get(stated.key.device, -1)
        if row < 0:
            known = self._called
            self._fault(stated, f"there is no device '{key.device}'", did_you_mean(key.device, known))
            return
        key = key._replace(device=self._defaults[row])
        if key.what == "port" and key.port not in self._plugged.of(row):
            hint = did_you_mean(key.port, self._plugged.of(row))
            self._fault(stated, f"{stated.key.device} has no cabled port '{key.port}'", hint)
            return
        if key.what == "port" and self._cluster.planned.own:
            key = key._replace(port=self._planned_port(row, key.port))
        if not self._value(key, self._cluster.addresses):
            word = {"asn": "AS number", "loopback": "router id", "mgmt": "management address"}
            what = word.get(key.what) or f"address on {key.port}"
            self._fault(stated, f"{stated.key.device} has no {what} to override", "leave the cell empty")
            return
        length = self._length(row, key)
        if stated.length not in (-1, length):
            message = f"{stated.value}/{stated.length}: the prefix length there is /{length}"
            self._fault(stated, message, "state the address alone where the length may become another")
            return
        key, value = self._lower_end(row, key, stated.value)
        other = self._stated.setdefault(key, replace(stated, value=value))
        if other.value != value:
            message = f"{stated.value} is not in one /{length} with the address of the far end, stated at {other.span}"
            self._fault(stated, message, "one end has an even address, the other the odd one after it")
        elif not can_be_kept(key):
            self._fault(stated, f"the port '{key.port}' cannot be written into a lock", "rename the port")

    def _planned_port(self, row: int, port: str) -> str:
        """What the plan calls the port of a link that was plugged into a port: addresses follow the plan."""
        link, upper = self._plugged.of(row)[port]
        return str(self._cluster.planned.port_names.ports[upper][link])

    def _lower_end(self, row: int, key: Key, value: str) -> tuple[Key, str]:
        """A link between switches by its lower end, with the address there."""
        link, upper = self._ends.of(row).get(key.port, (-1, False)) if key.what == "port" else (-1, False)
        if not upper:
            return key, value
        key = key._replace(
            device=self._defaults[int(self._cluster.plan.links.a_device[link])],
            port=str(self._cluster.planned.port_names.ports[0][link]),
        )
        family = self._cluster.addresses.families[key.v6].family
        return key, self._cluster.addresses.families[key.v6].text(family.parse(value) ^ 1)

    def _value(self, key: Key, addresses: Addresses) -> str:
        """What a device has by some addresses, those of the present cluster or others; "" for none."""
        row = self._rows[key.device]
        if key.what == "name":
            present = addresses is self._cluster.addresses
            return self._cluster.names[row] if present else self._plain_names[row]
        if key.what == "asn":
            return str(int(addresses.asn[row]) or "")
        if key.v6 >= len(addresses.families):
            return ""
        found = addresses.families[key.v6]
        if key.what == "port":
            link, upper = self._ends.of(row)[key.port]
            return found.text((found.b if upper else found.a).at(link))
        if key.what == "mgmt":
            return found.text(found.management.at(row))
        return found.text(found.loopback.at(row) if key.v6 else int(addresses.router_id[row]))

    def _length(self, row: int, key: Key) -> int:
        if key.what in ("name", "asn"):
            return -1
        found = self._cluster.addresses.families[key.v6]
        if key.what == "port":
            return int(found.length[self._ends.of(row)[key.port][0]])
        return int(found.management_length[row]) if key.what == "mgmt" else found.family.bits

    def _crowded(
        self, changed: Mapping[Key, str], adopted: Mapping[Key, str], plain: Addresses
    ) -> frozenset[tuple[str, str]]:
        """Blocks that adopted numbers lie in, where devices that are added would be given them too.

        Those that the lock's file holds stay where they are: what is adopted there is a fault, unless the number is
        that of a device which has adopted another one.
        """
        left = {
            (taken[0], number)
            for key in adopted
            if key in self._stated or key.text() in self._there
            if (value := self._value(key, plain)) and (taken := extent_of(key, value))
            for number in range(taken[1].first, taken[1].end)
        }
        crowded = set()
        for key, value in changed.items():
            taken = extent_of(key, value) if key.what in ("asn", "loopback") or self._between_switches(key) else None
            if taken is None or (taken[0], taken[1].first) in left:
                continue
            for name, extent in self._holding(*taken):
                crowded.add((taken[0], name))
                if name in self._design.loaded.lock.of(taken[0]):
                    self._fault(
                        self._stated[key],
                        f"{value} lies in {extent_text(taken[0], extent)}, held for {name}: a device that is added "
                        "would be given it too",
                        f"let that have other numbers in the same step (--release '{name}'), or move the pool",
                    )
        return frozenset(crowded)

    def _holding(self, kind: str, taken: Extent) -> list[tuple[str, Extent]]:
        held = self._cluster.lock.of(kind)
        return [
            (name, extent)
            for name, extents in held.items()
            for extent in extents
            if extent.first < taken.end and taken.first < extent.end
        ]

    def _between_switches(self, key: Key) -> bool:
        if key.what != "port" or key.device not in self._rows:
            return False
        link = self._ends.of(self._rows[key.device])[key.port][0]
        return bool(self._cluster.addresses.families[key.v6].b.at(link))

    def _fault(self, stated: Stated, message: str, hint: str) -> None:
        self._faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, stated.span))


def _order(found: Diagnostic) -> tuple[Span, str]:
    return found.span or Span("", 0, 0), found.message
