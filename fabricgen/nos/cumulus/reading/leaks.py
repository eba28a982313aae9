"""Leaks between the VRFs of a startup.yaml: `route-import from-vrf` of an address family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.running.tree import only, unfit

ON = "enabled"


def vrf_of(name: str) -> str:
    """The blueprint's name of a VRF; "" for the default one."""
    return "" if name == "default" else name.removeprefix("vrf_")


def brought_in(row: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """(VRFs whose routes are brought in, the maps that these pass); raises UnknownTextError where that is off."""
    only(row, "from-vrf")
    found = row["from-vrf"]
    only(found, "list", "route-map", "state")
    if found["state"] != ON:
        unfit("route-import from-vrf is off")
    return set(map(vrf_of, found["list"])), {found["route-map"]} if "route-map" in found else set()
