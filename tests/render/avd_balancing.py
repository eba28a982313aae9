"""What AVD is told of how a switch spreads load over equal paths, from its view alone."""

from __future__ import annotations

from typing import Any

from fabricgen.views.switch import SwitchView


def balancing(switch: SwitchView) -> dict[str, Any]:
    """By load, by the queue pair of RoCE, or the flows of hosts in turn."""
    asked, tomahawk = switch.fabric.balancing, switch.profile.asic.startswith("Tomahawk")
    found: dict[str, Any] = {}
    if asked.mode == "dynamic" and tomahawk:
        found["ip_hardware"] = {"fib": {"load_balance_distribution": {"dynamic": {"enabled": True}}}}
    if asked.queue_pairs and tomahawk:
        found["port_channel"] = {
            "load_balance_trident_udf": [
                {"eth_type": f"ip{v}", "ip_protocol": "udp", "header": "outer_l4", "offset": n, "mask": "0xff"}
                for v in switch.fabric.families
                for n in (13, 14, 15)
            ]
        }
    elif asked.queue_pairs and switch.profile.asic.startswith("Jericho"):
        fields = {"udp": {"dst_port": 4791, "payload_bytes": "5-7"}}
        found["load_balance"] = {"policies": {"sand_profiles": [{"name": "default", "fields": fields}]}}
    hosts = {port.peer for port in switch.ports if port.role == "host" and port.address}
    if asked.mode == "cluster" and hosts:
        (block,) = {service.host_subnet for service in switch.services if service.host_subnet}
        found.setdefault("load_balance", {})["cluster"] = {
            "forwarding_type": "routed ipv4",
            "destination_grouping": "prefix length",
            "prefix_length": int(block.rpartition("/")[2]),
            "load_balance_method_flow_round_robin": True,
            "flow": {"source_learning_aging_timeout": asked.flow_aging_s},
            "port_groups": [
                {"group": host, "interface": ",".join(p.name for p in switch.ports if p.peer == host and p.address)}
                for host in sorted(hosts)
            ],
        }
    return found
