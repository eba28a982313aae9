"""Buffers in config_db.json: published numbers only, and all of them or none."""

from __future__ import annotations

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.sonic_models import BufferSet
from fabricgen.nos.sonic.writing.buffers import CabledPort, choose_role
from tests.render.rendered import EXAMPLES, cluster_of, config_db, files_of

LEAF = "compute-leaf-p1-su01-r1-01"
SIZED = ("BUFFER_PG", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_QUEUE")
PUBLISHING = ("7060x6-64pe", "ixr7220-h5-64o", "sn2201", "sn4700", "sn5600", "z9864f")


def published(switch: str, hwsku: str) -> BufferSet:
    platform = Catalog().sonic_platform(switch)
    assert platform
    found = platform.find_buffers(hwsku)
    assert found
    return found


@pytest.mark.parametrize("switch", PUBLISHING)
def test_what_is_published_refers_to_itself(switch: str) -> None:
    platform = Catalog().sonic_platform(switch)
    assert platform
    assert platform.buffers
    for found in platform.buffers:
        assert set(found.hwskus) <= set(platform.hwskus)
        for role in (found.find_role("t0"), found.find_role("t1")):
            assert {profile.pool for profile in role.profiles.values()} <= set(role.pools)
            for use in filter(None, (found.cabled, found.unused)):
                named = {use.group, use.lossless_queue, use.lossy_queue, *use.ingress, *use.egress}
                assert named <= set(role.profiles)
        for rows in found.headroom.values():
            assert all(row.xoff > 0 and row.size >= row.xon for row in rows.values() if row.xon_offset is None)


@pytest.mark.parametrize("switch", ["7060dx5-32", "sn5640"])
def test_platforms_without_lossless_numbers_have_no_buffers(switch: str) -> None:
    platform = Catalog().sonic_platform(switch)
    assert platform
    assert platform.buffers == ()


def test_what_is_published_of_a_best_effort_switch_refers_to_itself() -> None:
    platform = Catalog().sonic_platform("sn5640")
    assert platform
    assert {hwsku for found in platform.lossy_buffers for hwsku in found.hwskus} == set(platform.hwskus)
    for found in platform.lossy_buffers:
        assert {profile.pool for profile in found.profiles.values()} == set(found.pools) - {"egress_lossless_pool"}
        for use in (found.cabled, found.unused):
            assert {use.group, *use.queues.values(), *use.ingress, *use.egress} <= set(found.profiles)


def test_leaf_has_the_published_numbers_of_its_speeds_and_cables() -> None:
    """Figures as in device/mellanox/x86_64-mlnx_msn4700-r0/ACS-MSN4700 of sonic-buildimage@086b03bd."""
    tables = config_db(files_of("leaf-spine"), LEAF)
    assert tables["BUFFER_POOL"]["ingress_lossless_pool"] == {"mode": "dynamic", "size": "26451968", "type": "ingress"}
    assert tables["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"] == {
        "dynamic_th": "0",
        "pool": "ingress_lossless_pool",
        "size": "124928",
        "xoff": "77824",
        "xon": "37888",
    }
    assert tables["BUFFER_PG"]["Ethernet224|3"] == {"profile": "pg_lossless_400000_40m_profile"}
    assert tables["BUFFER_PG"]["Ethernet0|0"] == {"profile": "ingress_lossy_profile"}
    assert tables["BUFFER_PG"]["Ethernet16|0"] == {"profile": "ingress_lossy_pg_zero_profile"}
    assert "Ethernet16|3" not in tables["BUFFER_PG"]
    assert tables["BUFFER_QUEUE"]["Ethernet0|3"] == {"profile": "egress_lossless_profile"}
    assert tables["BUFFER_QUEUE"]["Ethernet0|4-6"] == {"profile": "q_lossy_profile"}
    assert set(tables["CABLE_LENGTH"]["AZURE"]) == set(tables["PORT"])
    lists = tables["BUFFER_PORT_INGRESS_PROFILE_LIST"]
    assert lists["Ethernet0"] == {"profile_list": "ingress_lossless_profile,ingress_lossy_profile"}


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_cables_are_rounded_up_to_a_published_length(name: str) -> None:
    cluster, files = cluster_of(name), files_of(name)
    for switch in (s for s in cluster.switches() if s.tier.nos == "sonic"):
        tables = config_db(files, switch.name)
        for port in switch.ports if "CABLE_LENGTH" in tables else ():
            length = int(tables["CABLE_LENGTH"]["AZURE"][port.name].removesuffix("m"))
            assert length >= port.cable_m > 0
            if "BUFFER_PG" in tables and port.role != "exit":  # what is outside does no PFC
                profile = f"pg_lossless_{port.speed_gbps * 1000}_{length}m_profile"
                assert tables["BUFFER_PG"][f"{port.name}|3"] == {"profile": profile}


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_sizes_come_whole_and_name_their_model(name: str) -> None:
    for path, text in files_of(name).items():
        if path.endswith("config_db.json"):
            tables = config_db({path: text}, path.split("/")[1])
            there = [table in tables for table in SIZED]
            assert all(there) or not any(there), path
            assert (tables["DEVICE_METADATA"]["localhost"].get("buffer_model") == "traditional") == all(there)
            assert not any(there) or "PORT_QOS_MAP" in tables


def test_best_effort_has_no_buffers() -> None:
    tables = config_db(files_of("leaf-spine", "qos.profile=best-effort"), LEAF)
    assert not any(table.startswith("BUFFER") for table in tables)
    assert "CABLE_LENGTH" not in tables


def test_headroom_that_does_not_fit_takes_other_pools_or_none() -> None:
    buffers = published("sn5600", "ACS-SN5600")

    def pool_size(ports: int, length_m: int) -> int:
        found = choose_role(buffers, "t0", [CabledPort(f"Ethernet{8 * n}", 800, length_m) for n in range(ports)])
        return found.pools["ingress_lossless_pool"].size if found else 0

    assert pool_size(32, 40) == 67737959
    assert pool_size(64, 40) == 52161690
    assert pool_size(64, 300) == 0


def test_a_speed_or_a_length_that_is_not_published_has_no_headroom() -> None:
    buffers = published("7060x6-64pe", "Arista-7060X6-64PE-O128S2")
    assert buffers.length_m(41) == 150
    assert buffers.length_m(151) is None
    assert choose_role(buffers, "t0", [CabledPort("Ethernet0", 800, 40)]) is None


def test_shared_headroom_needs_no_room_of_its_own() -> None:
    buffers = published("z9864f", "Dell-Z9864f-O64")
    assert choose_role(buffers, "t1", [CabledPort(f"Ethernet{8 * n}", 800, 300) for n in range(64)]) is not None
