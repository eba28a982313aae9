"""gNMIc's targets are the switches, where their configurations say that they listen, under Prometheus' labels."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.conftest import built_files, example_cluster

TARGET = {"address", "event-tags"}
"""Options of a target that are written; gnmic has them (docs/user_guide/targets/targets.md)."""


@pytest.mark.parametrize(("sets", "port"), [((), "8080"), (("management.gnmi.port=50051",), "50051")])
def test_targets_listen_as_configured_under_the_labels_of_prometheus(sets: tuple[str, ...], port: str) -> None:
    files = built_files(example_cluster("monday", *sets), "gnmic", "prometheus")
    targets = yaml.safe_load(files["gnmic/targets.yaml"])
    scraped = json.loads(files["prometheus/switches.json"])
    assert {name: each["event-tags"] for name, each in targets.items()} == {
        each["labels"]["host"]: each["labels"] for each in scraped if each["labels"]["nos"] in ("sonic", "eos")
    }
    assert {name: each["address"] for name, each in targets.items()} == {
        each["labels"]["host"]: f"{each['targets'][0]}:{port}" for each in scraped
    }
    assert {key for each in targets.values() for key in each} == TARGET


def test_the_configuration_reads_the_targets_beside_it() -> None:
    files = built_files(example_cluster("monday"), "gnmic")
    told = yaml.safe_load(files["gnmic/gnmic.yaml"])
    assert f"gnmic/{told['loader']['path']}" in files
    assert {path.split("/")[1] for each in told["subscriptions"].values() for path in each["paths"]} == {
        "interfaces",
        "network-instances",
    }
    assert told["outputs"]["prometheus"]["type"] == "prometheus"
