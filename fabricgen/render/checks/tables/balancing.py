"""Load balancing: the fields that packets are hashed by.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-hash.yang, whose lists are JSON lists.
"""

from itertools import product
from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, table

_INNER = ("DST_MAC", "SRC_MAC", "ETHERTYPE", "IP_PROTOCOL", "DST_IP", "SRC_IP", "L4_DST_PORT", "L4_SRC_PORT")
_OUTER = ("IN_PORT", "VLAN_ID", "IPV6_FLOW_LABEL", "RDMA_BTH_OPCODE", "RDMA_BTH_DEST_QP")
FIELDS = k.listed(k.one_of(*_INNER, *(f"INNER_{field}" for field in _INNER), *_OUTER))
ALGORITHMS = ("CRC", "XOR", "RANDOM", "CRC_32LO", "CRC_32HI", "CRC_CCITT", "CRC_XOR")
_KINDS = ("", "_ipv4", "_ipv6", "_ipnip", "_ipv4_rdma", "_ipv6_rdma")
LISTED = tuple(f"{over}_hash{kind}" for over, kind in product(("ecmp", "lag"), _KINDS))
"""Names of the lists."""


class Hash(Row):
    """SWITCH_HASH|GLOBAL."""

    ecmp_hash: Annotated[str, Is(FIELDS)] = ""
    ecmp_hash_ipv4: Annotated[str, Is(FIELDS)] = ""
    ecmp_hash_ipv6: Annotated[str, Is(FIELDS)] = ""
    ecmp_hash_ipnip: Annotated[str, Is(FIELDS)] = ""
    ecmp_hash_ipv4_rdma: Annotated[str, Is(FIELDS)] = ""
    ecmp_hash_ipv6_rdma: Annotated[str, Is(FIELDS)] = ""
    lag_hash: Annotated[str, Is(FIELDS)] = ""
    lag_hash_ipv4: Annotated[str, Is(FIELDS)] = ""
    lag_hash_ipv6: Annotated[str, Is(FIELDS)] = ""
    lag_hash_ipnip: Annotated[str, Is(FIELDS)] = ""
    lag_hash_ipv4_rdma: Annotated[str, Is(FIELDS)] = ""
    lag_hash_ipv6_rdma: Annotated[str, Is(FIELDS)] = ""
    ecmp_hash_algorithm: Annotated[str, Is(k.one_of(*ALGORITHMS))] = ""
    lag_hash_algorithm: Annotated[str, Is(k.one_of(*ALGORITHMS))] = ""


TABLES = (table("SWITCH_HASH", (k.one_of("GLOBAL"), Hash)),)
