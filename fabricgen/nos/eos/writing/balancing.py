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

from fabricgen.nos.eos.writing.qos import UNICAST_QUEUE_CHIPS
from fabricgen.render.escape import token
from fabricgen.views.model.forwarding import model_balancing
from fabricgen.views.switch import SwitchView

QUEUE_PAIR_AFTER_UDP = (13, 14, 15)
QUEUE_PAIR_OF_PAYLOAD = "5-7"


def balancing_values(switch: SwitchView) -> dict[str, Any]:
    """What `_balancing.j2` names: empty where nothing is asked of this chip; in `flow_groups` (host, its ports)."""
    balancing, by_place = model_balancing(switch), switch.profile.asic.startswith(UNICAST_QUEUE_CHIPS)
    families = [word for word, v in (("IPv4", "v4"), ("IPv6", "v6")) if v in balancing.queue_pairs]
    return {
        "dynamic_load_balance": balancing.by_load,
        "queue_pair_bytes": [(f, n) for f in families for n in QUEUE_PAIR_AFTER_UDP] if by_place else [],
        "queue_pair_payload": QUEUE_PAIR_OF_PAYLOAD if families and not by_place else "",
        "flow_groups": [(token(host), ",".join(map(token, p))) for host, p in sorted(balancing.groups.items())],
        "flow_aging_s": balancing.aging_s,
        "flow_prefix_length": balancing.prefix_length,
    }
