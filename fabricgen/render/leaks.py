"""Leaks between VRFs, for every NOS: from where a switch brings what into a VRF, a prefix list for each.

What is brought in has an AS number of its own in its path (`MARK`), wherever it goes in the VRF. Nothing that has it is
brought into a further VRF, so that two leaks are not one; and a switch of the lowest tier, which announces own routes
alone, does not announce it: those above have both VRFs, too, and bring it in themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fabricgen.render import bgp
from fabricgen.views.leaks import LEAKED_PATH, MARK
from fabricgen.views.switch import LeakSource, SwitchView

MARKED = "LEAKED"
"""The name of the list of AS paths that have the mark."""

MARKED_PATH = f"_{MARK}_"
"""Over links: what was brought in before."""

LEARNED_PATH = "[0-9]"
"""Over EVPN: all but the switch's own, whose path is empty. Others bring theirs in themselves."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What comes from another VRF, in one family: `seq` is that of its entry in the map of the VRF."""

    source: LeakSource
    v6: bool
    seq: int
    rules: bgp.Rules


def brought_into(switch: SwitchView, vrf: str) -> tuple[Brought, ...]:
    """What a switch brings into a VRF from others, IPv4 before IPv6; entries of a map of both follow on one another."""
    leaked = switch.leaked(vrf)
    found = [
        (source, v6, rules)
        for v6, has in ((False, switch.has_v4), (True, switch.has_v6))
        for source in (leaked.sources if leaked and has else ())
        if (rules := bgp.leak_rules(source, v6=v6))
    ]
    return tuple(Brought(source, v6, 10 * n, rules) for n, (source, v6, rules) in enumerate(found, 1))


OWN_LEAKED, OWN_LEAKED_PATH = "OWN-LEAKED", LEAKED_PATH
"""The list of the AS paths of what a switch has leaked itself, which it tells over EVPN."""


def tells_leaked(switch: SwitchView) -> bool:
    """Whether a switch that announces own routes alone tells what it has leaked: over EVPN."""
    return bool(switch.overlay and switch.announces_own_only and any(leaked.sources for leaked in switch.leaks))


def kept_out(switch: SwitchView) -> str:
    """The AS paths of what a switch brings into no VRF."""
    return LEARNED_PATH if switch.overlay else MARKED_PATH


def list_name(vrf: str, source: str, *, v6: bool) -> str:
    """The name of the prefix list of a source; VRFs as the NOS calls them."""
    return f"LEAKED{'6' if v6 else ''}-{vrf or 'default'}-{source or 'default'}"


def leak_map(vrf: str, *, v6: bool = False) -> str:
    """The name of the map that all must pass that is brought into a VRF."""
    return f"LEAKED{'6' if v6 else ''}-{vrf or 'default'}"


def brought_by_family(switch: SwitchView, vrf: str, vrf_name: Callable[[str], str]) -> dict[bool, dict[str, Any]]:
    """By family, IPv6 or not, the map that all must pass that is brought into a VRF, and from which VRFs by which list.

    `vrf_name` gives the NOS's name of a VRF, "" for the default one.
    """
    families: dict[bool, dict[str, Any]] = {}
    for each in brought_into(switch, vrf):
        source, own = vrf_name(each.source.vrf), vrf_name(vrf)
        leak = families.setdefault(each.v6, {"map": leak_map(own, v6=each.v6), "sources": []})
        row = {"vrf": source or "default", "list": list_name(own, source, v6=each.v6)}
        leak["sources"].append({**row, "seq": each.seq, "rules": each.rules})
    return families
