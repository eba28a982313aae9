"""Settings that are inferred from running configurations: the same page, the same bytes, and drift that is told."""

from __future__ import annotations

import pytest

from fabricgen.adopt.settings.infer import infer_settings
from tests.adopt.settings.round_trip import (
    GOLDEN,
    build,
    build_inferred,
    find_path,
    hide_secrets,
    list_nos,
    make_trip,
    read_all,
    read_page,
    render,
    strip_page,
)
from tests.conftest import EXAMPLES, SMALLER
from tests.hall.examples import EXAMPLES as EXAMPLES_OF_HALLS
from tests.laws import law_cases
from tests.render.rendered import (
    ALL_EOS,
    BARE,
    BFD,
    BRIDGED,
    CUMULUS,
    DUAL,
    EVPN_EOS,
    EVPN_JUNOS,
    EVPN_PAIRS,
    EVPN_PAIRS_CUMULUS,
    EVPN_PAIRS_SONIC,
    EXITS_JUNOS,
    JUNOS,
    LEAKS,
    ONE_NUMBER,
    PER_RACK,
    RADIUS,
    RAILS,
    STATIC,
    TUNED,
    UNNUMBERED,
    V6,
)

MISSING = {
    "golden/cumulus-rails": 1,  # a snippet, which no reader knows
}
"""Cases that do not come back whole: the switches whose files are not the same bytes."""

CASES = (
    *EXAMPLES,
    *(f"golden/{path.name}" for path in sorted(GOLDEN.iterdir()) if path.is_dir()),
)

POOLS = "pools={loopback: 10.9.0.0/16, fabric: 10.8.0.0/16, hosts: 172.20.0.0/14, management: 192.168.0.0/16}"
FORMS = (
    *(UNNUMBERED, BARE, BRIDGED, DUAL, V6, RAILS, PER_RACK, ONE_NUMBER, BFD, TUNED, RADIUS, (POOLS,)),
    ("fabrics.compute.pools={hosts: 172.16.0.0/22}", "routing.asn={pool: 65000-65100}"),
    ("routing.asn={plan: per-switch}",),
    ("qos.profile=best-effort",),
    ("qos={profile: roce-lossy}",),
)


SERVERS = ["10.32.0.4", "10.32.0.5", "10.32.0.10", "10.32.0.11"]


@pytest.mark.slow
def test_a_page_comes_back_from_configurations() -> None:
    trip = make_trip("leaf-spine")
    assert trip.changed == []
    assert trip.inferred.sections == {
        "nos": "sonic",
        "management": {"ntp": SERVERS, "syslog": {"servers": "10.32.0.6"}},
    }
    assert not trip.inferred.lock
    assert not trip.inferred.remarks


def test_what_was_inferred_says_from_how_many_switches() -> None:
    (ntp,) = [row for row in make_trip("leaf-spine").inferred.inferences if row.path == ("management", "ntp")]
    assert (ntp.facts, ntp.total, ntp.note) == (8, 8, "")


def test_one_drifted_line_is_told_and_changes_no_section() -> None:
    path = find_path("leaf-spine")
    cluster = build(path)
    files = render(cluster)
    name = "compute-leaf-p1-su01-r1-01"
    text = files[name]["config_db.json"]
    files[name] = files[name] | {"config_db.json": text.replace('"10.32.0.11"', '"10.32.0.12"')}
    drifted = infer_settings(read_all(list_nos(cluster), files), strip_page(read_page(cluster)), path)
    assert drifted.sections == make_trip("leaf-spine").inferred.sections
    (told,) = drifted.remarks
    assert (told.kind, told.device, told.file) == ("drifted", name, "config_db.json")
    assert "10.32.0.12" in files[name]["config_db.json"].splitlines()[told.line - 1]
    assert "3 of 4 switches of leaf as planned" in told.text
    (ntp,) = [row for row in drifted.inferences if row.path == ("management", "ntp")]
    assert (ntp.facts, ntp.total, ntp.note) == (7, 8, f"not so on {name}")


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("name", law_cases("settings come back", CASES))
def test_settings_of_an_example_come_back(name: str) -> None:
    """Byte by byte, on every switch that has a configuration; no number needs a row of a list."""
    trip = make_trip(name, *SMALLER.get(name, ()))
    assert len(trip.changed) == MISSING.get(name, 0), trip.changed[:5]
    assert not trip.inferred.lock


