"""Arista AVD on a leaf-spine, in an environment of its own: `python peer_avd.py LEAVES SPINES FOLDER`.

Inputs of `eos_designs` for routed leaves and spines (eBGP, a /31 a link, no overlay), then facts, structured
configuration and text of every switch, as AVD's documentation has it; the texts go to FOLDER.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def inputs(leaves: int, spines: int) -> dict[str, dict[str, Any]]:
    """What AVD is told of each switch."""
    spine_names = [f"spine{n}" for n in range(1, spines + 1)]
    uplinks = [f"Ethernet{n}" for n in range(1, spines + 1)]
    common: dict[str, Any] = {
        "fabric_name": "LEAF-SPINE",
        "underlay_routing_protocol": "ebgp",
        "overlay_routing_protocol": "none",
        "design": {"type": "l3ls-evpn"},
        "spine": {
            "defaults": {"platform": "7816R3", "bgp_as": "65100", "loopback_ipv4_pool": "10.255.0.0/20"},
            "nodes": [{"name": name, "id": n} for n, name in enumerate(spine_names, 1)],
        },
        "l3leaf": {
            "defaults": {
                "platform": "7060X6",
                "loopback_ipv4_pool": "10.254.0.0/20",
                "loopback_ipv4_offset": spines,
                "uplink_switches": spine_names,
                "uplink_interfaces": uplinks,
                "uplink_ipv4_pool": "10.0.0.0/12",
                "vtep": False,
                "mlag": False,
            },
            "nodes": [
                {
                    "name": f"leaf{n}",
                    "id": n,
                    "bgp_as": str(4_200_000_000 + n),
                    "uplink_switch_interfaces": [f"Ethernet{n}"] * spines,
                }
                for n in range(1, leaves + 1)
            ],
        },
    }
    kinds = ("spine", "l3leaf")
    return {node["name"]: {**common, "type": kind} for kind in kinds for node in common[kind]["nodes"]}


def main() -> None:
    """Write the configuration of every switch."""
    from pyavd import get_avd_facts, get_device_config, get_device_structured_config  # type: ignore[import-untyped]

    leaves, spines, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    told = inputs(leaves, spines)
    facts = get_avd_facts(told)
    for name, variables in told.items():
        text = get_device_config(get_device_structured_config(name, variables, facts))
        (folder / f"{name}.cfg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
