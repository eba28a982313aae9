"""Devices of a NetBox for `lock --import`: which of the plan's each is, and what of it is to be kept.

They come from its REST API, or from the list of devices that it exports as CSV. Columns of that list are those of its
table of devices (github.com/netbox-community/netbox v4.4.10, netbox/dcim/tables/devices.py, DeviceTable).
"""

from __future__ import annotations

import csv
import io
import ipaddress
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.blueprint.beside.adopted import PLACE, Key, parse_adopted
from fabricgen.blueprint.beside.allocation import CODE, MAX_BYTES, Stated
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean, fault
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.wiring.tables import SWITCH

EXPORTED = ("name", "site", "rack", "position", "ipv4 address", "ipv6 address", "ip address", "oob ip")
"""Columns that are read of an export; it has `position` and `oob ip` where all data is exported."""


class Found(NamedTuple):
    """A device that a NetBox has; addresses with prefix length, "" for what it has not. An export is not asked for what
    follows on `span`.
    """

    name: str
    site: str
    rack: str
    u: str
    primary: tuple[str, ...]
    oob: str
    span: Span
    number: int = 0
    model: str = ""
    platform: str = ""
    role: str = ""
    tags: frozenset[str] = frozenset()


Source = Callable[[Collection[str]], list[Found]]
"""The devices of a NetBox at sites of some names."""


def read_export(file: str) -> list[Found] | None:
    """The devices of a list that NetBox exported; None for a file that is another list.

    Raises InputError for a file that cannot be read, or a line that is none of such a list (FG050).
    """
    text = decode_text(read_bytes(Path(file), file, limit=MAX_BYTES), file, limit=MAX_BYTES, kind="CSV")
    first = next((line for line in text.splitlines() if line.strip()), "")
    mark = max(",;\t", key=first.count)
    head = [cell.strip(' "').lower() for cell in first.split(mark)]
    if not {"name", "site", "rack"} <= set(head) or "device" in head:
        return None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise _no_export(file, reader.line_num, f"this is no CSV: {error}") from None
    found = []
    for line, cells in rows[1:]:
        if len(cells) != len(head):
            raise _no_export(file, line, f"this line has {len(cells)} columns, the first one {len(head)}")
        row = dict.fromkeys(EXPORTED, "") | {name: cell.strip() for name, cell in zip(head, cells, strict=True)}
        if row["name"]:
            both = [row["ipv4 address"], row["ipv6 address"]]
            primary = filter(None, both if any(both) else [row["ip address"]])
            rack, u = row["rack"], row["position"].removesuffix(".0")
            span = Span(file, line, 1)
            found.append(Found(row["name"], row["site"], rack, u, tuple(primary), row["oob ip"], span))
    return found


def _no_export(file: str, line: int, what: str) -> InputError:
    return fault(CODE, what, hint="take the list of devices as NetBox exports it", span=Span(file, line, 1))


