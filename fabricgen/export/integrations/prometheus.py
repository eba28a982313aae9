"""prometheus/: what to scrape, under labels of the plan, and alerts that know what the plan expects; on request.

Rules are about three metrics, which sources.rules.yaml derives from usual exporters: `fabric_port_up` and
`fabric_port_gbps` by host and port, and `fabric_session_up` by host and neighbor.

Sources: Prometheus 2.42 documentation, "Configuration" (file_sd_config), "Alerting rules" and "Recording rules";
prometheus/snmp_exporter README (if_mib) with IF-MIB (RFC 2863) and BGP4-MIB (RFC 4273: 6 is established);
prometheus/node_exporter collector/netclass_linux.go (node_network_up, node_network_speed_bytes); tynany/frr_exporter
README (frr_bgp_peer_state: 1 is established).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from json import dumps
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.operations import (
    AlertProfile,
    Labels,
    list_labels,
    list_profiles,
    make_metric_labels,
    map_switch_profiles,
)
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.discovery import find_resource_dir

PLANE_SHARE = 0.9
"""Share of a plane's uplinks below which an alert fires: jobs over all planes are as slow as the slowest plane."""

Rule = dict[str, Any]


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield targets of switches and nodes, the rules, and an example of the configuration that uses them."""
    profile_list = list_profiles(cluster)
    profile_by_switch = map_switch_profiles(cluster, profile_list)
    switches, nodes = list[str](), list[str]()
    for labels in list_labels(cluster):
        profile = profile_by_switch.get(labels["device"])
        (nodes if "fabric" not in labels else switches).append(_format_target(labels, profile))
    for name, lines in (("switches", switches), ("nodes", nodes)):
        yield f"prometheus/{name}.json", ("[\n" + ",\n".join(lines) + "\n]\n").encode()
    yield "prometheus/plan.rules.yaml", "".join(_write_groups(cluster, profile_list)).encode()
    for name in ("sources.rules.yaml", "prometheus.yaml"):
        yield f"prometheus/{name}", (find_resource_dir("templates") / "prometheus" / name).read_bytes()


def _format_target(labels: Labels, profile: str | None) -> str:
    """Return a target as JSON: the address by which a device is known, else its name, without the exporter's port."""
    address = labels.get("address", labels["device"])
    return dumps(
        {"targets": [f"[{address}]" if ":" in address else address], "labels": make_metric_labels(labels, profile)}
    )


def _write_groups(cluster: Cluster, profile_list: list[AlertProfile]) -> Iterator[str]:
    """Yield a group for each profile, and one for planes, as YAML; each rule is JSON, which is YAML."""
    classes, class_of_device = cluster.plan.devices.classes, cluster.plan.devices.device_class
    noses = [classes[class_of_device[profile.switches[0]]].nos for profile in profile_list]
    # frr_exporter reports all sessions of FRR; other NOSes may leave some out, such as sessions over IPv6
    frr_flags = [cluster.design.catalog.naming(nos).systems.frr_exporter for nos in noses]
    groups = [
        (profile.name, list(_list_profile_rules(profile, sessions_told)))
        for profile, sessions_told in zip(profile_list, frr_flags, strict=True)
    ]
    groups.append(("all", list(_list_cluster_rules(cluster, profile_list))))
    yield "groups:\n"
    for name, rules in groups:
        yield f"  - name: {dumps(name)}\n    rules:\n"
        yield from (f"      - {dumps(rule)}\n" for rule in rules)


