"""Kea's own programs take the part `kea`, and everybody whom the plan gives an address by DHCP is in it, once."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path
from typing import Any

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from tests.conftest import BLUEPRINTS, Ran, built_files, example_cluster, require

SERVER = "dhcp.servers=10.32.0.9"
JUNOS = ("fabrics.compute.nos={leaf: junos, spine: eos}", "fabrics.compute.tiers.leaf.switch=qfx5240-64od")
IMAGE = "management.ztp.images={junos: {file: junos.iso}}"
TRIED = {
    "superpod-b300": (),
    "monday": (),
    "bonded-pair": (f"fabrics.inband.{SERVER}", f"fabrics.files.{SERVER}"),
    "dual-stack": ("fabrics.oob.ip=dual", 'fabrics.oob.dhcp.servers=[10.32.0.9, "fd00:32::9"]', *JUNOS, IMAGE),
    "leaf-spine": (f"fabrics.compute.{SERVER}", "ip=dual"),
}
"""Leaves of management whose own switches have loopbacks; relayed hosts; bonds over a pair of leaves, with VLANs;
two families, and Junos; routed hosts and a flat subnet."""

SERVED = f"fabrics.oob.{SERVER}"

Subnets = list[dict[str, Any]]


@cache
def built(name: str) -> dict[str, bytes]:
    """The files of a cluster that is tried."""
    return built_files(example_cluster(name, *TRIED[name]), "kea", "devices", "addresses")


def subnets(files: dict[str, bytes]) -> dict[int, Subnets]:
    """The subnets of the configurations, by IP version."""
    found = {version: files.get(f"kea/kea-dhcp{version}.json") for version in (4, 6)}
    return {v: json.loads(text)[f"Dhcp{v}"][f"subnet{v}"] for v, text in found.items() if text}


def rows(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(files[f"{name}.csv"].decode().splitlines()))


@pytest.mark.parametrize("name", TRIED)
def test_every_managed_device_is_in_one_subnet(name: str) -> None:
    """In either family that it is managed in; in a trial ten of 362 were in none."""
    files = built(name)
    networks = [ip_network(subnet["subnet"]) for some in subnets(files).values() for subnet in some]
    managed = [row["mgmt"] for row in rows(files, "devices") if row["mgmt"]]
    managed += [row["prefix"] for row in rows(files, "addresses") if row["kind"] == "management"]
    assert managed
    for text in managed:
        assert sum(ip_interface(text).ip in network for network in networks) == 1, text


@pytest.mark.parametrize("name", TRIED)
def test_reservations_and_pools_are_the_plan(name: str) -> None:
    """Everybody has the address of addresses.csv, in its subnet: reserved, or as the only one on a routed port."""
    files, found = built(name), set[tuple[str, str]]()
    planned = {(row["device"], row["prefix"].partition("/")[0]): row["kind"] for row in rows(files, "addresses")}
    for version, some in subnets(files).items():
        assert len({subnet["id"] for subnet in some}) == len(some)
        for subnet in some:
            network, told = ip_network(subnet["subnet"]), {o.get("name"): o["data"] for o in subnet["option-data"]}
            given = [
                (r["hostname"].removesuffix("-bmc"), r["ip-address"] if version == 4 else r["ip-addresses"][0])
                for r in subnet["reservations"]
            ]
            given += [(told["host-name"], pool["pool"].partition(" - ")[0]) for pool in subnet["pools"] if version == 4]
            for device, address in given:
                assert planned[device, address] in ("management", "host")
                assert ip_address(address) in network
            found.update(given)
            keys = [r.get("circuit-id") or r["hw-address"] for r in subnet["reservations"]]
            assert len(set(keys)) == len(keys)
            assert "routers" not in told or ip_address(told["routers"]) in network
    unreserved = {d for some in subnets(files).values() for s in some for d in s["user-context"].get("unreserved", ())}
    missed = {device for (device, a), kind in planned.items() if kind == "management" and (device, a) not in found}
    assert missed <= unreserved


@pytest.mark.daemon
@pytest.mark.parametrize("version", [4, 6])
def test_kea_takes_it(version: int, tmp_path: Path) -> None:
    """`kea-dhcp4 -t` and `kea-dhcp6 -t` read the files, and warn of nothing."""
    program = f"kea-dhcp{version}"
    require("" if shutil.which(program) else f"{program} is missing: `apt-get install {program}-server`")
    contents = [content for name in TRIED if (content := built(name).get(f"kea/{program}.json"))]
    assert len(contents) == (len(TRIED) if version == 4 else 2)
    for content in contents:
        (tmp_path / "kea.json").write_bytes(content)
        where = {**os.environ, "KEA_LOCKFILE_DIR": str(tmp_path), "KEA_PIDFILE_DIR": str(tmp_path)}
        command = [program, "-t", str(tmp_path / "kea.json")]
        told = subprocess.run(command, env=where, check=False, capture_output=True, text=True)
        assert told.returncode == 0, told.stdout + told.stderr
        assert not {" WARN ", " ERROR "} & set(told.stdout.split()), told.stdout


FORMS = {
    "sonic": ("monday", (), "inband", "inband-leaf-01:etp3a"),
    "sonic's own agent": ("monday", ("routing.underlay=ebgp-unnumbered",), "storage", "inband-leaf-01:etp1a:Vlan110"),
    "eos": (
        "dual-stack",
        ("fabrics.oob.nos=eos", "fabrics.oob.tiers.leaf.switch=7010tx"),
        "oob",
        "oob-leaf-01:Ethernet1",
    ),
    "cumulus": ("bonded-pair", TRIED["bonded-pair"], "inband", "bond1"),
    "stated": (
        "dual-stack",
        ("fabrics.oob.dhcp={servers: 10.32.0.9, circuit_id: 'rack 1/{alias}#{vlan} of {switch}'}",),
        "oob",
        "rack 1/etp1#110 of oob-leaf-01",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_circuit_ids_are_those_of_the_relay(form: str) -> None:
    """As the NOS of the leaf spells the port, or as the blueprint says."""
    name, sets, fabric, first = FORMS[form]
    files = built_files(example_cluster(name, *sets), "kea")
    own = [subnet for subnet in subnets(files)[4] if subnet["user-context"].get("fabric") == fabric]
    found = [one["circuit-id"] for subnet in own for one in subnet["reservations"]]
    assert found[0] == f"'{first}'"
    typed = bytes([2, len(first)]) + first.encode()
    assert (typed.hex() in found) == (form == "eos")


def test_no_port_is_told_where_nothing_tells_it() -> None:
    """Without option 82 nobody is reserved, and the file says who."""
    sets = ("fabrics.oob.nos=cumulus", "fabrics.oob.dhcp={servers: 10.32.0.9, option_82: false}")
    (own,) = (
        s for s in subnets(built_files(example_cluster("dual-stack", *sets), "kea"))[4] if s["subnet"] != "10.0.0.49/32"
    )
    assert not own["reservations"]
    assert len(own["user-context"]["unreserved"]) == 16


def test_macs_of_the_inventory_reserve_besides_the_port(tmp_path: Path) -> None:
    """A board is known by its MAC, and one that takes its place by the port; a switch by its base MAC."""
    example = Path(__file__).parents[2] / "blueprints" / "dual-stack.yaml"
    (tmp_path / "known.yaml").write_text(example.read_text() + "inventory: known.csv\n")
    macs = (
        "p1-su01-n001,BMC,b8:3f:d2:00:00:01",
        "compute-spine-01,,b8:3f:d2:00:00:02",
        "oob-leaf-01,,b8:3f:d2:00:00:03",
    )
    (tmp_path / "known.csv").write_text("\n".join(["device,port,mac", *macs]) + "\n")
    cluster = build_cluster(build_design(load_blueprint(str(tmp_path / "known.yaml"), ("fabrics.oob.ip=dual",))))
    for version, told in subnets(built_files(cluster, "kea")).items():
        found = {one["hw-address"]: one["hostname"] for s in told for one in s["reservations"] if "hw-address" in one}
        named = {mac: f"{device}-bmc" if port else device for device, port, mac in (line.split(",") for line in macs)}
        assert found == named, version
        by_port = [one["hostname"] for s in told for one in s["reservations"] if "circuit-id" in one]
        assert ("p1-su01-n001-bmc" in by_port) == (version == 4)


def test_a_circuit_id_names_the_port(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    """One that is the same at every port, or has a field that there is not, is refused at its place."""
    example = Path(__file__).parents[2] / "blueprints" / "dual-stack.yaml"
    for form, said in (("{switch}", "is the same at every port"), ("{port}{colour}", "circuit_id")):
        ran = fabricgen("lint", example, "--set", f"fabrics.oob.dhcp={{servers: 10.32.0.9, circuit_id: '{form}'}}")
        assert ran.code == 2
        assert said in ran.out


ZTP = (
    "management.ztp={url: 'http://boot.example.net/dc1/', "
    "images: {sn5600: {file: old/sonic.bin}, sonic: {file: new.bin}}}"
)
BOOTS = {
    "sonic": ("fabrics.compute.nos=sonic", {67: "ztp.json", 114: "old/sonic.bin"}),
    "cumulus": ("fabrics.compute.nos={leaf: cumulus, spine: eos}", {239: "ztp.py", 114: "old/sonic.bin"}),
}


@pytest.mark.parametrize("nos", BOOTS)
def test_switches_are_told_what_they_boot(nos: str) -> None:
    """By the option of their NOS, and what ONIE installs: the image of their model before that of their NOS."""
    leaf, url = "compute-leaf-p1-su01-rg1-01", "http://boot.example.net/dc1"
    spines = "fabrics.compute.tiers.spine.switch=sn5600" if nos == "sonic" else ZTP
    files = built_files(example_cluster("dual-stack", ZTP, BOOTS[nos][0], spines), "kea")
    options = {one["hostname"]: one["option-data"] for s in subnets(files)[4] for one in s["reservations"]}
    wanted = {code: f"{url}/{f'ztp/{leaf}/' if code != 114 else ''}{name}" for code, name in BOOTS[nos][1].items()}
    assert {option["code"]: option["data"] for option in options[leaf]} == wanted
    assert options["p1-su01-n001-bmc"] == []
    if nos == "cumulus":
        assert options["compute-spine-01"] == [{"code": 67, "data": f"{url}/ztp/compute-spine-01/bootstrap"}]


ENCLOSED = "vendor-encapsulated-options-space"


@pytest.mark.parametrize(
    ("url", "mode", "server"),
    [
        ("http://10.32.0.9:8080/dc1", {3: "http", 5: "8080"}, (150, "10.32.0.9")),
        ("https://boot.example.net/dc1/", {3: "https"}, (66, "boot.example.net")),
    ],
)
def test_junos_is_told_paths_and_a_server(url: str, mode: dict[int, str], server: tuple[int, str]) -> None:
    """Sub-options of option 43, the server beside it."""
    ztp = f"management.ztp={{url: '{url}', images: {{junos: {{file: images/junos.iso}}}}}}"
    files = built_files(example_cluster("dual-stack", SERVED, *JUNOS, ztp), "kea")
    leaf = "compute-leaf-p1-su01-rg1-01"
    (told,) = (r["option-data"] for s in subnets(files)[4] for r in s["reservations"] if r["hostname"] == leaf)
    enclosed = {0: "/dc1/images/junos.iso", 1: f"/dc1/configs/{leaf}/juniper.conf", **mode}
    assert {option["code"]: option["data"] for option in told if option.get("space") == ENCLOSED} == enclosed
    plain = {option["code"]: option.get("data") for option in told if "space" not in option}
    assert plain == {43: None, server[0]: server[1], 114: f"{url.rstrip('/')}/images/junos.iso"}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://[fd00:32::9]/dc1", "option 43 wants no IPv6 address"),
        (f"http://10.32.0.9/{'a' * 71}/b", "option 43 would have 256 bytes of 255"),
    ],
)
def test_what_option_43_cannot_tell_is_refused(
    url: str, said: str, fabricgen: Callable[..., Ran], tmp_path: Path
) -> None:
    """By `kea` and by `ztp`, at the fabric."""
    image = "images: {junos: {file: images/a-name-of-forty-letters-and-some-more.iso}}"
    words = [w for text in (SERVED, *JUNOS, f"management.ztp={{url: '{url}', {image}}}") for w in ("--set", text)]
    for part in ("kea", "ztp"):
        ran = fabricgen("build", BLUEPRINTS / "dual-stack.yaml", "-o", tmp_path / "out", "--only", part, *words)
        assert ran.code == 2
        assert f"error[FG170]: DHCP cannot tell compute-leaf-p1-su01-rg1-01 where it boots from: {said}" in ran.err
