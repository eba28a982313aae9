"""Graphviz reads topology.dot, and it has the links between switches as links.csv does."""

from __future__ import annotations

import csv
import shutil
import subprocess

import pytest

from tests.conftest import built_files, example_cluster, require

pytestmark = pytest.mark.daemon

EDGES = 'E { printf("%s,%s,%s,%s\\n", $.tail.name, $.tailport, $.head.name, $.headport) }'


def test_graphviz_reads_the_links_between_switches() -> None:
    """Every edge with its ports, as links.csv has it; nodes, InfiniBand and management ports are left out."""
    require("" if shutil.which("gvpr") else "Graphviz is missing: `apt-get install graphviz` to read topology.dot")
    files = built_files(example_cluster("full-cluster"), "ptm", "links", "devices")
    read = subprocess.run(["gvpr", EDGES], input=files["ptm/topology.dot"], capture_output=True, check=True)
    assert read.stderr == b""
    devices = {row["device"]: row for row in csv.DictReader(files["devices.csv"].decode().splitlines())}
    ethernet = {name for name, row in devices.items() if row["nos"] == "sonic"}
    planned = [
        f"{row['a_device']},{row['a_port']},{row['b_device']},{row['b_port']}"
        for row in csv.DictReader(files["links.csv"].decode().splitlines())
        if {row["a_device"], row["b_device"]} <= ethernet and row["a_port"] != "eth0"
    ]
    assert len(planned) > 100
    assert sorted(read.stdout.decode().splitlines()) == sorted(planned)
