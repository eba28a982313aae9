"""Compares two switches in words that belong to no NOS, after giving their ports the same names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass, replace

from fabricgen.switch.interfaces import Interface
from fabricgen.switch.model import Switch


def rename_ports(switch: Switch, name: Callable[[str], str]) -> Switch:
    """The same switch with other names of its ports; names of sessions that are addresses stay."""

    def peer_name(key: str, ports: Mapping[str, Interface]) -> str:
        return name(key) if key in ports else key

    return replace(
        switch,
        interfaces={name(port): value for port, value in switch.interfaces.items()},
        unused=frozenset(map(name, switch.unused)),
        subinterfaces={(name(port), vlan): value for (port, vlan), value in switch.subinterfaces.items()},
        bonds={
            number: replace(bond, members=frozenset(map(name, bond.members))) for number, bond in switch.bonds.items()
        },
        pair=switch.pair and replace(switch.pair, members=frozenset(map(name, switch.pair.members))),
        bgp={
            vrf: replace(bgp, peers={peer_name(key, switch.interfaces): peer for key, peer in bgp.peers.items()})
            for vrf, bgp in switch.bgp.items()
        },
        routes={
            key: replace(route, hops=frozenset((name(port), hop) for port, hop in route.hops))
            for key, route in switch.routes.items()
        },
        balancing=replace(
            switch.balancing,
            groups={host: frozenset(map(name, ports)) for host, ports in switch.balancing.groups.items()},
        ),
        qos=switch.qos and replace(switch.qos, ports={name(port): value for port, value in switch.qos.ports.items()}),
        trimming=switch.trimming
        and replace(switch.trimming, ports={name(port): value for port, value in switch.trimming.ports.items()}),
    )


def list_differences(actual: object, wanted: object, at: str = "") -> Iterator[str]:
    """Yield a line for each place where two neutral forms disagree, by its path: `bgp..peers.10.0.0.1.bfd`.

    Fields that do not count when two are compared are left out.
    """
    if actual == wanted:
        return
    if is_dataclass(actual) and type(actual) is type(wanted):
        for compared in (entry.name for entry in fields(actual) if entry.compare):
            yield from list_differences(getattr(actual, compared), getattr(wanted, compared), f"{at}{compared}.")
    elif isinstance(actual, Mapping) and isinstance(wanted, Mapping):
        for key in sorted({*actual, *wanted}, key=str):
            if key not in actual or key not in wanted:
                yield f"{at}{key}: {'missing' if key in wanted else 'not planned'}"
            else:
                yield from list_differences(actual[key], wanted[key], f"{at}{key}.")
    elif isinstance(actual, Set) and isinstance(wanted, Set):
        for word, extra in (("missing", wanted - actual), ("not planned", actual - wanted)):
            for value in sorted(extra, key=str):
                yield f"{at.rstrip('.')}: {word} {value}"
    else:
        yield f"{at.rstrip('.')}: {actual!r}, wanted {wanted!r}"
