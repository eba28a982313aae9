"""What a leaf does for its hosts is read back from the files of every NOS as the plan has it."""

from __future__ import annotations

import json

import pytest
from ruamel.yaml import YAML

from fabricgen.render.checks.config_db import check_config_db
from fabricgen.running.form import differences
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.nvue_model import faults
from tests.render.rendered import ALL_EOS, BRIDGED, cluster_of

MLAG = (
    "nos={leaf: eos}",
    "fabrics.oob.nos=cumulus",
    "fabrics.inband.tiers.leaf.switch=7060dx5-32",
    "fabrics.storage.tiers.leaf.switch=7060dx5-32",
)
ONE_LEAF = "fabrics.compute.tiers.leaf.per=su"
ACCESS = (
    "access={storm_control: {broadcast: 0.5, multicast: 2, unknown_unicast: 1.25}, dhcp_guard: true, ra_guard: true}"
)
CASES = {
    "eos": ("leaf-spine", (*ALL_EOS, *BRIDGED, f"fabrics.compute.{ACCESS}")),
    "sonic": ("leaf-spine", (*BRIDGED, f"fabrics.compute.{ACCESS}")),
    "cumulus": ("leaf-spine", ("nos=cumulus", *BRIDGED, f"fabrics.compute.{ACCESS}")),
    "eos-dhcp": ("leaf-spine", (*ALL_EOS, *BRIDGED, "fabrics.compute.access={dhcp_guard: true, bpdu_guard: false}")),
    "cumulus-ra": (
        "leaf-spine",
        ("nos=cumulus", *BRIDGED, "fabrics.compute.access={ra_guard: true, bpdu_guard: false}"),
    ),
    "eos-pair": ("bonded-pair", (*MLAG, f"fabrics.inband.{ACCESS}", "fabrics.inband.lacp_fallback=true")),
    "cumulus-pair": ("bonded-pair", (f"fabrics.inband.{ACCESS}", "fabrics.inband.lacp_fallback=true")),
    "sonic-bonds": ("leaf-spine", (*BRIDGED, "fabrics.compute.bond=node", ONE_LEAF, f"fabrics.compute.{ACCESS}")),
}


@pytest.mark.parametrize(("name", "sets"), CASES.values(), ids=CASES)
def test_what_hosts_are_given_is_said(name: str, sets: tuple[str, ...]) -> None:
    cluster = cluster_of(name, *sets)
    for switch, files in switches_of(name, sets, 2):
        found = list(differences(read(switch, files), wanted(cluster, switch, files)))
        assert not found, f"{switch.name}\n{first(found)}"


@pytest.mark.parametrize("case", ["sonic", "sonic-bonds"])
def test_tables_are_sonics(case: str) -> None:
    name, sets = CASES[case]
    for _, files in switches_of(name, sets, 2):
        tables = json.loads(files["config_db.json"])
        assert not list(check_config_db(tables, cluster_of(name, *sets).design.catalog))
    assert "ACL_TABLE" in json.loads(switches_of(name, sets, 2)[0][1]["config_db.json"])


@pytest.mark.parametrize("case", ["cumulus", "cumulus-ra", "cumulus-pair"])
def test_trees_are_nvues(case: str) -> None:
    for _, files in switches_of(*CASES[case], 2):
        (item,) = YAML(typ="safe").load(files["startup.yaml"])
        assert not list(faults(item["set"]))