class Matching:
    """Finds what lists of a NetBox say of the devices of a plan.

    A device is the planned one of its name, else the one in its place, where NetBox has no device of that one's name.
    `called` are rows of the plan by every name that a device is known by, `value` the planned value of a key.
    """

    def __init__(
        self,
        cluster: Cluster,
        called: Mapping[str, int],
        defaults: Sequence[str],
        value: Callable[[Key], str],
    ) -> None:
        self._cluster, self._defaults, self._value = cluster, defaults, value
        self._called = {**{name.lower(): row for name, row in called.items()}, **called}
        devices, self._racks = cluster.plan.devices, {name.lower(): name for name in cluster.plan.racks.names}
        names = cluster.plan.racks.names
        pairs = enumerate(zip(devices.rack.tolist(), devices.u.tolist(), strict=True))
        self._in_place = {(names[rack], str(u)): row for row, (rack, u) in pairs if u}
        self._pools = _management_pools(cluster)
        self.stated: list[Stated] = []
        self.faults: list[Diagnostic] = []
        self.unused: list[str] = []
        """What cannot be kept, and why."""

    def read(self, found: Sequence[Found]) -> None:
        """Take in the devices of one NetBox."""
        sites = set(self._cluster.sites)
        here = [each for each in found if each.site in sites]
        rows = {each: row for each in here if (row := self._by_name(each)) >= 0}
        taken: dict[int, Found] = {}
        for each, row in rows.items():
            if (other := taken.setdefault(row, each)) is not each:
                self._fault(each, f"two devices are called {each.name}, here and at {other.span}", "rename one of them")
        for each in here:
            row = rows.get(each, self._in_place.get((self._rack(each), each.u), -1))
            if row < 0:
                self.unused.append(f"{each.name}: no device of the plan has its name or its place")
            elif each in rows:
                self._keep(each, row)
            elif row in taken:
                self.unused.append(f"{each.name}: its place is planned for {self._cluster.names[row]}, which is there")
            else:
                taken[row] = each
                self._keep(each, row)
        known = ", ".join(sorted(sites))
        if away := len(found) - len(here):
            self.unused.append(f"{away:,} at other sites than {known}")
        if not here:
            self.unused.append(f"everything: there is no device at {known}; `sites` of the blueprint names sites")

    def _by_name(self, each: Found) -> int:
        return self._called.get(each.name, self._called.get(each.name.lower(), -1))

    def _rack(self, each: Found) -> str:
        """The rack of the plan, which an export shows with its facility id in brackets; "" for none."""
        own = each.rack.lower()
        return self._racks.get(own) or self._racks.get(re.sub(r" \([^()]*\)$", "", own), "")

    def _keep(self, each: Found, row: int) -> None:
        default = self._defaults[row]
        if each.name != self._cluster.names[row]:
            self._state(each, Key(default, "name"), each.name)
        rack = self._rack(each)
        if each.rack and not rack:
            hint = did_you_mean(each.rack.lower(), self._racks.values()) or ""
            advice = "name racks as they are (`names.racks`), or add this one at its place (`floor.racks`)"
            self._fault(each, f"{each.name} stands in rack {each.rack}, which the plan has not", hint or advice)
        elif rack and each.u:
            self._state(each, Key(default, PLACE), f"{rack} u{each.u}")
        elif rack and rack != self._cluster.plan.racks.names[self._cluster.plan.devices.rack[row]]:
            self.unused.append(f"{each.name}: NetBox has it in rack {rack}, but at no rack unit")
        for address in self._management(each, row):
            self._keep_management(each, default, address)

    def _management(self, each: Found, row: int) -> Iterator[str]:
        """The addresses that a device is managed at: out-of-band ones, else what a switch is reached at."""
        devices = self._cluster.plan.devices
        if each.oob:
            yield each.oob
        elif devices.classes[devices.device_class[row]].kind == SWITCH:
            yield from each.primary

    def _keep_management(self, each: Found, default: str, text: str) -> None:
        bare = text.partition("/")[0]
        try:
            address = ipaddress.ip_address(bare)
        except ValueError:
            self._fault(each, f"{text} of {each.name} is no address", "an address and its length, such as 10.0.0.4/24")
            return
        key = Key(default, "mgmt", "", address.version == 6)
        if str(address) == self._value(key._replace(what="loopback")):
            return
        pools = self._pools.get(key.v6, [])
        if not self._value(key):
            self.unused.append(f"{each.name}: {text}, as the plan gives it no such management address")
        elif not any(address in pool for pool in pools):
            known = ", ".join(map(str, pools))
            hint = "`pools: {management: ...}` states what is there, or give it another address"
            self._fault(each, f"{text} of {each.name} is outside the pool management ({known})", hint)
        else:
            self._state(each, key, str(address), int(text.partition("/")[2] or -1))

    def _state(self, each: Found, key: Key, text: str, length: int = -1) -> None:
        try:
            self.stated.append(Stated(key, parse_adopted(key, text), length, each.span))
        except ValueError as error:
            self._fault(each, str(error), f"of {each.name}, which the plan calls {key.device}")

    def _fault(self, each: Found, message: str, hint: str) -> None:
        self.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, each.span))


def _management_pools(cluster: Cluster) -> dict[bool, list[ipaddress.IPv4Network | ipaddress.IPv6Network]]:
    """The prefixes that management addresses are of, by whether they are IPv6."""
    found: dict[bool, list[ipaddress.IPv4Network | ipaddress.IPv6Network]] = {}
    blueprint = cluster.design.loaded.blueprint
    for demand in list_pool_demands(cluster.design):
        if demand.pool == "management":
            for prefix in find_pool_prefixes(blueprint, demand.fabric, demand.pool, demand.family)[0]:
                network = ipaddress.ip_network(prefix)
                known = found.setdefault(network.version == 6, [])
                if network not in known:
                    known.append(network)
    return found
