"""Load balancing of SONiC: the fields by which RoCE is hashed over equal paths.

SWITCH_HASH has a list of fields for each kind of packet in images with sonic-buildimage 27335, sonic-swss 4568 (open
in 2026; FG763); those of RoCE get the destination queue pair beside the five that flows have. Other packets
are hashed as the image does. The chip's SAI says which fields it takes (`show switch-hash capabilities`), and orchagent
refuses others. The seed is the image's, by the type of the switch.
"""

from __future__ import annotations

from typing import Any

from fabricgen.views.model.forwarding import model_balancing
from fabricgen.views.switch import SwitchView

FLOW_FIELDS = ("DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT")
QUEUE_PAIR = "RDMA_BTH_DEST_QP"


def balancing_values(switch: SwitchView) -> dict[str, Any]:
    """Rows of SWITCH_HASH; none where RoCE is hashed as the image does it."""
    fields, families = [*FLOW_FIELDS, QUEUE_PAIR], sorted(model_balancing(switch).queue_pairs)
    rows = {"GLOBAL": {f"ecmp_hash_ip{family}_rdma": fields for family in families}}
    return {"SWITCH_HASH": rows if families else {}}
