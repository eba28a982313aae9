"""Our model of config_db.json: every example fits it, and every way of breaking one is found at its place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.render.checks.config_db import check_config_db
from tests.parity.switches import switches_of
from tests.render.rendered import BFD, BRIDGED, DUAL, EXAMPLES, STATIC, UNNUMBERED, V6, config_db, files_of

CATALOG = Catalog()
LEAF = "compute-leaf-p1-su01-r1-01"
DELETE = object()


def problems(tables: object) -> list[str]:
    return [problem.text() for problem in check_config_db(tables, CATALOG)]


def assert_all_fit(name: str, sets: tuple[str, ...] = ()) -> None:
    """A few switches of each tier."""
    for switch, files in switches_of(name, sets):
        if "config_db.json" in files:
            assert problems(json.loads(files["config_db.json"])) == [], switch.name


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_fits(name: str) -> None:
    assert_all_fit(name)


@pytest.mark.parametrize("sets", [UNNUMBERED, STATIC, BRIDGED, DUAL, V6, BFD], ids="-".join)
def test_every_underlay_fits(sets: tuple[str, ...]) -> None:
    assert_all_fit("leaf-spine", sets)


BROKEN: list[tuple[str, Any, str, str]] = [
    ("PORT/Ethernet0/lanes", "0,1,2,999", "PORT|Ethernet0|lanes", "lane 999 is not in the platform's table"),
    ("PORT/Ethernet0/lanes", "4,5,6,7", "PORT|Ethernet0|lanes", "lane 4, 5, 6, 7 is used twice"),
    ("PORT/Ethernet0/lanes", "0,1,two,3", "PORT|Ethernet0|lanes", "'0,1,two,3'"),
    ("PORT/Ethernet0/lanes", "0,2,1,3", "PORT|Ethernet0|lanes", "lanes in the order of one cage, 0,1,2,3"),
    ("PORT/Ethernet0/lanes", "1,2,3,4", "PORT|Ethernet0|lanes", "lanes from a whole share of the cage"),
    ("PORT/Ethernet16/speed", "800000", "PORT|Ethernet16|speed", "'800000' over 8 lanes"),
    ("PORT/Ethernet0/speed", "40", "PORT|Ethernet0|speed", "'40' over 4 lanes"),
    ("PORT/Ethernet0/speed", 100000, "PORT|Ethernet0|speed", "the number 100000; a string"),
    ("PORT/Ethernet0/mtu", "99999", "PORT|Ethernet0|mtu", "a whole number from 68 to 9216"),
    ("PORT/Ethernet0/admin_status", "on", "PORT|Ethernet0|admin_status", "one of up, down"),
    ("PORT/Ethernet0/alias", "etp1b", "PORT|Ethernet0|alias", "the alias of two ports"),
    ("PORT/Ethernet0/index", "7", "PORT|Ethernet0|index", "the cage's, 1"),
    ("PORT/Ethernet0/subport", "2", "PORT|Ethernet0|subport", "1, its place in the cage"),
    ("PORT/Ethernet0/fec", "reed", "PORT|Ethernet0|fec", "one of rs, fc, none, auto"),
    ("PORT/Ethernet0/sped", "1", "PORT|Ethernet0|sped", "there is no such field here; did you mean 'speed'?"),
    ("PORT/Ethernet0/speed", DELETE, "PORT|Ethernet0|speed", "the field is missing"),
    ("PORT/Ethernet0/lanes", DELETE, "PORT|Ethernet0|lanes", "the field is missing"),
    ("PORTS", {}, "PORTS", "SONiC has no such table; did you mean 'PORT'?"),
    ("BREAKOUT_CFG/Ethernet0/brkout_mode", "2x300G", "BREAKOUT_CFG|Ethernet0|brkout_mode", "'2x300G'"),
    (
        "BREAKOUT_CFG/Ethernet0/brkout_mode",
        "4x100G[50G,25G,10G,1G]",
        "BREAKOUT_CFG|Ethernet0|brkout_mode",
        "its port has 4 of 8 lanes",
    ),
    ("DEVICE_METADATA/localhost/hwsku", "ACS-MSN9999", "DEVICE_METADATA|localhost|hwsku", "did you mean"),
    ("DEVICE_METADATA/localhost/platform", "x86", "DEVICE_METADATA|localhost|platform", "are not checked"),
    ("DEVICE_METADATA/localhost/type", "Leaf", "DEVICE_METADATA|localhost|type", "one of ToRRouter"),
    ("DEVICE_METADATA/localhost/bgp_asn", "0", "DEVICE_METADATA|localhost|bgp_asn", "from 1 to 4294967295"),
    ("DEVICE_METADATA/elsewhere", {}, "DEVICE_METADATA|elsewhere", "one of bmc, localhost"),
    ("INTERFACE/Ethernet224", DELETE, "INTERFACE|Ethernet224|10.64.0.1/31", "no row in INTERFACE"),
    ("INTERFACE/Ethernet999", {}, "INTERFACE|Ethernet999", "no row in PORT"),
    ("INTERFACE/Ethernet224|10.64.0.300~31", {}, "INTERFACE|Ethernet224|10.64.0.300/31", "an IP address with"),
    ("INTERFACE/Ethernet232|10.64.0.1~31", {}, "INTERFACE|Ethernet232|10.64.0.1/31", "is on two interfaces"),
    ("INTERFACE/Ethernet224/vrf_name", "Vrf_storage", "INTERFACE|Ethernet224|vrf_name", "no row in VRF"),
    ("BGP_NEIGHBOR/10.64.0.0/asn", DELETE, "BGP_NEIGHBOR|10.64.0.0|asn", "the field is missing"),
    ("BGP_NEIGHBOR/10.64.0.0/local_addr", "10.64.0.9", "BGP_NEIGHBOR|10.64.0.0|local_addr", "no address of this"),
    ("BGP_NEIGHBOR/10.64.0.0/local_addr", "10.64.0.3", "BGP_NEIGHBOR|10.64.0.0", "not in the subnet of local_addr"),
    ("BGP_NEIGHBOR/10.64.0.0/asn", "4294967296", "BGP_NEIGHBOR|10.64.0.0|asn", "from 0 to 4294967295"),
    (
        "VLAN_MEMBER",
        {"Vlan7|Ethernet16": {"tagging_mode": "untagged"}},
        "VLAN_MEMBER|Vlan7|Ethernet16",
        "no row in VLAN",
    ),
    (
        "VLAN_MEMBER",
        {"Vlan7|Ethernet224": {"tagging_mode": "untagged"}},
        "VLAN_MEMBER|Vlan7|Ethernet224",
        "routed port",
    ),
    ("PORTCHANNEL", {"Bond1": {"admin_status": "up"}}, "PORTCHANNEL|Bond1", "the name of a bond, PortChannelN"),
    ("PORTCHANNEL", {"PortChannel1": {"mtu": "9100"}}, "PORTCHANNEL|PortChannel1|admin_status", "missing"),
    ("PORTCHANNEL_MEMBER", {"PortChannel1|Ethernet0": {}}, "PORTCHANNEL_MEMBER|PortChannel1|Ethernet0", "no row in"),
    ("PORTCHANNEL_MEMBER", {"PortChannel1|Ethernet0": {}}, "PORT|Ethernet0|mtu", "none, or that of the bond"),
    (
        "PORTCHANNEL_MEMBER",
        {"PortChannel1|Ethernet224": {}, "PortChannel2|Ethernet224": {}},
        "PORTCHANNEL_MEMBER|PortChannel2|Ethernet224",
        "is in PortChannel1 too",
    ),
    (
        "PORTCHANNEL_MEMBER",
        {"PortChannel1|Ethernet224": {}},
        "PORTCHANNEL_MEMBER|PortChannel1|Ethernet224",
        "a routed port, or in a VLAN",
    ),
    (
        "EVPN_ETHERNET_SEGMENT",
        {"Ethernet224": {"esi": "00:01:02", "type": "TYPE_0_OPERATOR_CONFIGURED"}},
        "EVPN_ETHERNET_SEGMENT|Ethernet224|esi",
        "AUTO, or ten bytes",
    ),
    (
        "EVPN_ETHERNET_SEGMENT",
        {"Ethernet224": {"esi": "AUTO", "type": "TYPE_0_OPERATOR_CONFIGURED"}},
        "EVPN_ETHERNET_SEGMENT|Ethernet224|esi",
        "AUTO for TYPE_3_MAC_BASED",
    ),
    (
        "EVPN_ETHERNET_SEGMENT",
        {"Ethernet224": {"esi": "00:" * 9 + "00", "type": "TYPE_0_OPERATOR_CONFIGURED"}},
        "EVPN_ETHERNET_SEGMENT|Ethernet224|esi",
        "not all zeros",
    ),
    (
        "EVPN_ETHERNET_SEGMENT",
        {"Ethernet224": {"esi": "AUTO", "type": "TYPE_3_MAC_BASED"}},
        "EVPN_ETHERNET_SEGMENT|Ethernet224|esi",
        "system_mac in PORTCHANNEL|Ethernet224",
    ),
    (
        "EVPN_ETHERNET_SEGMENT",
        {"PortChannel7": {"esi": "AUTO", "type": "TYPE_3_MAC_BASED", "df_pref": "0"}},
        "EVPN_ETHERNET_SEGMENT|PortChannel7|df_pref",
        "a whole number from 1 to 65535",
    ),
    (
        "EVPN_ETHERNET_SEGMENT",
        {"PortChannel7": {"esi": "AUTO", "type": "TYPE_3_MAC_BASED"}},
        "EVPN_ETHERNET_SEGMENT|PortChannel7",
        "no row in PORT",
    ),
    ("EVPN_MH_GLOBAL", {"all": {}}, "EVPN_MH_GLOBAL|all", "one of default"),
    ("EVPN_MH_GLOBAL", {"default": {"startup_delay": "3601"}}, "EVPN_MH_GLOBAL|default|startup_delay", "0 to 3600"),
    ("SAG", {"GLOBAL": {"gateway_mac": "00:00:5e"}}, "SAG|GLOBAL|gateway_mac", "a MAC address"),
    (
        "VLAN_INTERFACE",
        {"Vlan7": {"static_anycast_gateway": "true"}},
        "VLAN_INTERFACE|Vlan7|static_anycast_gateway",
        "gateway_mac in SAG|GLOBAL",
    ),
    ("VLAN", {"Vlan7": {"vlanid": "8"}}, "VLAN|Vlan7|vlanid", "the number in its name, 7"),
    ("VLAN", {"Vlan4095": {"vlanid": "4095"}}, "VLAN|Vlan4095|vlanid", "a whole number from 2 to 4094"),
    ("VLAN", {"Vlan1": {"vlanid": "2"}}, "VLAN|Vlan1", "Vlan2 to Vlan4095"),
    ("DSCP_TO_TC_MAP/ROCE/26", "9", "DSCP_TO_TC_MAP|ROCE|26", "a whole number from 0 to 7"),
    ("DSCP_TO_TC_MAP/ROCE/64", "1", "DSCP_TO_TC_MAP|ROCE|64", "a whole number from 0 to 63"),
    ("TC_TO_QUEUE_MAP/ROCE/3", "8", "TC_TO_QUEUE_MAP|ROCE|3", "a whole number from 0 to 7"),
    ("PORT_QOS_MAP/Ethernet0/pfc_enable", "3,9", "PORT_QOS_MAP|Ethernet0|pfc_enable", "from 0 to 7"),
    ("PORT_QOS_MAP/Ethernet0/tc_to_pg_map", "AZURE", "PORT_QOS_MAP|Ethernet0|tc_to_pg_map", "'AZURE' has no row"),
    ("PFC_WD/Ethernet0", DELETE, "PORT_QOS_MAP|Ethernet0|pfc_enable", "without a watchdog"),
    ("PFC_WD/GLOBAL/POLL_INTERVAL", "300", "PFC_WD|Ethernet0|detection_time", "at least POLL_INTERVAL, 300"),
    ("QUEUE/Ethernet0|3/scheduler", "scheduler.9", "QUEUE|Ethernet0|3|scheduler", "'scheduler.9' has no row"),
    ("QUEUE/Ethernet0|2-4", {"scheduler": "scheduler.0"}, "QUEUE|Ethernet0|2-4", "'2-4' is claimed twice"),
    ("SCHEDULER/scheduler.0/weight", "101", "SCHEDULER|scheduler.0|weight", "a whole number from 1 to 100"),
    ("SCHEDULER/scheduler.2/pir", "1000", "SCHEDULER|scheduler.2|pir", "a cir from 1 to pir"),
    ("WRED_PROFILE/ROCE_400G/green_min_threshold", "600000", "WRED_PROFILE|ROCE_400G|green_min_threshold", "less than"),
    ("BUFFER_PROFILE/q_lossy_profile/pool", "none", "BUFFER_PROFILE|q_lossy_profile|pool", "'none' has no row"),
    ("BUFFER_PROFILE/q_lossy_profile/dynamic_th", "8", "BUFFER_PROFILE|q_lossy_profile|dynamic_th", "from -8 to 7"),
    (
        "BUFFER_PROFILE/q_lossy_profile/packet_discard_action",
        "cut",
        "BUFFER_PROFILE|q_lossy_profile|packet_discard_action",
        "one of drop, trim",
    ),
    ("SWITCH_TRIMMING", {"GLOBAL": {"dscp_value": "64"}}, "SWITCH_TRIMMING|GLOBAL|dscp_value", "or from-tc"),
    ("SWITCH_TRIMMING", {"GLOBAL": {"queue_index": "any"}}, "SWITCH_TRIMMING|GLOBAL|queue_index", "or dynamic"),
    ("SWITCH_TRIMMING", {"GLOBAL": {"size": "-1"}}, "SWITCH_TRIMMING|GLOBAL|size", "a whole number from 0"),
    ("SWITCH_TRIMMING", {"all": {"size": "256"}}, "SWITCH_TRIMMING|all", "GLOBAL"),
    ("BUFFER_PG/Ethernet0|3/profile", "pg_lossless", "BUFFER_PG|Ethernet0|3|profile", "no row in BUFFER_PROFILE"),
    ("CABLE_LENGTH/AZURE/Ethernet0", "40 m", "CABLE_LENGTH|AZURE|Ethernet0", "a length in metres such as 40m"),
    ("CABLE_LENGTH/AZURE/Ethernet9", "40m", "CABLE_LENGTH|AZURE|Ethernet9", "no row in PORT"),
    ("MGMT_INTERFACE/eth0|10.16.0.2~28/gwaddr", "10.16.1.1", "MGMT_INTERFACE|eth0|10.16.0.2/28|gwaddr", "not in the"),
    (
        "STATIC_ROUTE/default|10.9.0.0~16",
        {"nexthop": "10.64.0.0,10.64.0.2", "ifname": "Ethernet224"},
        "STATIC_ROUTE|default|10.9.0.0/16",
        "2 in nexthop, 1 in ifname",
    ),
    ("STATIC_ROUTE/default|10.9.0.1~16", {"blackhole": "true"}, "STATIC_ROUTE|default|10.9.0.1/16", "host bits"),
    ("VERSIONS/DATABASE/VERSION", "1.0", "VERSIONS|DATABASE|VERSION", "a schema such as version_202305_01"),
    ("FEATURE/bgp/state", "on", "FEATURE|bgp|state", "one of enabled"),
    (
        "LOOPBACK_INTERFACE/Loopback0",
        DELETE,
        "LOOPBACK_INTERFACE|Loopback0|10.0.0.9/32",
        "no row in LOOPBACK_INTERFACE",
    ),
    (
        "DEVICE_METADATA/localhost/synchronous_mode",
        DELETE,
        "DEVICE_METADATA|localhost|suppress-fib-pending",
        "synchronous",
    ),
    (
        "DEVICE_METADATA/localhost/suppress-fib-pending",
        "on",
        "DEVICE_METADATA|localhost|suppress-fib-pending",
        "one of",
    ),
    ("DEVICE_METADATA/localhost/hostname", "a" * 64, "DEVICE_METADATA|localhost|hostname", "at most 63"),
    ("DEVICE_METADATA/localhost/timezone", "a" * 256, "DEVICE_METADATA|localhost|timezone", "1 to 255 characters"),
    ("FEATURE", {"a" * 33: {"state": "enabled"}}, "FEATURE|" + "a" * 33, "1 to 32 characters"),
    ("BUFFER_PROFILE/q_lossy_profile/pool", "", "BUFFER_PROFILE|q_lossy_profile|pool", "'' has no row in BUFFER_POOL"),
    ("PORT_QOS_MAP/Ethernet0/tc_to_pg_map", "", "PORT_QOS_MAP|Ethernet0|tc_to_pg_map", "'' has no row"),
    ("CABLE_LENGTH", {"A.B": {}}, "CABLE_LENGTH|A.B", "letters, digits, `_` and `-`"),
    ("DSCP_TO_TC_MAP", {"R" * 33: {}}, f"DSCP_TO_TC_MAP|{'R' * 33}", "a name of 1 to 32"),
    ("WRED_PROFILE", {"RO.CE": {}}, "WRED_PROFILE|RO.CE", "letters, digits, `_` and `-`"),
    ("MGMT_INTERFACE/eth0|10.16.0.2~28/gwaddr", "a", "MGMT_INTERFACE|eth0|10.16.0.2/28|gwaddr", "an IP address"),
    ("SCHEDULER/scheduler.2/cbs", "1000", "SCHEDULER|scheduler.2|cbs", "a cir above 0"),
    ("SCHEDULER/scheduler.2/pbs", "1000", "SCHEDULER|scheduler.2|pbs", "a pir above 0"),
    (
        "SCHEDULER/s",
        {"type": "STRICT", "cir": "9", "pir": "9", "cbs": "9", "pbs": "8"},
        "SCHEDULER|s|pbs",
        "least cbs",
    ),
    (
        "BGP_NEIGHBOR/Vrf_x|10.9.0.1",
        {"asn": "65000", "local_addr": "10.9.0.0", "name": "a", "nhopself": "0"},
        "BGP_NEIGHBOR|Vrf_x|10.9.0.1|nhopself",
        "no such field here",
    ),
    ("BGP_NEIGHBOR/Vrf_x|10.9.0.1", {"asn": "65000"}, "BGP_NEIGHBOR|Vrf_x|10.9.0.1", "frrcfgd makes sessions in a VRF"),
    (
        "VLAN_SUB_INTERFACE",
        {"Ethernet999.7": {"admin_status": "up", "vlan": "7"}},
        "VLAN_SUB_INTERFACE|Ethernet999.7",
        "no row in PORT",
    ),
    (
        "VLAN_SUB_INTERFACE",
        {"Ethernet224.1200": {"admin_status": "up", "vlan": "1200"}},
        "VLAN_SUB_INTERFACE|Ethernet224.1200",
        "at most 15",
    ),
    ("DNS_OPTIONS", {"GLOBAL": {"search": ["a.net"]}}, "DNS_OPTIONS|GLOBAL", "a row in DNS_NAMESERVER"),
    ("DNS_OPTIONS", {"GLOBAL": {"search": ["a.net", "a.net"]}}, "DNS_OPTIONS|GLOBAL|search", "'a.net' is there twice"),
    ("DNS_NAMESERVER", {f"10.9.0.{n}": {} for n in range(4)}, "DNS_NAMESERVER", "3 at most"),
    ("NTP_SERVER", {f"10.9.0.{n}": {} for n in range(11)}, "NTP_SERVER", "10 at most"),
    ("NTP_SERVER", {"ff:ff:ff:ff:ff:ff": {}}, "NTP_SERVER|ff:ff:ff:ff:ff:ff", "a host name or address"),
    ("NTP_SERVER", {"a" * 64: {}}, f"NTP_SERVER|{'a' * 64}", "a host name or address"),
    ("NTP", {"global": {"vrf": "mgmt"}}, "NTP|global|vrf", "mgmtVrfEnabled true"),
    ("SYSLOG_SERVER", {"10.9.0.1": {"vrf": "Vrf_x"}}, "SYSLOG_SERVER|10.9.0.1|vrf", "no row in VRF"),
    ("SYSLOG_SERVER", {"10.9.0.1": {"source": "fd00::1"}}, "SYSLOG_SERVER|10.9.0.1|source", "the server's family"),
    ("VRF", {"default": {}}, "VRF|default", "a name that begins with Vrf"),
    ("INTERFACE/Ethernet224/vrf_name", "default", "INTERFACE|Ethernet224|vrf_name", "'default' has no row in VRF"),
    ("RADIUS", {"global": {"passkey": "k" * 66}}, "RADIUS|global|passkey", "1 to 65 characters"),
    ("STATIC_ROUTE/default|10.9.0.1", {"blackhole": "true"}, "STATIC_ROUTE|default|10.9.0.1", "with its length"),
    (
        "WRED_PROFILE/ROCE_400G/red_min_threshold",
        DELETE,
        "WRED_PROFILE|ROCE_400G|red_max_threshold",
        "red_min_threshold",
    ),
    (
        "SNMP_USER",
        {
            "user": {
                "SNMP_USER_TYPE": "Priv",
                "SNMP_USER_PERMISSION": "RO",
                "SNMP_USER_ENCRYPTION_PASSWORD": "long-enough",
            }
        },
        "SNMP_USER|user|SNMP_USER_AUTH_TYPE",
        "missing or empty for a user of type Priv",
    ),
    ("AAA", {"authentication": {"login": "tacacs+,local"}}, "AAA|authentication|login", "passkey in TACPLUS|global"),
    (
        "SNMP_USER",
        {
            "user": {
                "SNMP_USER_TYPE": "AuthNoPriv",
                "SNMP_USER_PERMISSION": "RO",
                "SNMP_USER_AUTH_TYPE": "SHA",
                "SNMP_USER_AUTH_PASSWORD": "long-enough",
                "SNMP_USER_ENCRYPTION_PASSWORD": "long-enough",
            }
        },
        "SNMP_USER|user|SNMP_USER_ENCRYPTION_PASSWORD",
        "an empty value",
    ),
    (
        "SNMP_USER",
        {"user": {"SNMP_USER_TYPE": "Priv", "SNMP_USER_PERMISSION": "RO", "SNMP_USER_ENCRYPTION_PASSWORD": ""}},
        "SNMP_USER|user|SNMP_USER_ENCRYPTION_PASSWORD",
        "a value",
    ),
    ("DEVICE_NEIGHBOR/Ethernet0/name", "a\nb", "DEVICE_NEIGHBOR|Ethernet0|name", "one line of 1 to 255 characters"),
]


def broken(where: str, value: object) -> dict[str, Any]:
    """A leaf's tables with one value changed; `~` stands for the slash of a prefix."""
    tables = copy.deepcopy(config_db(files_of("leaf-spine"), LEAF))
    *above, last = (part.replace("~", "/") for part in where.split("/"))
    place: Any = tables
    for part in above:
        place = place[part]
    if value is DELETE:
        del place[last]
    else:
        place[last] = value
    return tables


