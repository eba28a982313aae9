"""Leaks over EVPN in bgpd: what each VRF of each leaf has is what is stated of the others, from local and far leaves.

No packets, as in test_leaks_lab: no next hop leads out of a namespace.
"""

from __future__ import annotations

import time
from ipaddress import ip_network
from pathlib import Path

import pytest

from fabricgen.lab.files import Build
from tests.render import vrf_lab
from tests.render.lab_files import built
from tests.render.rendered import EVPN_LEAKS
from tests.render.test_leaks_lab import hosts, tables

pytestmark = [pytest.mark.daemon, vrf_lab.TRIED_TWICE]

STATED = ip_network("10.128.0.0/25")
"""What red shows of its hosts."""


def test_vrfs_without_a_common_leaf_have_what_is_stated(short_path: Path) -> None:
    """Blue is on one leaf and green on the other; red, which green leaks with as well, hears nothing of blue."""
    build = Build(built("leaf-spine", *EVPN_LEAKS))
    own = {vrf: hosts(build, vrf) for vrf in ("blue", "green", "red")}
    shown = {prefix for prefix in own["red"] if ip_network(prefix).subnet_of(STATED)}  # type: ignore[arg-type]
    assert all(own.values())
    should = {
        "blue": own["blue"] | own["green"],
        "green": own["green"] | own["blue"] | shown,
        "red": own["red"] | own["green"],
    }
    wanted = {
        (switch, vrf): should[vrf] for switch in build.switches for vrf in build.forms[switch].vrfs if vrf in should
    }
    assert len(wanted) == 6
    with vrf_lab.lab(build, short_path) as lab:
        deadline = time.monotonic() + 300
        while (found := tables(lab, wanted)) != wanted and time.monotonic() < deadline:
            time.sleep(0.3)
        assert found == wanted, {key: found[key] ^ table for key, table in wanted.items() if found[key] != table}
