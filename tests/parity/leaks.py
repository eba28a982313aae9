"""What the files of a switch are to say of leaks between its VRFs, from its view."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.switch.routing import Permit, Policy
from fabricgen.views.switch import SwitchView


def leaks_into(switch: SwitchView, vrf: str) -> dict[str, Policy]:
    """By VRF that a switch has, what it brings from there into another."""
    return {
        source.vrf: Policy(
            frozenset(_permits(switch, source.prefixes)), own_only=switch.overlay is not None and switch.nos != "eos"
        )
        for leaked in switch.leaks
        for source in leaked.sources
        if leaked.vrf == vrf
    }


def _permits(switch: SwitchView, prefixes: tuple[str, ...]) -> Iterator[Permit]:
    """Subnets of hosts in these, of families that the switch routes: up to links of two addresses."""
    for network in map(ip_network, prefixes):
        if f"v{network.version}" in switch.fabric.families:
            yield Permit(str(network), network.prefixlen, max(network.prefixlen, network.max_prefixlen - 1))