@pytest.mark.tenth
@pytest.mark.parametrize(("where", "value", "place", "said"), BROKEN)
def test_what_is_broken_is_found_at_its_place(where: str, value: object, place: str, said: str) -> None:
    found = problems(broken(where, value))
    assert any(text.startswith(f"{place}: ") and said in text for text in found), found
    assert len(found) <= 16, "one fault is not to be told for all ports"


def test_sessions_in_a_vrf_are_taken_where_frrcfgd_runs() -> None:
    tables = broken("DEVICE_METADATA/localhost/frr_mgmt_framework_config", "true")
    tables["VRF"] = {"Vrf_x": {}}
    tables["BGP_GLOBALS"] = {"Vrf_x": {"local_asn": "65001"}}
    tables["BGP_NEIGHBOR"]["Vrf_x|10.9.0.1"] = {"asn": "65000", "bfd": "true", "local_addr": "Ethernet0"}
    assert problems(tables) == []


@pytest.mark.parametrize(
    "tables", [[], {"PORT": []}, {"PORT": {"Ethernet0": "up"}}, {"PORT": {"Ethernet0": {"mtu": None}}}, {}]
)
def test_what_is_no_config_db_is_said_so(tables: object) -> None:
    assert problems(tables)


def test_a_secret_is_not_repeated() -> None:
    tables = broken("TACPLUS", {"global": {"passkey": "s3cret with blanks"}})
    assert not any("s3cret" in text for text in problems(tables))


