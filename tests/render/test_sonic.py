"""SONiC: config_db.json against the platform's own table, and excerpts checked by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.catalog.sonic_models import find_breakout_mode
from fabricgen.nos.sonic.writing.ports import CageUse, choose_hwsku
from tests.parity.switches import switches_of
from tests.render.rendered import BFD, BRIDGED, EXAMPLES, STATIC, UNNUMBERED, cluster_of, config_db, files_of

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_json_is_sorted_text_of_string_values(name: str) -> None:
    for switch, files in switches_of(name):
        for text in (text for path, text in files.items() if path.endswith(".json")):
            tables = json.loads(text)
            assert text == json.dumps(tables, indent=4, sort_keys=True) + "\n", switch.name
            options = tables.pop("DNS_OPTIONS", {})  # its domains are a leaf-list (sonic-dns.yang)
            assert all(isinstance(v, str) for row in options.values() for v in row["search"])
            values = (v for table in tables.values() for row in table.values() for v in row.values())
            lists = [v for v in (*values,) if not isinstance(v, str)]  # leaf-lists of sonic-acl.yang and its like
            assert all(isinstance(words, list) and all(isinstance(v, str) for v in words) for words in lists)


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_ports_agree_with_the_platform_table(name: str) -> None:
    cluster = cluster_of(name)
    for switch, files in switches_of(name):
        if switch.tier.nos != "sonic":
            continue
        platform = cluster.design.catalog.sonic_platform(switch.profile.id)
        assert platform
        tables = json.loads(files["config_db.json"])
        ports = tables["PORT"]
        lanes = [int(lane) for row in ports.values() for lane in row["lanes"].split(",")]
        assert sorted(lanes) == sorted(lane for cage in platform.cages for lane in cage.lanes)
        assert len({row["alias"] for row in ports.values()}) == len(ports)
        by_lanes = {row["lanes"].split(",")[0]: n for n, row in ports.items()}
        assert all(by_lanes[str(cage.lanes[0])] == f"Ethernet{cage.port}" for cage in platform.cages)
        up = {n for n, row in ports.items() if row["admin_status"] == "up"}
        assert up == {p.name for p in switch.ports}
        for port in switch.ports:
            row = ports[port.name]
            assert row["speed"] == str(port.speed_gbps * 1000)
            assert row["index"] == str(platform.cages[port.cage - 1].index)
            assert row.get("fec", "") == ("rs" if port.speed_gbps >= 100 else "")
            assert tables["DEVICE_NEIGHBOR"][port.name] == {"name": port.peer, "port": port.peer_port}


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_breakout_modes_are_the_platforms(name: str) -> None:
    cluster = cluster_of(name)
    for switch, files in switches_of(name):
        platform = cluster.design.catalog.sonic_platform(switch.profile.id)
        if switch.tier.nos != "sonic" or not platform:
            continue
        rows = json.loads(files["config_db.json"])["BREAKOUT_CFG"]
        assert set(rows) == {f"Ethernet{cage.port}" for cage in platform.cages}
        for port in switch.ports:
            mode = rows[f"Ethernet{platform.cages[port.cage - 1].port}"]["brkout_mode"]
            assert mode in platform.breakout_modes[port.ways]
            assert mode.startswith(f"{port.ways}x")


def test_leaf_with_routed_hosts() -> None:
    files = files_of("leaf-spine")
    tables = config_db(files, LEAF)
    assert tables["DEVICE_METADATA"]["localhost"] == {
        "bgp_asn": "4200000001",
        "buffer_model": "traditional",
        "default_bgp_status": "up",
        "docker_routing_config_mode": "separated",
        "frr_mgmt_framework_config": "false",
        "hostname": LEAF,
        "hwsku": "ACS-MSN4700",
        "platform": "x86_64-mlnx_msn4700-r0",
        "suppress-fib-pending": "enabled",
        "synchronous_mode": "enable",
        "type": "ToRRouter",
    }
    assert tables["PORT"]["Ethernet4"] == {
        "admin_status": "up",
        "alias": "etp1b",
        "description": f"p1-su01-n002 eth1 cable {LEAF}:1",
        "fec": "rs",
        "index": "1",
        "lanes": "4,5,6,7",
        "mtu": "9216",
        "speed": "100000",
        "subport": "2",
    }
    assert tables["PORT"]["Ethernet16"] == {
        "admin_status": "down",
        "alias": "etp3",
        "description": "unused",
        "fec": "rs",
        "index": "3",
        "lanes": "16,17,18,19,20,21,22,23",
        "mtu": "9216",
        "speed": "400000",
    }
    assert tables["BREAKOUT_CFG"]["Ethernet0"] == {"brkout_mode": "2x200G[100G,50G,40G,25G,10G,1G]"}
    assert tables["INTERFACE"]["Ethernet224|10.64.0.1/31"] == {}
    assert tables["LOOPBACK_INTERFACE"] == {"Loopback0": {}, "Loopback0|10.0.0.9/32": {}}
    assert tables["MGMT_INTERFACE"] == {"eth0|10.16.0.2/28": {"gwaddr": "10.16.0.1"}}
    assert tables["DEVICE_NEIGHBOR_METADATA"][SPINE] == {"type": "LeafRouter"}
    assert tables["BGP_NEIGHBOR"]["10.64.0.0"]["local_addr"] == "10.64.0.1"
    assert tables["STATIC_ROUTE"] == {"default|10.128.0.0/25": {"advertise": "true", "blackhole": "true"}}
    assert "VLAN" not in tables
    assert f"configs/{LEAF}/frr.conf" not in files


def test_leaf_frr() -> None:
    text = files_of("leaf-spine", *BFD)[f"configs/{LEAF}/frr.conf"]
    assert "ip prefix-list HOSTS seq 10 permit 10.128.0.0/9 le 31\n" in text
    assert " bgp suppress-fib-pending\n" in text
    assert "route-map FABRIC-OUT permit 20\n match ip address prefix-list HOSTS\n match as-path OWN\nexit\n" in text
    assert text.endswith(
        " neighbor 10.64.0.6 remote-as 4200000000\n"
        " neighbor 10.64.0.6 peer-group UP\n"
        " neighbor 10.64.0.6 description compute-spine-04 Ethernet0\n"
        " !\n"
        " address-family ipv4 unicast\n"
        "  redistribute connected route-map CONNECTED\n"
        "  maximum-paths 4\n"
        "  neighbor UP activate\n"
        "  neighbor UP maximum-prefix 4096 80\n"
        "  neighbor UP route-map FABRIC-IN in\n"
        "  neighbor UP route-map FABRIC-OUT out\n"
        " exit-address-family\n"
        "exit\n!\n"
    )


def test_unnumbered_frr_names_interfaces_and_numbers() -> None:
    text = files_of("leaf-spine", *UNNUMBERED)[f"configs/{SPINE}/frr.conf"]
    assert " neighbor DOWN capability extended-nexthop\n" in text
    assert " neighbor Ethernet0 interface peer-group DOWN\n neighbor Ethernet0 remote-as 4200000001\n" in text
    assert "as-path" not in text.replace("as-path multipath-relax", "")


def test_numbered_spine_is_left_to_bgpcfgd() -> None:
    files = files_of("leaf-spine")
    assert f"configs/{SPINE}/frr.conf" not in files
    tables = config_db(files, SPINE)
    assert tables["DEVICE_METADATA"]["localhost"]["docker_routing_config_mode"] == "separated"
    assert tables["BGP_NEIGHBOR"]["10.64.0.1"] == {
        "asn": "4200000001",
        "holdtime": "9",
        "keepalive": "3",
        "local_addr": "10.64.0.0",
        "name": LEAF,
        "nhopself": "0",
        "rrclient": "0",
    }


def test_bridged_leaf_has_a_vlan_that_bgpcfgd_announces() -> None:
    files = files_of("leaf-spine", *BRIDGED)
    assert f"configs/{LEAF}/frr.conf" not in files
    tables = config_db(files, LEAF)
    assert tables["VLAN"] == {"Vlan100": {"vlanid": "100"}}
    assert tables["VLAN_INTERFACE"] == {"Vlan100": {}, "Vlan100|10.128.0.1/26": {}}
    members = {f"Vlan100|Ethernet{n}": {"tagging_mode": "untagged"} for n in (0, 4, 8, 12)}
    assert tables["VLAN_MEMBER"] == members
    assert "Ethernet0" not in tables["INTERFACE"]


def test_switches_managed_in_band_have_no_management_address() -> None:
    tables = config_db(files_of("superpod-b300"), "oob-leaf-p1-su01-01")
    assert "MGMT_INTERFACE" not in tables
    assert tables["MGMT_PORT"]["eth0"]["admin_status"] == "up"
    assert tables["DEVICE_METADATA"]["localhost"]["hwsku"] == "ACS-SN2201"
    assert tables["PORT"]["Ethernet56"]["lanes"] == "200,201,202,203"
    assert "compute-leaf-p1-su01-r1-pl1-01" not in tables["DEVICE_NEIGHBOR_METADATA"]


def test_lossless_tables() -> None:
    tables = config_db(files_of("leaf-spine"), LEAF)
    classes = tables["DSCP_TO_TC_MAP"]["ROCE"]
    assert len(classes) == 64
    assert {dscp: tc for dscp, tc in classes.items() if tc != "0"} == {"26": "3", "48": "6"}
    cabled = {n for n, row in tables["PORT"].items() if row["admin_status"] == "up"}
    assert set(tables["PORT_QOS_MAP"]) == cabled | {"global"}
    assert tables["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] == "3"
    assert tables["PFC_WD"]["Ethernet0"] == {"action": "drop", "detection_time": "200", "restoration_time": "400"}
    assert tables["QUEUE"]["Ethernet224|3"] == {"scheduler": "scheduler.1", "wred_profile": "ROCE_400G"}
    assert tables["SCHEDULER"]["scheduler.2"] == {"type": "STRICT"}
    thresholds = {n: (p["green_min_threshold"], p["green_max_threshold"]) for n, p in tables["WRED_PROFILE"].items()}
    assert thresholds == {"ROCE_100G": ("64000", "128000"), "ROCE_400G": ("256000", "512000")}
    spine = config_db(files_of("leaf-spine"), SPINE)["WRED_PROFILE"]["ROCE_400G"]
    assert (spine["green_min_threshold"], spine["green_max_threshold"]) == ("512000", "768000")


def test_stated_thresholds_hold_and_best_effort_has_no_tables() -> None:
    stated = config_db(files_of("leaf-spine", "qos.ecn_min_kb=900"), LEAF)["WRED_PROFILE"]
    assert {p["green_min_threshold"] for p in stated.values()} == {"900000"}
    assert {p["green_max_threshold"] for p in stated.values()} == {"1800000"}
    plain = config_db(files_of("leaf-spine", "qos.profile=best-effort"), LEAF)
    assert not {"DSCP_TO_TC_MAP", "PFC_WD", "QUEUE", "WRED_PROFILE"} & set(plain)


def test_bfd_starts_its_daemon() -> None:
    files = files_of("leaf-spine", *BFD)
    assert config_db(files, SPINE)["DEVICE_METADATA"]["localhost"]["frr_mgmt_framework_config"] == "true"
    text = files[f"configs/{SPINE}/frr.conf"]
    assert " neighbor DOWN bfd 3 300 300\n" in text


def test_hwsku_agrees_with_most_cages_in_use() -> None:
    platform = cluster_of("superpod-b300").design.catalog.sonic_platform("sn5600")
    assert platform
    split = dict.fromkeys(range(1, 65), CageUse(2, 400))
    assert choose_hwsku(split, platform) == "Mellanox-SN5600-O128"
    assert (
        choose_hwsku({1: CageUse(4, 200), 2: CageUse(4, 200), 3: CageUse(1, 800)}, platform) == "Mellanox-SN5600-V256"
    )
    assert choose_hwsku({1: CageUse(2, 100)}, platform) == platform.default_hwsku
    assert choose_hwsku({}, platform) == platform.default_hwsku


@pytest.mark.parametrize(
    ("switch", "cage_class", "ways", "speed", "mode"),
    [
        ("sn5600", 0, 2, 100, "2x400G[200G,100G,50G,40G,25G,10G]"),
        ("sn5600", 0, 1, 25, "1x800G[400G,200G,100G,50G,40G,25G,10G]"),
        ("sn5600", 1, 1, 10, "1x25G[10G]"),
        ("sn2201", 0, 1, 1, "1x1000[100,10]"),
        ("sn2201", 1, 1, 100, "1x100G[50G,40G,25G,10G]"),
        ("sn4700", 0, 4, 100, "4x100G[50G,25G,10G,1G]"),
        ("sn4700", 0, 4, 40, ""),
        ("z9864f", 0, 2, 200, "2x200G(8)"),
        ("7060x6-64pe", 1, 1, 10, "1x10G"),
    ],
)
def test_breakout_modes_are_found_as_spelled(switch: str, cage_class: int, ways: int, speed: int, mode: str) -> None:
    catalog = cluster_of("leaf-spine").design.catalog
    platform = catalog.sonic_platform(switch)
    assert platform
    assert find_breakout_mode(platform, catalog.switch(switch).cages[cage_class], ways, speed) == mode


@pytest.mark.slow
def test_the_order_of_installing_is_told_beside_the_configurations(tmp_path: Path, fabricgen) -> None:
    """config_db.json, reload, save, frr.conf: the reload reads the MAC address, and may remove an frr.conf."""
    assert fabricgen("build", "blueprints/superpod-b300.yaml", "-o", tmp_path / "out", "--only", "configs").code == 0
    text = (tmp_path / "out" / "configs" / "README-sonic.md").read_text()
    steps = ("cp config_db.json", "config reload -y", "config save -y", "cp frr.conf", "systemctl restart bgp")
    assert [text.index(step) for step in steps] == sorted(text.index(step) for step in steps)
    assert "configs/README-sonic.md" in json.loads((tmp_path / "out" / "manifest.json").read_text())["files"]
    assert [file.name for file in (tmp_path / "out" / "configs").glob("*.md")] == ["README-sonic.md"]


@pytest.mark.parametrize("sets", [(), UNNUMBERED, STATIC])
def test_routes_are_announced_once_the_hardware_has_them(sets: tuple[str, ...]) -> None:
    own = config_db(files_of("leaf-spine", *sets), "compute-leaf-p1-su01-r1-01")["DEVICE_METADATA"]["localhost"]
    said = {field: own.get(field) for field in ("suppress-fib-pending", "synchronous_mode")}
    runs_bgp = "bgp_asn" in own
    assert said == (
        {"suppress-fib-pending": "enabled", "synchronous_mode": "enable"} if runs_bgp else dict.fromkeys(said)
    )
    assert runs_bgp == (sets != STATIC)
