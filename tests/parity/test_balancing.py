"""What each NOS says of load balancing, word by word, and which seeds tiers have."""

from __future__ import annotations

import json

import pytest

from fabricgen.blueprint.sections.routing import LoadBalance
from fabricgen.views.balancing import choose_hash_seed
from tests.parity.switches import switches_of
from tests.render.rendered import ALL_EOS

PAIRS = "routing.load_balance={queue_pairs: true, seeds: auto}"


def texts(file: str, *sets: str, name: str = "leaf-spine") -> dict[str, str]:
    """By tier, a file of one switch."""
    found: dict[str, str] = {}
    for switch, files in switches_of(name, sets):
        found.setdefault(switch.tier.name, next((t for f, t in files.items() if f.endswith(file)), ""))
    return found


def test_eos_hashes_udp_by_the_bytes_of_the_queue_pair() -> None:
    text = texts(".cfg", *ALL_EOS, PAIRS)["leaf"]
    for byte in (13, 14, 15):
        assert f"udf eth-type IPv4 ip-protocol udp header outer l4 offset {byte} mask 0xff\n" in text
    assert "IPv6" not in text


def test_eos_deals_the_flows_of_hosts_on_leaves_alone() -> None:
    found = texts(".cfg", *ALL_EOS, "routing.load_balance=cluster")
    assert "   port group host p1-su01-n001\n      interface Ethernet1/1\n" in found["leaf"]
    assert "load-balance cluster" not in found["spine"]


def test_sonic_hashes_roce_by_the_queue_pair() -> None:
    row = json.loads(texts("config_db.json", PAIRS)["spine"])["SWITCH_HASH"]["GLOBAL"]
    assert {field: row[field][-1] for field in row} == {"ecmp_hash_ipv4_rdma": "RDMA_BTH_DEST_QP"}


def test_cumulus_has_a_seed_for_each_tier() -> None:
    found = texts("startup.yaml", "nos=cumulus", PAIRS)
    assert "        hash-seed: 3\n" in found["leaf"]
    assert "        hash-seed: 8\n" in found["spine"]


def test_sixteen_tiers_have_sixteen_seeds_that_every_chip_takes() -> None:
    auto = LoadBalance(seeds="auto")
    assert {choose_hash_seed(auto, "any", level) for level in range(16)} == set(range(16))


@pytest.mark.parametrize("tier", ["leaf", "spine"])
def test_without_a_word_nothing_is_said(tier: str) -> None:
    assert "load-balance" not in texts(".cfg", *ALL_EOS)[tier]
    assert "SWITCH_HASH" not in texts("config_db.json")[tier]
    assert "forwarding" not in texts("startup.yaml", "nos=cumulus")[tier]
