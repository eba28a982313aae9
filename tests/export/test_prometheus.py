"""promtool takes what is written for Prometheus; alerts fire for what is not as planned, and for nothing else."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import built_files, example_cluster, require

pytestmark = pytest.mark.daemon

Series = dict[tuple[str, str, str], str]
"""Values by metric, host and port or neighbor, in promtool's form."""

LEAF = "compute-leaf-p1-su01-01"


def promtool(folder: Path, *arguments: str) -> None:
    require("" if shutil.which("promtool") else "promtool is missing: `apt-get install prometheus` to try the rules")
    ran = subprocess.run(["promtool", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is built for monday, with its lists."""
    made = tmp_path_factory.mktemp("prometheus")
    for path, content in built_files(example_cluster("monday"), "prometheus", "links", "devices").items():
        (made / Path(path).name).write_bytes(content)
    return made


def targets(folder: Path) -> dict[str, dict[str, str]]:
    """Labels of switches by name."""
    return {each["labels"]["host"]: each["labels"] for each in json.loads((folder / "switches.json").read_text())}


def as_planned(folder: Path) -> Series:
    """Every port of a link is up at its speed, and links between switches have sessions, as exporters tell it."""
    found, hosts = Series(), targets(folder)
    for row in csv.DictReader((folder / "links.csv").read_text().splitlines()):
        for here, there in (("a", "b"), ("b", "a")):
            host, port, peer = row[f"{here}_device"], row[f"{here}_port"], row[f"{there}_device"]
            if host in hosts and port != "eth0":
                found["node_network_up", host, port] = "1x30"
                found["node_network_speed_bytes", host, port] = f"{float(row['speed_gbps']) * 1e9 / 8:.0f}x30"
                if peer in hosts and row[f"{there}_port"] != "eth0":
                    found["frr_bgp_peer_state", host, port] = "1x30"
    return found


def tell(folder: Path, series: Series, alerts: dict[str, list[dict[str, Any]]]) -> None:
    """Let promtool evaluate the rules over half an hour of values, and compare what fires at its end."""
    hosts = targets(folder)
    rows = []
    for (metric, host, of), values in series.items():
        labels = hosts[host] | {"peer" if metric == "frr_bgp_peer_state" else "device": of}
        told = ", ".join(f"{name}={json.dumps(text)}" for name, text in labels.items())
        rows.append({"series": f"{metric}{{{told}}}", "values": values})
    tests = [{"eval_time": "29m", "alertname": name, "exp_alerts": exp} for name, exp in alerts.items()]
    told = {
        "rule_files": ["plan.rules.yaml", "sources.rules.yaml"],
        "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": rows, "alert_rule_test": tests}],
    }
    (folder / "tests.yaml").write_text(json.dumps(told))
    promtool(folder, "test", "rules", "tests.yaml")


ALERTS = (
    "FabricSwitchesSilent",
    "FabricUplinkDown",
    "FabricUplinksLost",
    "FabricPortSpeed",
    "FabricSessionsMissing",
    "FabricSessionsSilent",
    "FabricSessionDown",
    "FabricPlaneDegraded",
)


def test_promtool_takes_the_rules_and_the_configuration(folder: Path) -> None:
    promtool(folder, "check", "rules", "plan.rules.yaml", "sources.rules.yaml")
    promtool(folder, "check", "config", "prometheus.yaml")
    devices = {row["device"]: row for row in csv.DictReader((folder / "devices.csv").read_text().splitlines())}
    told = [each for name in ("switches", "nodes") for each in json.loads((folder / f"{name}.json").read_text())]
    asked = {each["labels"]["host"]: each["targets"] for each in told}
    assert {n: asked[n] for n, r in devices.items() if r["fabric"]} == {
        n: [r["mgmt"] or r["loopback"]] for n, r in devices.items() if r["fabric"]
    }
    nodes = {n: ip_address(asked[n][0]) for n, r in devices.items() if r["tier"] == "node" and r["pod"]}
    assert len(nodes) == 8
    assert all(address in ip_network("172.16.0.0/22") for address in nodes.values()), "not the BMC"
    for each in told:
        row = devices[each["labels"].pop("host")]
        assert each["labels"].pop("profile", "") == "" or row["nos"]
        assert each["labels"] == {name: row[name] for name in each["labels"]}


def test_no_alert_fires_where_all_is_as_planned(folder: Path) -> None:
    tell(folder, as_planned(folder), {name: [] for name in ALERTS})


def test_alerts_fire_for_what_is_not_as_planned(folder: Path) -> None:
    """Half of a leaf's uplinks are down and their sessions; a port is slow, and a switch tells nothing."""
    series, leaf = as_planned(folder), targets(folder)[LEAF]
    links = list(csv.DictReader((folder / "links.csv").read_text().splitlines()))
    uplinks = [row["a_port"] for row in links if row["a_device"] == LEAF and row["fabric"] == "compute"]
    slow = next(row["b_port"] for row in links if row["b_device"] == LEAF)
    down = uplinks[::2]
    for port in down:
        series["node_network_up", LEAF, port] = "0x30"
        series["frr_bgp_peer_state", LEAF, port] = "0x30"
    series["node_network_speed_bytes", LEAF, slow] = "12500000000x30"
    silent = next(host for host, labels in targets(folder).items() if labels["profile"] == "compute-spine-1")
    series = {key: values for key, values in series.items() if key[1] != silent}
    where = {name: leaf[name] for name in ("fabric", "tier", "pod", "su", "rack", "plane", "profile") if name in leaf}
    of, half = {"severity": "critical", "profile": "compute-leaf-1"}, len(uplinks) // 2
    device = {name: leaf[name] for name in ("fabric", "tier", "plane")}
    planes = sum(row["fabric"] == "compute" and row["a_device"].startswith("compute-leaf") for row in links)
    tell(
        folder,
        series,
        {
            "FabricUplinkDown": [
                _alert(
                    {**where, "host": LEAF, "port": port, "severity": "warning"}, f"{LEAF} {port}, an uplink, is down"
                )
                for port in down
            ],
            "FabricUplinksLost": [
                _alert({**of, **device, "host": LEAF}, f"{LEAF} has {half} of {len(uplinks)} uplinks"),
            ],
            "FabricSessionsMissing": [
                _alert({**of, "host": LEAF}, f"{LEAF} has {half} sessions, planned: {len(uplinks)} or more")
            ],
            "FabricSessionDown": [
                _alert(
                    {name: leaf[name] for name in ("fabric", "tier")}
                    | {"host": LEAF, "neighbor": port, "severity": "warning"},
                    f"{LEAF} has no session with {port}",
                )
                for port in down
            ],
            "FabricPortSpeed": [
                _alert(
                    {**where, "host": LEAF, "port": slow, "severity": "warning", "planned_gbps": "400"},
                    f"{LEAF} {slow} runs at 100 Gb/s, planned: 400",
                )
            ],
            "FabricSwitchesSilent": [
                _alert(
                    {"severity": "warning", "profile": "compute-spine-1"},
                    "3 of 4 switches of compute-spine-1 tell how their ports are",
                )
            ],
            "FabricSessionsSilent": [
                _alert(
                    {"severity": "warning", "profile": "compute-spine-1"},
                    "3 of 4 switches of compute-spine-1 tell of their sessions",
                )
            ],
            "FabricPlaneDegraded": [
                _alert(
                    {"severity": "critical", "fabric": "compute", "plane": "1"},
                    f"75% of {planes} uplinks of compute, plane 1, are up",
                )
            ],
        },
    )


def _alert(labels: dict[str, str], summary: str) -> dict[str, Any]:
    return {"exp_labels": labels, "exp_annotations": {"summary": summary}}
