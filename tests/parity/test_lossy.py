"""RoCE in a lossy class: marked and never paused, read back as it is planned, on every NOS that claims it."""

from __future__ import annotations

import json

import pytest
from ruamel.yaml import YAML

from fabricgen.lint.engine import lint
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.switch.model import Switch, list_differences
from fabricgen.switch.qos import Ecn, PortQos, Queue
from tests.conftest import example_design
from tests.parity.switches import first, read, switches_of, wanted
from tests.parity.test_trimming import SN5600, SN5640
from tests.render.nvue_model import faults
from tests.render.rendered import ALL_EOS, JUNOS, cluster_of

LOSSY = "qos={profile: roce-lossy, ecn: {400G: 200-400}, cnp_max_percent: 5}"
TRIMMED = "qos={profile: roce-lossy, trim: {dscp: 12, traffic_class: 5}}"
TUNED = "qos={profile: roce-lossy, roce_class: 5, cnp_class: 2, roce_percent: 61, trim: {traffic_class: 6}}"
ON = {"sonic": (), "sonic, lossy buffers": SN5640, "eos": ALL_EOS, "cumulus": SN5600, "junos": JUNOS}
CASES = [(*hardware, asked) for hardware in ON.values() for asked in (LOSSY, TRIMMED, TUNED)]
PAUSES = ("PFC", "pfc", "priority-flow-control", "no-loss", "lossless_profile", "congestion-notification-profile")
"""What a file would say of pauses."""


@pytest.mark.tenth
@pytest.mark.parametrize("sets", CASES, ids="+".join)
def test_a_lossy_class_is_said_and_read(sets: tuple[str, ...]) -> None:
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        found = read(switch, files)
        assert not (left := list(list_differences(found, wanted(cluster, switch)))), first(left)
        assert found.qos
        assert found.qos.watchdog is None
        assert {(port.pfc, port.watched) for port in found.qos.ports.values()} == {(frozenset(), frozenset())}
        assert not [word for word in PAUSES for text in files.values() if word in text]
        assert all(sum(queue.share for queue in port.queues.values()) == 100 for port in found.qos.ports.values())


def port_of(found: Switch, name: str) -> PortQos:
    assert found.qos
    return found.qos.ports[name]


@pytest.mark.parametrize("hardware", [SN5600, SN5640], ids=["cumulus", "sonic"])
def test_what_is_trimmed_is_roce_and_goes_on_by_a_share_of_its_own(hardware: tuple[str, ...]) -> None:
    """As NVIDIA's QoS for MRC: the class of data is marked and trimmed, what is left has another, by its weight."""
    for switch, files in switches_of("leaf-spine", (*hardware, TRIMMED)):
        found = read(switch, files)
        assert found.qos
        assert found.trimming
        assert found.trimming.class_of == found.qos.class_of
        assert {found.qos.class_of[dscp] for dscp in (12, 26, 48, 0, 11)} == {5, 3, 6, 0}
        assert set(found.trimming.ports.values()) == {frozenset({3})}
        for port in switch.ports:
            low, high = ((256, 512) if switch.is_lowest else (512, 768)) if port.speed_gbps == 400 else (64, 128)
            ecn = Ecn(low, high, 100)
            queues = {0: Queue(False, 25), 3: Queue(False, 50, ecn), 5: Queue(False, 25), 6: Queue(True)}
            assert port_of(found, port.name).queues == queues


def test_nvue_takes_a_lossy_class_and_all_of_the_buffer_is_for_it() -> None:
    for _, files in switches_of("leaf-spine", (*SN5600, TRIMMED)):
        tree = YAML(typ="safe").load(files["startup.yaml"])[0]["set"]
        assert not list(faults(tree))
        assert tree["qos"]["traffic-pool"] == {"default-lossy": {"memory-percent": 100}}
        assert not {"pfc", "pfc-watchdog"} & set(tree["qos"])


@pytest.mark.parametrize(("asked", "profile"), [(LOSSY, "queue0_lossy_profile"), (TRIMMED, "queue3_trim_profile")])
def test_the_queue_of_roce_has_room_on_sonic(asked: str, profile: str) -> None:
    """Published for the HwSKU, queue 3 gets a 128th of what is free; data gets what class 0 has: as much as is free."""
    sets = (*SN5640, asked)
    for switch, files in switches_of("leaf-spine", sets):
        tables = json.loads(files["config_db.json"])
        assert not list(check_config_db(tables, cluster_of("leaf-spine", *sets).design.catalog))
        port = switch.ports[0].name
        assert tables["BUFFER_QUEUE"][f"{port}|3"] == {"profile": profile}
        assert tables["BUFFER_PROFILE"][profile]["dynamic_th"] == "0"
        assert tables["BUFFER_QUEUE"][f"{port}|0"] == {"profile": "queue0_lossy_profile"}
        assert set(tables["TC_TO_PRIORITY_GROUP_MAP"]["ROCE"].values()) == {"0"}
        assert set(tables["PORT_QOS_MAP"][port]) == {"dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map"}
        assert ("SWITCH_TRIMMING" in tables) == (asked == TRIMMED)


@pytest.mark.tenth
@pytest.mark.parametrize("hardware", ON.values(), ids=ON)
def test_best_effort_with_thresholds_is_the_same(hardware: tuple[str, ...]) -> None:
    short, long = "{profile: roce-lossy, ecn_min_kb: 100}", "{profile: best-effort, ecn_min_kb: 100}"
    one, other = ([files for _, files in switches_of("leaf-spine", (*hardware, f"qos={qos}"))] for qos in (short, long))
    assert one == other
    found = lint(example_design("leaf-spine", *hardware, f"qos={long}")).findings
    assert not [d.message for d in found if d.code in ("FG701", "FG806")]


def test_thresholds_of_the_cluster_mark_nothing_in_a_fabric_that_is_best_effort_by_itself() -> None:
    sets = ("qos={ecn_min_kb: 100}", "fabrics.compute.qos={profile: best-effort}")
    assert [read(switch, files).qos for switch, files in switches_of("leaf-spine", sets)] == [None] * 8
