"""Load balancing in a startup.yaml: `forwarding` of `system`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.running.tree import only


def read_seed(system: Mapping[str, Any]) -> int | None:
    """The seed of the hash; None where switchd draws one."""
    found = system.get("forwarding", {})
    only(found, "hash-seed", "packet-trim")
    return int(found["hash-seed"]) if "hash-seed" in found else None
