"""config_db.json as devices have it: SONiC's defaults, lists, other spellings; and every mistake told beside others."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.render.checks.config_db import check_config_db
from tests.render.rendered import config_db, files_of

CATALOG = Catalog()

FACTORY = {
    "BGP_DEVICE_GLOBAL": {
        "STATE": {"tsa_enabled": "false", "wcmp_enabled": "false", "idf_isolation_state": "unisolated"}
    },
    "FEATURE": {
        "lldp": {
            "state": "enabled",
            "delayed": "True",
            "auto_restart": "enabled",
            "has_global_scope": True,
            "has_per_asic_scope": "{% if x %}False{% else %}True{% endif %}",
            "support_syslog_rate_limit": "true",
            "set_owner": "local",
            "high_mem_alert": "disabled",
        },
        "teamd": {"state": "{% if not x %}disabled{% else %}enabled{% endif %}"},
    },
    "SYSLOG_CONFIG": {"GLOBAL": {"rate_limit_interval": "0", "rate_limit_burst": "0"}},
    "SYSLOG_CONFIG_FEATURE": {"lldp": {"rate_limit_interval": "300", "rate_limit_burst": "20000"}},
    "FLEX_COUNTER_TABLE": {"ACL": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "10000"}},
    "CRM": {"Config": {"polling_interval": "300", "acl_group_threshold_type": "percentage"}},
    "AUTO_TECHSUPPORT": {"GLOBAL": {"state": "enabled", "max_techsupport_limit": "10.0", "since": "2 days ago"}},
    "BANNER_MESSAGE": {"global": {"state": "disabled", "motd": "You are on\n  SONiC\n", "logout": ""}},
    "KDUMP": {"config": {"enabled": "false", "memory": "0M-2G:256M,8G-:448M", "num_dumps": "3"}},
    "NTP": {"global": {"src_intf": "eth0", "vrf": "default", "dhcp": "enabled"}},
}

LISTS = {
    "ACL_TABLE": {
        "SSH_ONLY": {"policy_desc": "SSH_ONLY", "type": "CTRLPLANE", "stage": "ingress", "services": ["SSH"]},
        "DATA": {"type": "NARROW", "ports": ["Ethernet0", "Ethernet16"]},
        "NONE": {"type": "L3", "ports": [""]},
    },
    "ACL_RULE": {"DATA|RULE_1": {"PRIORITY": "1", "PACKET_ACTION": "DROP", "SRC_IP": "10.0.0.0/8"}},
    "ACL_TABLE_TYPE": {"NARROW": {"MATCHES": ["SRC_IP"], "ACTIONS": ["PACKET_ACTION"], "BIND_POINTS": ["PORT"]}},
    "BGP_PEER_RANGE": {"dynamic": {"name": "dynamic", "ip_range": ["192.0.2.0/24", "fd00::/64"]}},
    "VLAN": {"Vlan7": {"vlanid": "7", "dhcp_servers": ["10.9.0.1"], "dhcpv6_servers": ["fd00::1"]}},
}


def built() -> dict[str, Any]:
    """The tables of a leaf as they are built, to be changed."""
    return copy.deepcopy(config_db(files_of("leaf-spine"), "compute-leaf-p1-su01-r1-01"))


def laid_over(*parts: dict[str, Any]) -> dict[str, Any]:
    tables = built()
    for part in parts:
        for table, rows in part.items():
            for key, fields in rows.items():
                tables.setdefault(table, {}).setdefault(key, {}).update(fields)
    return tables


def errors(tables: object) -> list[str]:
    return [problem.text() for problem in check_config_db(tables, CATALOG) if problem.grave]


@pytest.mark.parametrize("parts", [(FACTORY,), (LISTS,), (FACTORY, LISTS)])
def test_what_sonic_ships_and_its_lists_have_no_error(parts: tuple[dict[str, Any], ...]) -> None:
    assert errors(laid_over(*parts)) == []


def test_the_factory_defaults_alone_have_no_error() -> None:
    """init_cfg.json is loaded before a device has a platform in its tables."""
    assert errors(FACTORY) == []


def test_a_port_needs_its_lanes_and_speed_alone() -> None:
    tables = built()
    name = next(name for name, row in tables["PORT"].items() if row["admin_status"] == "down")
    tables["PORT"][name] = {field: tables["PORT"][name][field] for field in ("lanes", "speed")}
    assert errors(tables) == []


def test_addresses_are_compared_as_addresses() -> None:
    tables = laid_over(
        {
            "INTERFACE": {"Ethernet224|FC00:0::71/126": {}},
            "BGP_NEIGHBOR": {"fc00::72": {"asn": "65001", "local_addr": "fc00::71"}},
        }
    )
    assert errors(tables) == []
    tables["BGP_NEIGHBOR"]["fc00::72"]["local_addr"] = "fc00::70"
    assert len(errors(tables)) == 1


FAULTS: list[tuple[tuple[str, str, str], Any, str]] = [
    (
        ("ACL_TABLE", "DATA", "ports"),
        "Ethernet0,Ethernet16",
        """'Ethernet0,Ethernet16', a string; a list, ["Ethernet0",""",
    ),
    (("ACL_TABLE", "DATA", "ports"), ["Ethernet0", "Ethernet0"], "'Ethernet0' is there twice; each once"),
    (("ACL_TABLE", "DATA", "ports"), ["Ethernet0", "Ethernet999"], "'Ethernet999' has no row in PORT or PORTCHANNEL"),
    (("ACL_TABLE", "DATA", "ports"), ["Ethernet0", 4], "a list; a string: every value in config_db is one, or a list"),
    (
        ("ACL_TABLE", "DATA", "type"),
        "L4",
        "'L4' has no row in ACL_TABLE_TYPE; a row of ACL_TABLE_TYPE (known: NARROW), or one of L2, L3",
    ),
    (("ACL_TABLE", "SSH_ONLY", "stage"), ["ingress"], "a list of 1; a string: one of ingress, egress, INGRESS, EGRESS"),
    (("ACL_TABLE", "SSH_ONLY", "stage"), "ingres", "did you mean 'INGRESS'?"),
    (("ACL_TABLE_TYPE", "NARROW", "BIND_POINTS"), [], "0 in the list; 1 at least"),
    (("BGP_PEER_RANGE", "dynamic", "ip_range"), ["192.0.2.0/33"], "'192.0.2.0/33'; an IP address with a prefix length"),
    (("SYSLOG_CONFIG_FEATURE", "bgpd", "rate_limit_burst"), "1", "'bgpd' has no row in FEATURE"),
    (("FEATURE", "lldp", "set_owner"), "me", "'me'; one of kube, local"),
    (("AUTO_TECHSUPPORT", "GLOBAL", "max_core_limit"), "100", "'100'; a number from 0.0 to 99.99"),
    (("CRM", "Config", "polling_interval"), 300, "the number 300; a string"),
    (("ACL_RULE", "DATA|RULE_1", "SRC_IPV6"), "fd00::/64", "SRC_IPV6: beside SRC_IP; one of the two"),
    (("PORT", "Ethernet0", "adv_speeds"), "100000,fast", "'fast'; a whole number from 1 to 1600000 or all"),
    (("VRF", "Vrf_x", "vni"), "16777216", "a whole number from 0 to 16777215"),
]


@pytest.mark.parametrize(("at", "value", "said"), FAULTS)
def test_a_wrong_value_is_told_once_at_its_place(at: tuple[str, str, str], value: object, said: str) -> None:
    table, key, field = at
    found = errors(laid_over(FACTORY, LISTS, {table: {key: {field: value}}}))
    assert [text for text in found if said in text and text.startswith(f"{table}|{key}")] == found, found
    assert len(found) == 1


def test_no_fault_hides_another() -> None:
    tables = built()
    before = set(errors(tables))
    for table, rows in {"ACL_TABLE": [], "NTP": {"global": "x"}, "PORTS": {"a": 1}, "VLAN": {"Vlan7": None}}.items():
        tables[table] = rows
    for (table, key, field), value, _ in FAULTS:
        if table not in ("ACL_TABLE", "NTP", "VLAN"):
            tables.setdefault(table, {}).setdefault(key, {})[field] = value
    found = set(errors(tables)) - before
    for table in ("ACL_TABLE: a list", "NTP|global: a string", "PORTS: SONiC has no", "VLAN|Vlan7: null"):
        assert any(text.startswith(table) for text in found), (table, found)
    assert {text.split("|")[0] for text in found} >= {at[0] for at, _, _ in FAULTS} - {"ACL_TABLE"}


@pytest.mark.parametrize("table", ["LLR_PORT", "SNMP_TRAP_CONFIG"])
def test_tables_that_only_sonics_commands_know_are_taken(table: str) -> None:
    assert errors({table: {"a": {"b": "c"}}}) == []
    assert errors({f"{table}S": {"a": 1}})[0].startswith(f"{table}S: SONiC has no such table; ")


@pytest.mark.parametrize(
    "tables",
    [
        {"KDUMP": {"config": {"ssh_path": "/." * 4000 + "!"}}},
        {"KDUMP": {"config": {"memory": "1M" * 100_000}}},
        {"ACL_RULE": {"A" * 100_000 + "|b": {}}},
        {"NTP_SERVER": {"a-" * 4000: {}}},
        {"T" * 100_000: {}},
        {"PORT_QOS_MAP": {"global": {"d" * 100_000: ""}}},
    ],
)
def test_hostile_texts_are_judged_quickly_and_cut(tables: dict[str, Any]) -> None:
    found = errors(tables)
    assert found
    assert max(map(len, found)) < 2000


def test_secrets_are_not_repeated() -> None:
    tables: dict[str, Any] = {
        "BGP_NEIGHBOR": {"default|10.0.0.1": {"auth_password": ["hush-1"]}},
        "LDAP": {"global": {"bind_password": "hush 2"}},
        "NTP_KEY": {"1": {"value": ["hush-3"]}},
        "RADIUS": {"global": {"passkey": 4444}},
        "SNMP_COMMUNITY": {"hush-5 here": {"TYPE": "hidden"}},
    }
    found = errors(tables)
    assert not [text for text in found if "hush" in text or "4444" in text]
    assert {text.split("|")[0] for text in found} == tables.keys()


def test_the_command_shows_no_secret_and_the_right_line(tmp_path, fabricgen) -> None:
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps({"SNMP_COMMUNITY": {"hush-it": {"TYPE": "hidden"}}}, indent=2))
    ran = fabricgen("check", file, "--format", "json")
    finding = next(f for f in json.loads(ran.out)["findings"] if f["severity"] == "error")
    assert (ran.code, finding["line"], "hush" in ran.out) == (1, 4, False)
