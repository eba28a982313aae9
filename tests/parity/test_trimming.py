"""Packet trimming: read back as it is planned, by switches that can, and of what may be dropped alone."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.running.form import Trimming, differences
from tests.conftest import example_design
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.nvue_model import faults
from tests.render.rendered import ALL_EOS, cluster_of

SN5600 = ("nos=cumulus", "fabrics.compute.tiers.leaf.switch=sn5600", "fabrics.compute.tiers.spine.switch=sn5600")
TRIMMED = "qos={profile: best-effort, trim: {dscp: 12, size: 528, traffic_class: 5}}"


def test_what_is_trimmed_is_said_and_read() -> None:
    sets = (*SN5600, TRIMMED)
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        assert not list(faults(YAML(typ="safe").load(files["startup.yaml"])[0]["set"]))
        found = read(switch, files)
        assert not (left := list(differences(found, wanted(cluster, switch, files)))), first(left)
        assert isinstance(found.trimming, Trimming)
        assert (found.qos, found.trimming.class_of[11:14]) == (None, (0, 5, 0))
        assert set(found.trimming.ports) == {port.name for port in switch.ports}


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
