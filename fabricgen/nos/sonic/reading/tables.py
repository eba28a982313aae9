"""Tables of config_db.json that writer and reader know by name."""

from __future__ import annotations

QOS_TABLES = (
    "DSCP_TO_TC_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "PFC_WD",
    "PORT_QOS_MAP",
    "QUEUE",
    "SCHEDULER",
    "TC_TO_PRIORITY_GROUP_MAP",
    "TC_TO_QUEUE_MAP",
    "WRED_PROFILE",
)
"""Those of a fabric in which RoCE has a class of its own (sonic-buildimage, files/build_templates/qos_config.j2;
sonic-pfcwd.yang).
"""

PFC_TABLES = ("MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PFC_WD")
"""Those that only a lossless fabric has."""
