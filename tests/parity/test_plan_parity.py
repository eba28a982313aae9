"""What the files of every example say is what was planned, and a file that says less or other is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from fabricgen.kernel.nos_rooms import load_part
from fabricgen.running.tree import UnknownTextError, tolerate_unknown_text
from fabricgen.switch.model import list_differences
from tests.parity.asked import MANAGED, TUNED
from tests.parity.switches import Files, first, read, switches_of, wanted
from tests.render.rendered import (
    ALL_EOS,
    BARE,
    BFD,
    BRIDGED,
    CUMULUS,
    DUAL,
    EVPN_EOS,
    EVPN_JUNOS,
    EVPN_PAIRS_JUNOS,
    EVPN_PAIRS_SONIC,
    EXAMPLES,
    JUNOS,
    ONE_NUMBER,
    PER_RACK,
    RAILS,
    STATIC,
    UNNUMBERED,
    V6,
    cluster_of,
)

BELOW_EXITS = ("nos={leaf: junos, spine: junos, border: sonic}", *JUNOS[1:])
"""Switches of Junos that pass on what is beyond exits of others."""

SETS = (UNNUMBERED, BRIDGED, STATIC, DUAL, V6, DUAL + UNNUMBERED, DUAL + RAILS, PER_RACK, ONE_NUMBER, BFD, BARE)
CASES = [(name, ()) for name in EXAMPLES] + [
    ("leaf-spine", nos + sets) for nos in ((), ALL_EOS, CUMULUS) for sets in SETS
]
CASES += [
    ("evpn-guests", nos + sets) for nos in ((), EVPN_EOS, CUMULUS) for sets in ((), DUAL, UNNUMBERED + ONE_NUMBER)
]
CASES += [("leaf-spine", JUNOS + sets) for sets in ((), *SETS) if sets != STATIC]
CASES += [("two-exits", BELOW_EXITS + sets) for sets in ((), DUAL)]
CASES += [("evpn-guests", EVPN_JUNOS + sets) for sets in ((), DUAL, UNNUMBERED + ONE_NUMBER)]
CASES += [
    ("evpn-guests", nos + sets) for nos in (EVPN_PAIRS_SONIC, EVPN_PAIRS_JUNOS) for sets in (DUAL, DUAL + UNNUMBERED)
]


@pytest.mark.tenth
@pytest.mark.parametrize(("name", "sets"), CASES, ids=lambda v: "+".join(v) if isinstance(v, tuple) else v)
def test_files_say_what_was_planned(name: str, sets: tuple[str, ...]) -> None:
    cluster = cluster_of(name, *sets)
    for switch, files in switches_of(name, sets):
        found = list(list_differences(read(switch, files), wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"


Change = Callable[[str], str]


def changed(old: str, new: str = "") -> Change:
    """A change that must find what it changes."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def without(table: str, key: str) -> Change:
    """A change that takes a row out of config_db.json."""

    def change(text: str) -> str:
        tables = json.loads(text)
        del tables[table][key]
        return json.dumps(tables)

    return change


FAULTS: list[tuple[tuple[str, ...], str, Change, str]] = [
    ((), "config_db.json", changed('"mtu": "9216"', '"mtu": "1500"'), "interfaces.Ethernet0.mtu: 1500, wanted 9216"),
    ((), "config_db.json", without("INTERFACE", "Ethernet0|10.128.0.0/31"), "addresses: missing 10.128.0.0/31"),
    ((), "config_db.json", without("BGP_NEIGHBOR", "10.64.0.0"), "bgp..peers.10.64.0.0: missing"),
    ((), "config_db.json", without("STATIC_ROUTE", "default|10.128.0.0/25"), "announced: missing 10.128.0.0/25"),
    ((), "config_db.json", changed('"26": "3"', '"26": "0"'), "qos.class_of"),
    ((), "config_db.json", changed('"pfc_enable": "3"', '"pfc_enable": "4"'), "priority 4 pauses another"),
    (MANAGED, "config_db.json", without("NTP_SERVER", "10.16.0.30"), "management.ntp: ('ntp.example.net',), wanted"),
    (MANAGED, "config_db.json", changed('"tacacs+,local"', '"local"'), "logins go to"),
    (MANAGED, "config_db.json", changed('"port": "8080"'), "gNMI without a port does not start"),
    (
        MANAGED,
        "config_db.json",
        changed('"SNMP_USER_TYPE": "Priv"', '"SNMP_USER_TYPE": "noAuthNoPriv"'),
        "reads otherwise",
    ),
    (TUNED, "config_db.json", changed('"pir": "3500000000"', '"pir": "1"'), "no whole percents of 400000 Mb/s"),
    (TUNED, "config_db.json", changed('"action": "forward"', '"action": "drop"'), "ports have different watchdogs"),
    (TUNED, "config_db.json", changed('"311000"', '"312000"'), "colours are marked differently"),
    (TUNED, "frr.conf", changed("bfd 5 170 170", "bfd 5 300 300"), "bfd.interval_ms: 300, wanted 170"),
    (UNNUMBERED, "frr.conf", changed(" match as-path OWN\n"), "route-map FABRIC-OUT is no list of prefixes"),
    (UNNUMBERED, "frr.conf", changed("le 31"), "policy_in.permits: missing"),
    (UNNUMBERED, "frr.conf", changed("  maximum-paths 4", "  maximum-paths 2"), "bgp..max_paths: 2, wanted 4"),
    (ALL_EOS, "cfg", changed("   mtu 9214\n"), "interfaces.Ethernet1/1.mtu: 1500, wanted 9214"),
    (ALL_EOS, "cfg", changed("   service-profile ROCE-400G\n"), "qos.ports.Ethernet61/1: missing"),
    (ALL_EOS, "cfg", changed("remote-as 4200000000", "remote-as 4200000001"), "remote_asn: 4200000001"),
    (CUMULUS, "yaml", changed("mtu: 9216", "mtu: 1500"), "interfaces.swp1s0.mtu: 1500, wanted 9216"),
    (CUMULUS, "yaml", changed("aspath-ignore: enabled", "aspath-ignore: disabled"), "multipath_relax: False"),
    (CUMULUS, "yaml", changed("                  as-path-list: OWN\n"), "route-map FABRIC-OUT is no list of prefixes"),
    (CUMULUS, "yaml", changed("max-prefix-len: 31"), "policy_in.permits: missing"),
    (CUMULUS, "yaml", changed('"26": {switch-priority: 3}', '"26": {switch-priority: 0}'), "qos.class_of"),
    (CUMULUS, "yaml", changed("robustness: 2", "robustness: 1"), "qos.watchdog.detect_ms: 100, wanted 200"),
    (CUMULUS, "yaml", changed("    vrf:\n      default", "    vrf:\n      blue"), "is not that of the default VRF"),
    (
        CUMULUS,
        "yaml",
        changed("mapping: {profile: ROCE}", "mapping: {profile: X}"),
        "ports have 2 maps of DSCPs, not one: ROCE, X",
    ),
    (CUMULUS, "yaml", changed("pfc-watchdog: {state: enable}"), "watched: missing 3"),
    (ALL_EOS, "cfg", changed("timeout 0.20", "timeout 0.02"), "qos.watchdog.detect_ms: 20, wanted 200"),
]


