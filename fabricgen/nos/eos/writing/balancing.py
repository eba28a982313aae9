"""Values of EOS's load balancing: by load, by queue pair, or the flows of hosts in turn.

Hashes of Tomahawk and Trident take bytes of a header by their place: the destination queue pair is bytes 5 to 7 of
RoCE's base transport header (InfiniBand Architecture Specification, volume 1, 9.2), after 8 of UDP; only of UDP
packets, since bytes 13 to 15 of TCP change within a flow (RFC 9293). Jericho has a profile, in which bytes are counted
from the UDP payload and only of port 4791. Sources: aristanetworks/avd, issues 4925, 5004 and 5386; pyavd 6.4, whose
templates the tests hold this to; Arista TOIs `Conditional UDP Payload Hashing` (EOS 4.33.1F) and `Cluster Load
Balancing` (EOS 4.32.2F).
"""

from __future__ import annotations

from typing import Any

from fabricgen.catalog.naming import NosNaming
from fabricgen.nos.eos.writing.qos import UNICAST_QUEUE_CHIPS
from fabricgen.render.escape import token
from fabricgen.views.switch import SwitchView

QUEUE_PAIR_AFTER_UDP = (13, 14, 15)
QUEUE_PAIR_OF_PAYLOAD = "5-7"


def balancing_values(switch: SwitchView, naming: NosNaming) -> dict[str, Any]:
    """What `_balancing.j2` names: empty where nothing is asked of this chip."""
    asked, refusal = switch.fabric.balancing, naming.configuration.explain_refusal
    asic = switch.profile.asic
    by_load = asked.mode == "dynamic" and not refusal("dynamic-load-balance", asic)
    by_pair = asked.queue_pairs and not refusal("hash-queue-pairs", asic)
    by_place = asic.startswith(UNICAST_QUEUE_CHIPS)
    families = [word for word, routed in (("IPv4", switch.has_v4), ("IPv6", switch.has_v6)) if routed]
    return {
        "dynamic_load_balance": by_load,
        "queue_pair_bytes": [(f, n) for f in families for n in QUEUE_PAIR_AFTER_UDP] if by_pair and by_place else [],
        "queue_pair_payload": QUEUE_PAIR_OF_PAYLOAD if by_pair and not by_place else "",
        "flow_groups": _groups(switch) if asked.mode == "cluster" and not refusal("cluster-load-balance", asic) else [],
        "flow_aging_s": asked.flow_aging_s,
        "flow_prefix_length": _prefix_length(switch),
    }


def _groups(switch: SwitchView) -> list[tuple[str, str]]:
    """(host, its ports) of a leaf with routed hosts in IPv4, the form of packets that EOS deals."""
    ports: dict[str, list[str]] = {}
    for port in switch.ports:
        if port.role == "host" and port.address and not port.bond:
            ports.setdefault(token(port.peer), []).append(token(port.name))
    return [(host, ",".join(names)) for host, names in sorted(ports.items())]


def _prefix_length(switch: SwitchView) -> int:
    """The length of the block of a leaf's hosts, by which far leaves are told apart; 0 without one."""
    blocks = (service.host_subnet for service in switch.services if service.host_subnet and not service.gateways)
    return int(next(blocks, "/0").partition("/")[2])