@pytest.mark.slow
def test_a_fabric_whose_vlan_is_tagged_on_ports_of_another_is_found() -> None:
    """No cable tells of it: its hosts have the ports of the fabric that carries it."""
    path = find_path("bonded-pair")
    cluster = build(path)
    files, page = render(cluster), strip_page(read_page(cluster))
    stated = page["fabrics"].pop("files")
    inferred = infer_settings(read_all(list_nos(cluster), files), page, path)
    assert inferred.page["fabrics"]["files"] == {**stated, "vlan": 200}
    assert not inferred.remarks
    assert hide_secrets(render(build_inferred(inferred, path))) == hide_secrets(files)


@pytest.mark.slow
def test_slots_that_pods_keep_free_are_found_by_their_numbers() -> None:
    """No link tells of them: pods with slots for fifteen units begin 7.5 times as far apart as those with two."""
    path, sets = find_path("dual-tor"), EXAMPLES_OF_HALLS["dual-tor"]
    cluster = build(path, (*sets, "pods.p1.su=2"))
    files, page = render(cluster), strip_page(read_page(cluster))
    assert page["pods"]["p1"].pop("reserve") == 15
    inferred = infer_settings(read_all(list_nos(cluster), files), page, path)
    assert inferred.page["pods"]["p1"]["reserve"] == 15
    assert not inferred.lock
    assert hide_secrets(render(build_inferred(inferred, path))) == hide_secrets(files)


@pytest.mark.slow
def test_one_address_for_all_planes_of_a_nic_is_found() -> None:
    """Beside trimmed packets, whose class is none of RoCE, and addresses of management of another family."""
    trip = make_trip("multi-plane", *SMALLER["multi-plane"])
    compute = {"ip": "v6", "address_per": "nic", "qos": {"profile": "roce-lossy", "trim": {}}}
    assert trip.inferred.sections["fabrics"]["compute"] == compute
    assert trip.changed == []


@pytest.mark.slow
def test_numbers_that_no_rule_gives_are_kept_in_a_lock() -> None:
    own = "{asn: 4200000777, loopback: 10.0.15.9, links: {Ethernet224: 10.99.0.1}}"
    trip = make_trip("leaf-spine", f"address_of.compute-leaf-p1-su01-r1-01={own}")
    assert trip.inferred.sections == make_trip("leaf-spine").inferred.sections
    kept = {(row["device"], row["port"], row["asn"] or row["loopback"] or row["address"]) for row in trip.inferred.lock}
    name = "compute-leaf-p1-su01-r1-01"
    assert kept == {(name, "", "4200000777"), (name, "", "10.0.15.9"), (name, "Ethernet224", "10.99.0.1")}
    assert trip.changed == []


@pytest.mark.slow
def test_an_address_that_the_far_end_does_not_know_is_drift() -> None:
    path = find_path("leaf-spine")
    cluster = build(path)
    files = render(cluster)
    name = "compute-leaf-p1-su01-r1-01"
    text = files[name]["config_db.json"]
    files[name] = files[name] | {"config_db.json": text.replace("10.64.0.1/31", "10.99.0.1/31")}
    drifted = infer_settings(read_all(list_nos(cluster), files), strip_page(read_page(cluster)), path)
    assert drifted.sections == make_trip("leaf-spine").inferred.sections
    assert not drifted.lock
    assert {told.device for told in drifted.remarks} == {name}
    assert any(told.kind == "drifted" and "10.99.0.1/31" in told.text and told.line for told in drifted.remarks)


VARIANTS = [
    (name, sets)
    for name, sets in (
        *[("leaf-spine", (*nos, *sets)) for nos in (CUMULUS, JUNOS, ALL_EOS, ()) for sets in FORMS],
        *[("leaf-spine", (*nos, *sets)) for nos in (CUMULUS, ALL_EOS, ()) for sets in (STATIC, LEAKS)],
        *[("evpn-guests", sets) for sets in (EVPN_JUNOS, EVPN_EOS, EVPN_PAIRS, EVPN_PAIRS_CUMULUS, EVPN_PAIRS_SONIC)],
        *[("two-exits", sets) for sets in (CUMULUS, EXITS_JUNOS)],
        *[(name, CUMULUS) for name in ("monday", "bonded-pair", "collapsed-pair", "small-pair", "tenants")],
    )
]
"""Forms and settings on every NOS that has words for them."""


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize(("name", "sets"), law_cases("settings of variants come back", VARIANTS))
def test_settings_of_a_variant_come_back(name: str, sets: tuple[str, ...]) -> None:
    trip = make_trip(name, *sets)
    assert trip.changed == []
    assert not trip.inferred.lock