@pytest.fixture
def written(tmp_path, request) -> Callable[[object], Any]:
    def write(content: object) -> Any:
        file = tmp_path / "config_db.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content, indent=4))
        return file

    return write


def test_command_finds_nothing_in_what_was_built(tmp_path, fabricgen) -> None:
    assert fabricgen("build", "blueprints/leaf-spine.yaml", "-o", tmp_path / "out", "--only", "configs").code == 0
    ran = fabricgen("check", tmp_path / "out")
    assert (ran.code, ran.out) == (0, "8 files: 0 problems\n")


def test_command_locates_problems(written, fabricgen) -> None:
    file = written(broken("PORT/Ethernet0/mtu", "99999"))
    ran = fabricgen("check", file)
    assert ran.code == 1
    line = next(n for n, text in enumerate(file.read_text().splitlines(), 1) if "99999" in text)
    assert ran.out.startswith(f"{file}:{line}:20: error[FG901]: PORT|Ethernet0|mtu: '99999'\n  hint: expected a whole")
    found = json.loads(fabricgen("check", file, "--format", "json").out)["findings"]
    assert [(f["code"], f["path"], f["line"]) for f in found] == [("FG901", "PORT.Ethernet0.mtu", line)]
    assert fabricgen("check", file, "--fail-on", "never").code == 0


def test_command_finds_keys_that_are_there_twice(written, fabricgen) -> None:
    ran = fabricgen("check", written('{"VRF": {}, "VRF": {}}'))
    assert ran.code == 1
    assert "VRF: the key is there twice" in ran.out


@pytest.mark.parametrize("content", ["{", "\0", "[" * 100_000])
def test_command_refuses_what_is_no_json(written, fabricgen, content: str) -> None:
    ran = fabricgen("check", written(content))
    assert ran.code == 2
    assert "config_db.json:1:" in ran.out


def test_command_refuses_a_folder_without_files_and_models_that_are_not_there(tmp_path, fabricgen) -> None:
    assert fabricgen("check", tmp_path).code == 2
    assert fabricgen("check", tmp_path / "none.json").code == 2
    ran = fabricgen("check", tmp_path, "--yang", tmp_path)
    assert ran.code == 2
    assert "FG056" in ran.err or "FG001" in ran.err
