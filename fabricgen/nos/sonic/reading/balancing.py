"""SONiC's hashes read back (sonic-hash.yang)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.running.tree import UnknownTextError, only
from fabricgen.switch.balancing import Balancing

_FLOW = {"DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT"}


def read_balancing(table: Mapping[str, Mapping[str, Any]]) -> Balancing:
    """How equal paths are chosen, from the rows of SWITCH_HASH; raises UnknownTextError for other hashes of RoCE."""
    only(table, "GLOBAL")
    row = table.get("GLOBAL", {})
    only(row, "ecmp_hash_ipv4_rdma", "ecmp_hash_ipv6_rdma")
    if any(set(fields) != _FLOW | {"RDMA_BTH_DEST_QP"} for fields in row.values()):
        raise UnknownTextError(f"a hash of RoCE by other fields: {row}")
    return Balancing(queue_pairs=frozenset(f"v{field.removeprefix('ecmp_hash_ipv')[0]}" for field in row))