@pytest.mark.parametrize(("sets", "file", "change", "said"), FAULTS, ids=lambda v: v if isinstance(v, str) else "")
def test_a_fault_is_named(sets: tuple[str, ...], file: str, change: Change, said: str) -> None:
    cluster = cluster_of("leaf-spine", *sets)
    switch, files = next(pair for pair in switches_of("leaf-spine", sets) if pair[0].is_lowest)
    broken = {name: change(text) if name.endswith(file) else text for name, text in files.items()}
    assert broken != files
    try:
        found = first(list_differences(read(switch, broken), wanted(cluster, switch)))
    except UnknownTextError as error:
        found = str(error)
    assert said in found


STRANGE: list[tuple[tuple[str, ...], str, Change]] = [
    ((), "config_db.json", changed('"FEATURE"', '"FEATURES"')),
    ((), "config_db.json", changed('"fec": "rs"', '"media": "copper"')),
    (MANAGED, "config_db.json", changed('"iburst": "on"', '"key": "1"')),
    (MANAGED, "config_db.json", changed('"Contact"', '"Person"')),
    (TUNED, "config_db.json", changed('"meter_type"', '"meter"')),
    (UNNUMBERED, "frr.conf", changed(" bgp log-neighbor-changes\n", " bgp always-compare-med\n")),
    (CUMULUS, "yaml", changed("        type: swp\n", "        type: swp\n        ip: {}\n")),
    (CUMULUS, "yaml", changed("      lldp:\n", "      wjh: {state: enabled}\n      lldp:\n")),
    *(
        (CUMULUS + TUNED, "yaml", changed(row, row + unknown))
        for row, unknown in (
            ("        ROCE-400G:\n", "          mode: full\n"),
            ("        ROCE:\n", "          mode: full\n"),
            ("{max-rate: 28000000", ", min-rate: 1"),
            ("          memory-percent: 50\n", "          infinite: enable\n"),
            ("congestion-control: {profile: ROCE-400G", ", mode: full"),
            ("pfc-watchdog: {state: enable", ", mode: full"),
        )
    ),
    (
        CUMULUS,
        "yaml",
        changed("            state: enabled\n            timers", "            state: disabled\n            timers"),
    ),
    (ALL_EOS, "cfg", changed("   no switchport\n", "   no switchport\n   mac security\n")),
    (ALL_EOS, "cfg", changed("   no switchport\n", "   no switchport\n   no switchport\n")),
]


@pytest.mark.parametrize(("sets", "file", "change"), STRANGE, ids=lambda v: v if isinstance(v, str) else "")
def test_what_is_not_known_is_refused(sets: tuple[str, ...], file: str, change: Change) -> None:
    switch, files = next(pair for pair in switches_of("leaf-spine", sets) if pair[0].is_lowest)
    broken: Files = {name: change(text) if name.endswith(file) else text for name, text in files.items()}
    with pytest.raises(UnknownTextError):
        read(switch, broken)


def test_a_watchdog_that_is_off_is_read_as_off_by_whoever_reads_on() -> None:
    switch, files = switches_of("leaf-spine", CUMULUS)[0]
    off = changed("pfc-watchdog: {state: enable}", "pfc-watchdog: {state: disable}")(files["startup.yaml"])
    with tolerate_unknown_text() as notes:
        found = load_part("cumulus", "reader").read({"startup.yaml": off})
    assert [not port.watched for port in found.qos.ports.values()] == [True] + [False] * (len(switch.ports) - 1)
    assert notes.unfit == ["PFC is not on in both directions, or its watchdog is stated and off"]
