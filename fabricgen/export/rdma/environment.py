"""The environment of NCCL, RCCL and UCX: which NICs, in order of rails, and how they mark what they send.

Sources: NCCL user guide, Environment variables (NCCL_IB_HCA and NCCL_SOCKET_IFNAME: exact names after `=`;
NCCL_IB_TC; NCCL_IB_ADDR_FAMILY, since 2.21; NCCL_CROSS_NIC: 0 keeps a ring on its rail, 1 is for NICs on one switch,
2, the default, tries to keep it; NCCL_IB_QPS_PER_CONNECTION; NCCL_COLLNET_ENABLE, with the SHARP plugin). RCCL takes
the same names, of /etc/rccl.conf (ROCm/rccl, src/misc/param.cc). UCX FAQ: UCX_NET_DEVICES as DEVICE:PORT,
UCX_IB_TRAFFIC_CLASS, ucx.conf.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.export.rdma.ports import RdmaPort
from fabricgen.numbering.underlay import families

RAILS = ("rail", "rail-group")
COMPUTE = "compute"
"""The NIC role whose ports carry collectives."""


def environment(cluster: Cluster, ports: Sequence[RdmaPort], sockets: Sequence[str]) -> dict[str, Any]:
    """The values of a node's environment file; none for a node without RDMA ports of the role `compute`."""
    found = [port for port in ports if port.role == COMPUTE and (port.is_infiniband or port.is_roce)]
    if not found:
        return {}
    first = found[0]
    fabric, devices = cluster.design.fabric(first.fabric), [port.device for port in found if port.device]
    return {
        "library": "rccl" if first.driver == "ionic" else "nccl",
        "devices": ",".join(devices),
        "ucx_devices": ",".join(f"{name}:1" for name in devices),
        "traffic_class": first.traffic_class,
        "roce": first.is_roce,
        "family": "AF_INET" if "v4" in families(cluster.design, fabric) else "AF_INET6",
        "sockets": ",".join(sockets),
        "cross_nic": cross_nic(cluster, fabric),
        "sharp": runs_sharp(cluster, fabric),
        "several": bool(fabric.tiers) and any(tier.uplink for tier in fabric.tiers),
    }


def cross_nic(cluster: Cluster, fabric: FabricDesign) -> int | None:
    """NCCL_CROSS_NIC: 0 where no switch joins all rails or planes, 1 where each leaf does, 2 where those above do; None
    for a single port.
    """
    apart = {*(RAILS if fabric.rails > 1 else ()), *(("plane",) if fabric.planes > 1 else ())}
    if not apart:
        return None
    tiers = {tier.key: tier for owner in cluster.design.fabrics for tier in owner.tiers}
    if all(not apart & set(tiers[leaf].per) for leaf in fabric.leaves):
        return 1
    reached, keys = [], list(fabric.leaves)
    while keys:
        reached.append(tiers[keys.pop()])
        uplink = reached[-1].uplink
        keys += [uplink.upper] if uplink else []
    return 2 if any(not apart & set(tier.per) for tier in reached) else 0


def runs_sharp(cluster: Cluster, fabric: FabricDesign) -> bool:
    """Whether UFM runs SHARP in a fabric, as gv.cfg has it: accelerators attach, and all nodes to the lowest tier."""
    spec, levels = cluster.design.loaded.blueprint.fabrics[fabric.name], cluster.design.levels
    links = cluster.plan.links.segments
    high = any(s.tier and levels[s.tier] for s in links if s.fabric == fabric.name and s.lower_tier is None)
    accelerated = any(leg.gpu is not None for _, side in fabric.attachments for leg in side.legs)
    return fabric.protocol == "infiniband" and spec.subnet_manager == "ufm" and accelerated and not high
