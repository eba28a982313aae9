"""What a NOS claims is asked for in some case here, whose files are read back and held against the plan."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.nos_configuration import Intent
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.switch.model import list_differences
from fabricgen.views.asked import list_asked_intents
from tests.parity import test_asked_parity, test_exit_parity, test_host_parity, test_spans
from tests.parity import test_lossy as lossy
from tests.parity import test_nos_parity as every_nos
from tests.parity import test_trimming as trimming
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import ALL_EOS, BARE, BRIDGED, CUMULUS, DUAL, EVPN_JUNOS, JUNOS, LEAKS, STATIC, cluster_of

TLS, DOMAIN = "management.tls={certificate: a.cer, key: a.key}", "management.dns={domain: lab.example}"
KEYS = "management.users.ops.ssh_keys=[ssh-rsa AAAA1, ssh-rsa AAAA2, ssh-rsa AAAA3]"
OTHER_FILES = "management.tls={certificate: a.crt, key: a.pem}"
POLLER = "management.snmp={users: {p: {auth: 'env:FABRICGEN_AUTH', privacy: 'env:FABRICGEN_PRIVACY'}}}"
GUARDED = (*BRIDGED, "fabrics.compute.access.bpdu_guard=true")
TAGGED = "fabrics.files={protocol: ethernet, carried_by: compute, host_ports: tagged, vlan: 200, vrf: default}"
BRIEF = (*DUAL, *BRIDGED, "fabrics.compute.router_advertisements={lifetime_s: 600}")
BONDED = (*BRIDGED, "fabrics.compute.bond=node", "fabrics.compute.lacp_fallback=true", test_host_parity.ONE_LEAF)
SRV6 = (
    *("fabrics.compute.ip=v6", "fabrics.compute.qos.profile=best-effort"),
    *("fabrics.compute.routing.underlay=srv6", "fabrics.compute.routing.srv6.links=true"),
)
ALONE = {
    "sonic": (TLS, *BONDED),
    "sonic, srv6": SRV6,
    "cumulus": (*CUMULUS, TLS, DOMAIN, POLLER, KEYS, *GUARDED),
    "cumulus, files of other names": (*CUMULUS, OTHER_FILES, *BRIEF),
    "cumulus, static": (*CUMULUS, *STATIC),
    "eos": (*ALL_EOS, TLS, DOMAIN, POLLER, *GUARDED),
    "junos": (*JUNOS, DOMAIN, POLLER, KEYS),
    "junos, bridged": (*JUNOS, *GUARDED, *DUAL, TAGGED),
    "junos, bare": (*JUNOS, *BARE),
    "eos, bare": (*ALL_EOS, OTHER_FILES, *BARE),
}
"""What no other case of this folder asks for, of the example `leaf-spine`."""
ON_ONE_SWITCH: dict[str, Intent] = {"maintenance": "maintenance", "ports": "port-settings"}
"""Keys of `config_of`, which are asked of single switches: tests/render/test_maintenance.py starts FRR of each NOS."""


def read_back() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the cases of this folder: an example, and what is set of it."""
    yield from (("leaf-spine", sets) for sets in ALONE.values())
    yield "evpn-guests", (*EVPN_JUNOS, *DUAL)
    for name, sets in every_nos.CASES:
        yield from ((name, every_nos.on(name, sets, nos)) for nos in every_nos.nos_of(name, sets))
    for nos, asked in test_asked_parity.CASES:
        yield "leaf-spine", test_asked_parity.HARDWARE[nos] + asked
    yield from test_host_parity.CASES.values()
    for nos, kind in test_exit_parity.list_cases(test_exit_parity.KINDS):
        yield "two-exits", (*test_exit_parity.ON[nos], *test_exit_parity.KINDS[kind])
    for nos, kind in test_exit_parity.list_cases(test_exit_parity.IN_VRF):
        yield "evpn-guests", (*test_exit_parity.GUESTS_ON[nos], *test_exit_parity.IN_VRF[kind])
    yield from (("leaf-spine", (*nos, *LEAKS)) for nos in ((), CUMULUS, ALL_EOS))
    for hardware in test_spans.HARDWARE.values():
        yield from (("two-site", (*hardware, *asked)) for asked in test_spans.ASKED.values())
    yield from (("leaf-spine", (*hardware, trimming.TRIMMED)) for hardware in (trimming.SN5600, trimming.SN5640))
    yield from (("leaf-spine", sets) for sets in lossy.CASES)


@pytest.mark.tenth
@pytest.mark.parametrize("sets", ALONE.values(), ids=ALONE)
def test_what_is_asked_is_said_and_read(sets: tuple[str, ...]) -> None:
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        unlike = list(list_differences(read(switch, files), wanted(cluster, switch)))
        assert not unlike, f"{switch.name}\n{first(unlike)}"


@pytest.mark.slow
def test_every_claim_is_read_back() -> None:
    asked: dict[str, set[Intent]] = defaultdict(set)
    for name, sets in read_back():
        design = cluster_of(name, *sets).design
        for intent, _, tiers in list_asked_intents(design):
            for tier in tiers:
                asked[tier.nos].add(intent)
    catalog = Catalog()
    unread = {
        nos: sorted(set(catalog.naming(nos).configuration.claims) - asked[nos] - set(ON_ONE_SWITCH.values()))
        for nos in every_nos.RENDERED
    }
    assert unread == {nos: [] for nos in every_nos.RENDERED}


@pytest.mark.slow
def test_every_case_of_sonic_fits_its_yang_models() -> None:
    """Whatever is claimed has the tables, fields and references of sonic-buildimage, as the schema has them."""
    catalog, judged = Catalog(), 0
    for name, sets in read_back():
        for switch, files in switches_of(name, sets, per_tier=2):
            if "config_db.json" in files:
                problems = [problem.text() for problem in check_config_db(json.loads(files["config_db.json"]), catalog)]
                assert problems == [], f"{name} {sets}: {switch.name}"
                judged += 1
    assert judged > 100
