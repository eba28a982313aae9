"""Ports of a switch, for every NOS: names of the unused ones, and for those who emulate or serve
a switch, lanes as the NOS knows them and what DHCP requests say of the ports that they came in at (agent circuit ids).

Guards are access lists of host ports, against what a DHCP server or a router sends, and no host should. Dropped are
packets from servers to clients: UDP 67 to 68 (RFC 2131), 547 to 546 (RFC 8415), and router advertisements, type 134 of
ICMPv6 (RFC 6105). What servers and relays say to each other, from 67 to 67 and from 547 to 547, passes, so that a
server may stand at a port that is guarded. A list is named after what it drops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fabricgen.catalog.models import CageClass, SwitchProfile
from fabricgen.catalog.naming import NosNaming
from fabricgen.cluster import Cluster
from fabricgen.render.nos_protocol import HasPortLanes, NamesCircuits, load_writer
from fabricgen.switch.interfaces import HostAccess
from fabricgen.views.model.hosts import model_access
from fabricgen.views.switch import SwitchPort, SwitchView


def number_cages(profile: SwitchProfile) -> Iterator[tuple[int, CageClass]]:
    """Yield each cage of a switch with its number, from 1."""
    return enumerate((cage for cage in profile.cages for _ in range(cage.count)), 1)


def find_blocked_cages(view: SwitchView) -> frozenset[int]:
    """Return the numbers of cages that must stay empty because the split of a neighbouring cage uses their lanes."""
    blocked: set[int] = set()
    for cage, breakout in {port.cage: port.ways for port in view.ports}.items():
        blocked.update(range(cage + 1, cage + view.profile.find_cage_class(cage).block(breakout)))
    return frozenset(blocked)


def list_unused_ports(view: SwitchView, naming: NosNaming) -> list[str]:
    """Return the names of ports without a cable: the rest of split cages, and the first port of each empty cage."""
    breakout_of_cage, cabled = {port.cage: port.ways for port in view.ports}, {port.name for port in view.ports}
    names: list[str] = []
    for number, cage in number_cages(view.profile):
        split, slot = breakout_of_cage.get(number, 1), view.profile.find_slot(number)
        names += (naming.name_port(number, sub, split, cage, None, slot) for sub in range(split))
    return [name for name in names if name not in cabled]


def find_port_lanes(cluster: Cluster, rows: Iterable[int]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return (lanes, alias) of the cabled ports of some rows of the device table, by (switch, port).

    Switches whose NOS has no lanes are left out. Raises InputError (FG026) if the NOS takes lanes from a port table
    that the catalogue does not have.
    """
    lanes_of_port: dict[tuple[str, str], tuple[str, str]] = {}
    for row in rows:
        view = cluster.switch(row)
        nos = load_writer(view.nos)
        if isinstance(nos, HasPortLanes):
            table = nos.port_lanes(view, cluster.design.catalog)
            lanes_of_port.update(((view.name, port.name), table[port.name]) for port in view.ports)
    return lanes_of_port


def list_circuit_ids(cluster: Cluster, rows: Iterable[int]) -> dict[tuple[str, str], tuple[bytes, ...]]:
    """Return the circuit ids that DHCP requests at ports of some rows of the device table may have, by (switch, port).

    They are spelled as the blueprint says (`dhcp.circuit_id`), else as the NOS does (RFC 3046, 3.1). Ports for which
    the NOS has no id are left out: routed ones, and those for which the relay names only the VLAN.
    """
    ids_of_port: dict[tuple[str, str], tuple[bytes, ...]] = {}
    for row in rows:
        name = cluster.names[row]
        ids_of_port.update(((name, port), text) for port, text in _list_switch_circuits(cluster, row))
    return ids_of_port


def _list_switch_circuits(cluster: Cluster, row: int) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    """Yield (port, circuit ids that a relay may send for it) of each port of a switch that has any."""
    view = cluster.switch(row)
    nos, specs = load_writer(view.nos), cluster.design.loaded.blueprint.fabrics
    if not isinstance(nos, NamesCircuits):
        return
    circuits = nos.circuits(view, cluster.design.catalog)
    for port in view.ports:
        service = view.find_service(port)
        dhcp = specs[service.fabric].dhcp if service else None
        stated_form = dhcp.circuit_id if dhcp else None
        form = stated_form or (circuits.form.get(service.fabric) if service else None)
        if service is None or not form or (port.bond and not circuits.bond):
            continue
        name = _bond_name(circuits.bond, port)
        fields = {"switch": view.name, "port": name or port.name, "vlan": str(service.vlan)}
        text = form.format(**fields, alias=name or circuits.alias.get(port.name, port.name)).encode()
        kind = None if stated_form else circuits.kind
        # some relays put the kind and length before the text: both spellings are known
        yield port.name, (text,) if kind is None else (text, bytes([kind, len(text)]) + text)


def _bond_name(form: str, port: SwitchPort) -> str:
    """Return the name of a port's bond by its `form`, such as `Port-Channel{number}`; "" for a port in none."""
    return form.format(number=port.bond) if port.bond else ""


class Guard(NamedTuple):
    """An access list of one address family; `kinds` of what it drops are "dhcp", "dhcp6" and "ra"."""

    name: str
    v6: bool
    kinds: tuple[str, ...]


def make_guards(access: HostAccess) -> tuple[Guard, ...]:
    """Return the access lists of a port, IPv4 before IPv6."""
    dhcp = (Guard("NO-DHCP", False, ("dhcp",)),) if "dhcp" in access.refused else ()
    kinds = tuple(kind for kind in ("dhcp6", "ra") if kind in access.refused)
    return (*dhcp, *((Guard("NO-" + "-".join(kinds).upper(), True, kinds),) if kinds else ()))


def list_guards(view: SwitchView, bond: str) -> dict[Guard, list[str]]:
    """Return the ports and bonds of a switch that have each access list, by name.

    `bond` is the form of names of bonds, such as `Port-Channel{number}`: a port of a bond is listed as the bond.
    """
    guarded: dict[Guard, dict[str, None]] = {}
    for port in view.ports:
        for guard in make_guards(model_access(view, port)):
            guarded.setdefault(guard, {})[bond.format(number=port.bond) if port.bond else port.name] = None
    return {guard: list(guarded[guard]) for guard in sorted(guarded)}
