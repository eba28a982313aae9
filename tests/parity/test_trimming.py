"""Packet trimming: read back as it is planned, by switches that can, and of what may be dropped alone."""

from __future__ import annotations

import json

import pytest
from ruamel.yaml import YAML

from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.nos.sonic.reading.qos import read_trimming
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.running.tree import UnknownTextError
from fabricgen.switch.model import list_differences
from fabricgen.switch.qos import PacketTrimming
from tests.conftest import example_design
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.nvue_model import faults
from tests.render.rendered import ALL_EOS, cluster_of

SN5600 = ("nos=cumulus", "fabrics.compute.tiers.leaf.switch=sn5600", "fabrics.compute.tiers.spine.switch=sn5600")
SN5640 = (
    "scalable_unit={nodes: 4 x dgx-b200}",
    "fabrics.compute.tiers={leaf: {switch: sn5640, per: [su, rail], uplinks: 4 x 400G}, spine: {switch: sn5640}}",
)
TRIMMED = "qos={profile: best-effort, trim: {dscp: 12, size: 528, traffic_class: 5}}"


def test_what_is_trimmed_is_said_and_read() -> None:
    sets = (*SN5600, TRIMMED)
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        assert not list(faults(YAML(typ="safe").load(files["startup.yaml"])[0]["set"]))
        found = read(switch, files)
        assert not (left := list(list_differences(found, wanted(cluster, switch)))), first(left)
        assert isinstance(found.trimming, PacketTrimming)
        assert (found.qos, found.trimming.class_of[11:14]) == (None, (0, 5, 0))
        assert set(found.trimming.ports) == {port.name for port in switch.ports}


def test_sonic_trims_the_lossy_queue_alone() -> None:
    """Buffers as published for the HwSKU, sonic-buildimage@086b03bd, device/mellanox/x86_64-nvidia_sn5640-r0."""
    sets = (*SN5640, TRIMMED)
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        tables = json.loads(files["config_db.json"])
        assert not list(check_config_db(tables, cluster.design.catalog))
        found = read(switch, files)
        assert not (left := list(list_differences(found, wanted(cluster, switch)))), first(left)
        assert isinstance(found.trimming, PacketTrimming)
        assert (found.qos, found.trimming.class_of[11:14]) == (None, (0, 5, 0))
        assert tables["SWITCH_TRIMMING"] == {"GLOBAL": {"dscp_value": "12", "queue_index": "5", "size": "528"}}
        plain, trimmed = (tables["BUFFER_PROFILE"][f"queue0_{word}_profile"] for word in ("lossy", "trim"))
        assert trimmed == {**plain, "packet_discard_action": "trim"}
        assert tables["DEVICE_METADATA"]["localhost"]["buffer_model"] == "traditional"
        port = switch.ports[0].name
        assert tables["BUFFER_QUEUE"][f"{port}|5"] == {"profile": "queue5_lossy_profile"}
        assert not {"PFC_WD", "WRED_PROFILE", "CABLE_LENGTH"} & set(tables)


@pytest.mark.parametrize(
    ("table", "key", "row"),
    [
        ("SWITCH_TRIMMING", "GLOBAL", {"size": "528", "dscp_value": "from-tc", "queue_index": "5"}),
        ("SWITCH_TRIMMING", "GLOBAL", {"size": "528", "dscp_value": "12", "queue_index": "5", "tc_value": "5"}),
        ("TC_TO_QUEUE_MAP", "TRIM", {str(n): str(7 - n) for n in range(8)}),
        ("TC_TO_PRIORITY_GROUP_MAP", "TRIM", {str(n): "1" for n in range(8)}),
        ("BUFFER_PROFILE", "queue0_trim_profile", {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "0"}),
    ],
)
def test_trimming_that_does_not_fit_is_not_understood(table: str, key: str, row: dict[str, str]) -> None:
    _, files = switches_of("leaf-spine", (*SN5640, TRIMMED))[0]
    tables = json.loads(files["config_db.json"])
    assert read_trimming(tables)
    tables[table][key] = row
    with pytest.raises(UnknownTextError):
        read_trimming(tables)


def test_queues_that_trim_need_a_switch_that_says_how() -> None:
    _, files = switches_of("leaf-spine", (*SN5640, TRIMMED))[0]
    tables = json.loads(files["config_db.json"])
    del tables["SWITCH_TRIMMING"]
    with pytest.raises(UnknownTextError):
        read_trimming(tables)


@pytest.mark.parametrize("sets", [("nos=cumulus",), (), ALL_EOS], ids=["spectrum-2", "sonic", "eos"])
def test_what_cannot_trim_says_so_and_is_as_before(sets: tuple[str, ...]) -> None:
    plain = switches_of("leaf-spine", (*sets, "qos={profile: best-effort}"))
    assert [f for _, f in switches_of("leaf-spine", (*sets, TRIMMED))] == [f for _, f in plain]
    found = lint(example_design("leaf-spine", *sets, TRIMMED)).findings
    assert any(d.code == "FG703" and d.message.endswith("does not support packet-trim") for d in found)
    assert not [d.message for d in found if d.code == "FG806"]


def test_a_fabric_that_is_lossless_after_all_trims_nothing() -> None:
    sets = (*SN5600, TRIMMED, "fabrics.compute.qos={profile: roce-lossless}")
    switch, files = switches_of("leaf-spine", sets)[0]
    assert read(switch, files).trimming is None
    assert "packet-trim" not in files["startup.yaml"]


@pytest.mark.parametrize("qos", ["{trim: {}}", "{profile: roce-lossless, trim: {}}"])
def test_only_what_may_be_dropped_is_trimmed(qos: str) -> None:
    with pytest.raises(InputError, match="trim needs profile: best-effort"):
        example_design("leaf-spine", f"qos={qos}")
