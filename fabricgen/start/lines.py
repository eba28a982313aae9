"""Lines that pages have in common: servers of management, names, pools, and tiers of a network."""

from __future__ import annotations

from collections.abc import Mapping

POOLS = {"loopback": "10.0.0.0/16", "fabric": "10.64.0.0/12", "hosts": "172.16.0.0/12", "management": "192.168.0.0/16"}
"""Address pools of a new page."""

SERVERS = "10.32.0.0/16"
"""Where the servers of management are that a page names as an example."""

MANAGEMENT = (
    "management:                            # servers of yours, outside of the pools",
    "  ntp: [10.32.0.4, 10.32.0.5, 10.32.0.10, 10.32.0.11]",
    "  syslog: {servers: 10.32.0.6}",
)

NAMES = ('# names: {nodes: "gpu{index:04}", switches: {leaf: "{default}"}}   # docs/names.md has the fields',)


def write_pools(pools: Mapping[str, str]) -> list[str]:
    """Return address pools, where any are used."""
    listed = ", ".join(f"{name}: {prefix}" for name, prefix in pools.items())
    head = "pools:                                 # yours; no address outside of them is given"
    return [head, f"  {{{listed}}}"] if pools else []


def write_tiers(switch: str, *tiers: str) -> list[str]:
    """Tiers, written as `spine: {count: 2}`, as lines with their switch before what else they state."""
    written = []
    for tier in tiers:
        name, _, words = tier.partition(": ")
        stated = ", ".join([f"switch: {switch}", *([words.strip("{}")] if words.strip("{}") else [])])
        written.append(f"      {name}: {{{stated}}}")
    return written
