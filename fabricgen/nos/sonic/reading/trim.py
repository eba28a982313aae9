"""Packet trimming in a config_db.json: SWITCH_TRIMMING, profiles of queues that trim, and their map of DSCPs.

Fields: sonic-buildimage, sonic-trimming.yang and sonic-buffer-profile.yang (packet_discard_action).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.running.tree import only, unfit
from fabricgen.switch.qos import Trimming

Tables = Mapping[str, Mapping[str, Mapping[str, str]]]


def read_trimming(tables: Tables) -> Trimming | None:
    """What is trimmed, None where nothing is; raises UnknownTextError where ports do not fit to the switch."""
    trimmed = dict(_trimmed_queues(tables))
    if "SWITCH_TRIMMING" not in tables:
        if trimmed:
            unfit(f"queues are trimmed, and the switch does not say how: {sorted(trimmed)}")
        return None
    only(tables["SWITCH_TRIMMING"], "GLOBAL")
    own = tables["SWITCH_TRIMMING"]["GLOBAL"]
    only(own, "dscp_value", "queue_index", "size")
    if not (own["dscp_value"] + own["queue_index"]).isdigit():
        unfit("what is trimmed has no DSCP or queue of its own: from-tc or dynamic")
    bound = {name: row for name, row in tables["PORT_QOS_MAP"].items() if name != "global"}
    for row in bound.values():
        only(row, "dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map")
    maps = {(row["dscp_to_tc_map"], row["tc_to_pg_map"], row["tc_to_queue_map"]) for row in bound.values()}
    if set(bound) != set(trimmed) or len(maps) != 1:
        unfit("ports that trim have one map of DSCPs, and others none")
    of_dscps, of_groups, of_queues = maps.pop()
    queue_of = {int(key): int(value) for key, value in tables["TC_TO_QUEUE_MAP"][of_queues].items()}
    groups = set(tables["TC_TO_PRIORITY_GROUP_MAP"][of_groups].values())
    if groups != {"0"} or queue_of != {n: n for n in range(8)}:
        unfit("trimmed traffic is in other priority groups than 0, or in other queues than its classes")
    class_of = tables["DSCP_TO_TC_MAP"][of_dscps]
    return Trimming(
        dscp=int(own["dscp_value"]),
        size=int(own["size"]),
        traffic_class=int(own["queue_index"]),
        class_of=tuple(int(class_of[str(dscp)]) for dscp in range(64)),
        ports=trimmed,
    )


def _trimmed_queues(tables: Tables) -> Iterator[tuple[str, frozenset[int]]]:
    """(port, queues that trim) of each port that has any."""
    profiles = tables.get("BUFFER_PROFILE", {})
    trims = {name for name, row in profiles.items() if row.get("packet_discard_action") == "trim"}
    found: dict[str, set[int]] = {}
    for key, row in tables.get("BUFFER_QUEUE", {}).items():
        if row.get("profile") in trims:
            port, _, run = key.partition("|")
            first, _, last = run.partition("-")
            found.setdefault(port, set()).update(range(int(first), int(last or first) + 1))
    for port, queues in found.items():
        yield port, frozenset(queues)
