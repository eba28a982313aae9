"""Names of ports and RDMA devices by rail, from what the inventory knows; and the environment that uses them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from netplans import files, files_of

from fabricgen.blueprint.beside.tables import parse_inventory
from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import BLUEPRINTS

NODE = "p1-su01-n001"
RULE = re.compile(r'([A-Z]+(?:\{[a-z_]+\})?)(==|=)"([^"]*)"')
KEYS = {"SUBSYSTEM", "ACTION", "SUBSYSTEMS", "KERNELS", "ATTR", "DRIVERS", "NAME", "PROGRAM", "GOTO", "LABEL"}


def rules(text: str) -> list[dict[str, str]]:
    """udev rules by key, as udev(7) has them: comma-separated KEY OPERATOR "VALUE"."""
    found = []
    for line in text.splitlines()[1:]:
        parts = line.split(", ")
        assert all(RULE.fullmatch(part) for part in parts), line
        pairs = [RULE.fullmatch(part).groups() for part in parts]  # type: ignore[union-attr]
        assert {key.partition("{")[0] for key, _, _ in pairs} <= KEYS
        assert all(
            (op == "=") == (key in ("NAME", "GOTO", "LABEL", "PROGRAM")) for key, op, _ in pairs if key != "PROGRAM"
        )
        found.append({key: value for key, _, value in pairs})
    return found


def built(folder: Path, example: str, table: str) -> dict[str, str]:
    text = (BLUEPRINTS / f"{example}.yaml").read_text(encoding="utf-8")
    (folder / "b.yaml").write_text(f"{text}\ninventory: hardware.csv\n", encoding="utf-8")
    (folder / "hardware.csv").write_text(table, encoding="utf-8")
    return files(build_cluster(build_design(load_blueprint(str(folder / "b.yaml")))))


def test_ports_and_devices_are_named_by_place_address_or_guid(tmp_path: Path) -> None:
    table = (
        "device,port,mac,guid,pci\n"
        f"{NODE},OSFP4P2,,,1A:00.0\n"
        f"{NODE},OSFP3P2,b8:3f:d2:00:00:02,0xb83fd20300000002,\n"
        f"{NODE},OSFP3P1,b8:3f:d2:00:00:03,,\n"
    )
    found = rules(built(tmp_path, "rail-only", table)[f"hosts/{NODE}/60-rdma-persistent-naming.rules"])
    nets = [rule for rule in found if rule.get("SUBSYSTEM") == "net"]
    place = {"SUBSYSTEMS": "pci", "KERNELS": "0000:1a:00.0"}
    head = {"SUBSYSTEM": "net", "ACTION": "add"}
    by_mac = {"ATTR{type}": "1", "DRIVERS": "?*"}
    assert nets == [
        {**head, **place, "NAME": "OSFP4P2"},
        {**head, "ATTR{address}": "b8:3f:d2:00:00:02", **by_mac, "NAME": "OSFP3P2"},
        {**head, "ATTR{address}": "b8:3f:d2:00:00:03", **by_mac, "NAME": "OSFP3P1"},
    ]
    devices = {rule["PROGRAM"].split()[-1]: rule for rule in found if "GOTO" in rule}
    assert set(devices) == {"compute_r1", "compute_r2"}  # rail 3 has a MAC alone: rdma-setup names it
    assert devices["compute_r1"].items() >= place.items()
    assert devices["compute_r2"]["ATTR{node_guid}"] == "b83f:d203:0000:0002"
    assert found[-2]["PROGRAM"] == "rdma_rename %k NAME_FALLBACK"


def test_nodes_without_hardware_have_no_rules() -> None:
    assert not [path for path in files_of("rail-only") if path.endswith(".rules")]


REFUSED = {
    "a,p,18:00": "2:5: 'a' is no PCI",
    "a,p,0000:18:00.8": "2:5",
    "a,,0000:18:00.0": "2:4",
    "a,p,18:00.0\na,q,0000:18:00.0": "3:5",
}


@pytest.mark.parametrize("lines", REFUSED)
def test_pci_addresses_are_checked(lines: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_inventory(f"device,port,pci\n{lines}\n", "t.csv")
    (found,) = caught.value.diagnostics
    assert found.code == "FG036"
    assert f"{found.span.line}:{found.span.column}" == REFUSED[lines].partition(": ")[0]  # type: ignore[union-attr]


def environment(name: str, *sets: str) -> dict[str, str]:
    text = files_of(name, *sets)[f"hosts/{NODE}/rdma.env"]
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_roce_nodes_name_their_rails_in_order() -> None:
    """NCCL takes exact names after an equals sign, UCX a port with each; the class is DSCP 26, capable of ECN."""
    found = environment("rail-only")
    rails = [f"compute_r{n}" for n in range(1, 9)]
    assert found == {
        "NCCL_IB_HCA": f"={','.join(rails)}",
        "UCX_NET_DEVICES": ",".join(f"{name}:1" for name in rails),
        "NCCL_IB_TC": "106",
        "UCX_IB_TRAFFIC_CLASS": "106",
        "NCCL_IB_ADDR_FAMILY": "AF_INET",
        "NCCL_CROSS_NIC": "0",
    }
    assert environment("rail-only", "ip=v6")["NCCL_IB_ADDR_FAMILY"] == "AF_INET6"


@pytest.mark.parametrize(
    ("name", "cross"),
    [("rail-only", "0"), ("superpod-b300", "0"), ("nic-modes", "2"), ("top-of-rack", "1"), ("dual-stack", "2")],
)
def test_rings_cross_rails_as_switches_join_them(name: str, cross: str) -> None:
    assert environment(name)["NCCL_CROSS_NIC"] == cross


def test_infiniband_nodes_have_no_keys_of_roce() -> None:
    found = environment("small-pair")
    assert found["NCCL_IB_HCA"].startswith("=mlx5_0,mlx5_3,")  # as the catalogue knows them
    assert found["NCCL_SOCKET_IFNAME"] == "=SLOT1P2,SLOT2P2"
    assert not {"NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS", "NCCL_IB_ADDR_FAMILY"} & set(found)
    known = files_of("known-hardware")[f"hosts/{NODE}/rdma.env"]
    assert "NCCL_IB_HCA==compute_r1,compute_r2" in known


def test_sharp_is_used_where_ufm_runs_it() -> None:
    assert "NCCL_COLLNET_ENABLE" not in environment("small-pair")
    assert environment("superpod-b200-3tier", "fabrics.compute.subnet_manager=ufm")["NCCL_COLLNET_ENABLE"] == "1"


def test_rccl_has_a_file_of_its_own() -> None:
    sets = ("scalable_unit.nodes=24 x mi355x-8", "scale_up={infinity-fabric: {domain: mi355x-8}}")
    text = files_of("mi300x-roce", *sets)[f"hosts/{NODE}/rdma.env"]
    assert "/etc/rccl.conf" in text
    assert "NCCL_IB_TC=104\n" in text


@pytest.mark.parametrize(("address_per", "beyond"), [("port", 32), ("nic", 0)])
def test_devices_that_nccl_does_not_take_are_told(address_per: str, beyond: int) -> None:
    """Eight NICs of eight planes have 64 devices, or one each where they have one address."""
    sets = ("pods.p1.su=1", f"fabrics.compute.address_per={address_per}")
    text = files_of("multi-plane", *sets)[f"hosts/{NODE}/rdma.env"]
    names = text.partition("NCCL_IB_HCA==")[2].partition("\n")[0].split(",")
    assert len(names) == (32 + beyond if beyond else 8)
    assert (f"none of the {beyond} behind these" in text) == bool(beyond)
    assert "NCCL_IB_QPS_PER_CONNECTION" not in text  # NICs choose paths by themselves