def _list_profile_rules(profile: AlertProfile, sessions_told: bool) -> Iterator[Rule]:
    """Yield the rules for switches of which the same is expected: silence, uplinks, speeds, sessions.

    `sessions_told` says whether an exporter reports all their sessions.
    """
    expected, matcher, labels = profile.expected, f'profile="{profile.name}"', {"profile": profile.name}
    count, uplinks = len(profile.switches), len(expected.uplinks)
    silent = f"(count(count by (host) (fabric_port_up{{{matcher}}})) or vector(0)) < {count}"
    summary = f"{{{{ $value }}}} of {count:,} switches of {profile.name} tell how their ports are"
    yield _make_alert("FabricSwitchesSilent", silent, "10m", summary, severity="warning", **labels)
    if uplinks:
        ports = f"{matcher}, {_match_ports(expected.uplinks)}"
        expression = f"sum by (host, fabric, tier, plane) (fabric_port_up{{{ports}}})"
        yield {"record": "fabric_uplinks_up", "expr": expression, "labels": labels}
        summary = "{{ $labels.host }} {{ $labels.port }}, an uplink, is down"
        yield _make_alert(
            "FabricUplinkDown", f"fabric_port_up{{{ports}}} == 0", "2m", summary, severity="warning", **labels
        )
        lost = f"fabric_uplinks_up{{{matcher}}} <= {uplinks / 2:g}"
        summary = f"{{{{ $labels.host }}}} has {{{{ $value }}}} of {uplinks} uplinks"
        yield _make_alert("FabricUplinksLost", lost, "1m", summary, severity="critical", **labels)
    for speed, names in expected.ports:
        planned, gbps = f"{matcher}, {_match_ports(names)}", f"{speed:g}"
        slow = f"fabric_port_gbps{{{planned}}} != {gbps} and on (host, port) fabric_port_up{{{planned}}} == 1"
        summary = f"{{{{ $labels.host }}}} {{{{ $labels.port }}}} runs at {{{{ $value }}}} Gb/s, planned: {gbps}"
        yield _make_alert("FabricPortSpeed", slow, "5m", summary, severity="warning", planned_gbps=gbps, **labels)
    if expected.sessions:
        expression = f"sum by (host) (max by (host, neighbor) (fabric_session_up{{{matcher}}})) < {expected.sessions}"
        summary = f"{{{{ $labels.host }}}} has {{{{ $value }}}} sessions, planned: {expected.sessions} or more"
        yield _make_alert("FabricSessionsMissing", expression, "5m", summary, severity="critical", **labels)
    if expected.sessions and sessions_told:
        silent = f"(count(count by (host) (fabric_session_up{{{matcher}}})) or vector(0)) < {count}"
        summary = f"{{{{ $value }}}} of {count:,} switches of {profile.name} tell of their sessions"
        yield _make_alert("FabricSessionsSilent", silent, "10m", summary, severity="warning", **labels)


def _list_cluster_rules(cluster: Cluster, profile_list: list[AlertProfile]) -> Iterator[Rule]:
    """Yield the rules for any session that is configured, and for the share of uplinks of each plane that are up."""
    down = "max by (host, neighbor, fabric, tier) (fabric_session_up) == 0"
    summary = "{{ $labels.host }} has no session with {{ $labels.neighbor }}"
    yield _make_alert("FabricSessionDown", down, "2m", summary, severity="warning")
    plane, uplink_totals = cluster.plan.devices.plane, Counter[tuple[str, int]]()
    for profile in profile_list:
        for row in profile.switches:
            uplink_totals[profile.expected.fabric, int(plane[row]) + 1] += len(profile.expected.uplinks)
    for (fabric, number), uplinks in sorted(uplink_totals.items()):
        if number and uplinks:
            labels = {"fabric": fabric, "plane": str(number)}
            expression = (
                f'sum by (fabric, plane) (fabric_uplinks_up{{fabric="{fabric}", plane="{number}"}}) / {uplinks}'
            )
            summary = (
                f"{{{{ $value | humanizePercentage }}}} of {uplinks:,} uplinks of {fabric}, plane {number}, are up"
            )
            yield _make_alert(
                "FabricPlaneDegraded", f"{expression} < {PLANE_SHARE:g}", "2m", summary, severity="critical", **labels
            )


def _make_alert(name: str, expr: str, wait: str, summary: str, **labels: str) -> Rule:
    return {"alert": name, "expr": expr, "for": wait, "labels": labels, "annotations": {"summary": summary}}


def _match_ports(names: Iterable[str]) -> str:
    """Return a matcher of ports; names have letters, digits and slashes, but a stated name may have other
    characters.
    """
    return f"port=~{dumps('|'.join(map(re.escape, names)))}"
