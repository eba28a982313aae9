"""Tenants with real packets: a matrix of who reaches whom, over two leaves and their spines."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.lab.files import Build
from tests.render import vrf_lab
from tests.render.lab_files import built
from tests.render.rendered import BRIDGED

pytestmark = [pytest.mark.daemon, vrf_lab.TRIED_TWICE]

NODES = {
    "blue": ("p1-su01-n001", "p1-su02-n001"),
    "green": ("p1-su01-n002", "p1-su02-n002", "p1-su02-n003"),
    "": ("p1-su01-n003", "p1-su01-n004", "p1-su02-n004"),
}
TENANTS = (
    'tenants.blue.nodes=["p1/su-*/node-1"]',
    'tenants.green.nodes=["p1/su-*/node-2", p1/su-2/node-3]',
    "fabrics.compute.tiers.leaf.per=su",
    "fabrics.compute.tiers.leaf.uplinks=2 x 400G",
    "fabrics.compute.tiers.spine.count=2",
)
MOVED = ('tenants.blue.nodes=["p1/su-*/node-1", p1/su-2/node-3]', 'tenants.green.nodes=["p1/su-*/node-2"]')
"""One node of the green tenant is the blue one's now."""
BELOW_CUMULUS = ("nos={leaf: sonic, spine: cumulus}",)
OWNERS = {node: tenant for tenant, nodes in NODES.items() for node in nodes}
CASES = {"routed hosts over sub-interfaces": (), "bridged hosts over sub-interfaces": BRIDGED}


@pytest.mark.parametrize("sets", CASES.values(), ids=CASES)
def test_nodes_reach_those_of_their_tenant_and_no_others(short_path: Path, sets: tuple[str, ...]) -> None:
    """Also over several leaves, and once a node has moved; nodes of nobody reach each other, and none of a tenant.

    Over EVPN: test_evpn_lab.
    """
    before, after = (Build(built("leaf-spine", *TENANTS, *BELOW_CUMULUS, *sets, *more)) for more in ((), MOVED))
    changed = {path for path, text in before.files.items() if after.files[path] != text}
    assert {path.split("/")[1] for path in changed if "/" in path} == {"compute-leaf-p1-su02-01"}
    with vrf_lab.lab(before, short_path) as lab:
        vrf_lab.reach_their_own(lab, OWNERS)
        vrf_lab.becomes(lab, after)
        vrf_lab.reach_their_own(lab, OWNERS | {"p1-su02-n003": "blue"})
