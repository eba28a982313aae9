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
from fabricgen.export.operations.devices import Labels, Profile, by_name, labelled, of_metrics, profiles
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.discovery import resource_dir

ON_REQUEST = True

PLANE_SHARE = 0.9
"""Share of a plane's uplinks below which an alert fires: jobs over all planes are as slow as the slowest."""

Rule = dict[str, Any]


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield targets of switches and nodes, the rules, and an example of the configuration that uses them."""
    found = profiles(cluster)
    profile_of = by_name(cluster, found)
    switches, nodes = list[str](), list[str]()
    for labels in labelled(cluster):
        profile = profile_of.get(labels["device"])
        (nodes if "fabric" not in labels else switches).append(_target(labels, profile))
    for name, lines in (("switches", switches), ("nodes", nodes)):
        yield f"prometheus/{name}.json", ("[\n" + ",\n".join(lines) + "\n]\n").encode()
    yield "prometheus/plan.rules.yaml", "".join(_groups(cluster, found)).encode()
    for name in ("sources.rules.yaml", "prometheus.yaml"):
        yield f"prometheus/{name}", (resource_dir("templates") / "prometheus" / name).read_bytes()


def _target(labels: Labels, profile: str | None) -> str:
    """The address by which it is known, else its name; without a port, since that is of the exporter."""
    address = labels.get("address", labels["device"])
    return dumps({"targets": [f"[{address}]" if ":" in address else address], "labels": of_metrics(labels, profile)})


def _groups(cluster: Cluster, found: list[Profile]) -> Iterator[str]:
    """A group for each profile, and one for planes; rules are JSON, which is YAML."""
    classes, of_class = cluster.plan.devices.classes, cluster.plan.devices.device_class
    noses = [classes[of_class[profile.switches[0]]].nos for profile in found]
    # frr_exporter tells sessions of FRR; of others an image or a module may tell of none, such as those over IPv6
    by_frr = [cluster.design.catalog.naming(nos).systems.frr_exporter for nos in noses]
    groups = [(profile.name, list(_of_profile(profile, told))) for profile, told in zip(found, by_frr, strict=True)]
    groups.append(("all", list(_of_all(cluster, found))))
    yield "groups:\n"
    for name, rules in groups:
        yield f"  - name: {dumps(name)}\n    rules:\n"
        yield from (f"      - {dumps(rule)}\n" for rule in rules)


def _of_profile(profile: Profile, sessions_told: bool) -> Iterator[Rule]:
    expected, of, own = profile.expected, f'profile="{profile.name}"', {"profile": profile.name}
    count, uplinks = len(profile.switches), len(expected.uplinks)
    silent = f"(count(count by (host) (fabric_port_up{{{of}}})) or vector(0)) < {count}"
    told = f"{{{{ $value }}}} of {count:,} switches of {profile.name} tell how their ports are"
    yield _alert("FabricSwitchesSilent", silent, "10m", told, severity="warning", **own)
    if uplinks:
        ports = f"{of}, {_port(expected.uplinks)}"
        up = f"sum by (host, fabric, tier, plane) (fabric_port_up{{{ports}}})"
        yield {"record": "fabric_uplinks_up", "expr": up, "labels": own}
        told = "{{ $labels.host }} {{ $labels.port }}, an uplink, is down"
        yield _alert("FabricUplinkDown", f"fabric_port_up{{{ports}}} == 0", "2m", told, severity="warning", **own)
        lost = f"fabric_uplinks_up{{{of}}} <= {uplinks / 2:g}"
        told = f"{{{{ $labels.host }}}} has {{{{ $value }}}} of {uplinks} uplinks"
        yield _alert("FabricUplinksLost", lost, "1m", told, severity="critical", **own)
    for speed, names in expected.ports:
        planned, gbps = f"{of}, {_port(names)}", f"{speed:g}"
        slow = f"fabric_port_gbps{{{planned}}} != {gbps} and on (host, port) fabric_port_up{{{planned}}} == 1"
        told = f"{{{{ $labels.host }}}} {{{{ $labels.port }}}} runs at {{{{ $value }}}} Gb/s, planned: {gbps}"
        yield _alert("FabricPortSpeed", slow, "5m", told, severity="warning", planned_gbps=gbps, **own)
    if expected.sessions:
        up = f"sum by (host) (max by (host, neighbor) (fabric_session_up{{{of}}})) < {expected.sessions}"
        told = f"{{{{ $labels.host }}}} has {{{{ $value }}}} sessions, planned: {expected.sessions} or more"
        yield _alert("FabricSessionsMissing", up, "5m", told, severity="critical", **own)
    if expected.sessions and sessions_told:
        silent = f"(count(count by (host) (fabric_session_up{{{of}}})) or vector(0)) < {count}"
        told = f"{{{{ $value }}}} of {count:,} switches of {profile.name} tell of their sessions"
        yield _alert("FabricSessionsSilent", silent, "10m", told, severity="warning", **own)


def _of_all(cluster: Cluster, found: list[Profile]) -> Iterator[Rule]:
    """Any session that is configured, and the share of uplinks of each plane of a fabric that are up."""
    down = "max by (host, neighbor, fabric, tier) (fabric_session_up) == 0"
    told = "{{ $labels.host }} has no session with {{ $labels.neighbor }}"
    yield _alert("FabricSessionDown", down, "2m", told, severity="warning")
    plane, total = cluster.plan.devices.plane, Counter[tuple[str, int]]()
    for profile in found:
        for row in profile.switches:
            total[profile.expected.fabric, int(plane[row]) + 1] += len(profile.expected.uplinks)
    for (fabric, number), uplinks in sorted(total.items()):
        if number and uplinks:
            own = {"fabric": fabric, "plane": str(number)}
            up = f'sum by (fabric, plane) (fabric_uplinks_up{{fabric="{fabric}", plane="{number}"}}) / {uplinks}'
            told = f"{{{{ $value | humanizePercentage }}}} of {uplinks:,} uplinks of {fabric}, plane {number}, are up"
            yield _alert("FabricPlaneDegraded", f"{up} < {PLANE_SHARE:g}", "2m", told, severity="critical", **own)


def _alert(name: str, expr: str, wait: str, summary: str, **labels: str) -> Rule:
    return {"alert": name, "expr": expr, "for": wait, "labels": labels, "annotations": {"summary": summary}}


def _port(names: Iterable[str]) -> str:
    """A matcher of ports; names are of letters, digits and slashes, but a stated one may have more."""
    return f"port=~{dumps('|'.join(map(re.escape, names)))}"
