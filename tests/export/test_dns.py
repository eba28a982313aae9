"""BIND's own programs take the part `dns`, and its names and addresses are those of addresses.csv, both ways."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from functools import cache
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from tests.conftest import built_files, example_cluster, require

TRIED = {
    "monday": ("fabrics.oob.management.dns={servers: [10.32.0.6, 10.32.0.7], domain: oob.example.net}",),
    "dual-stack": (),
    "bonded-pair": (),
}
"""A domain of a fabric's own with two servers; IPv6, and no domain at all; bonds."""


@cache
def built(name: str) -> dict[str, bytes]:
    return built_files(example_cluster(name, *TRIED[name]), "dns", "addresses", "devices")


def zones(files: dict[str, bytes]) -> dict[str, list[tuple[str, str, str]]]:
    """By zone its (full name, type, value), names without a dot at the end."""
    found = dict[str, list[tuple[str, str, str]]]()
    for path, content in files.items():
        if path.startswith("dns/") and path.endswith(".zone"):
            zone = path[4:-5]
            lines = (line.split(" ", 2) for line in content.decode().splitlines()[1:])
            found[zone] = [(zone if n == "@" else f"{n}.{zone}", kind, value.rstrip(".")) for n, kind, value in lines]
    return found


@pytest.mark.daemon
@pytest.mark.parametrize("name", ["monday", "dual-stack"])
def test_bind_takes_every_zone(name: str, tmp_path: Path) -> None:
    """`named-checkzone` loads each, and `named-checkconf -z` all that named.conf names."""
    lacking = [tool for tool in ("named-checkzone", "named-checkconf") if not shutil.which(tool)]
    require(f"{', '.join(lacking)} is missing: `apt-get install bind9-utils`" if lacking else "")
    files = {path[4:]: content for path, content in built(name).items() if path.startswith("dns/")}
    for path, content in files.items():
        (tmp_path / path).write_bytes(content)
    for path in files:
        if path.endswith(".zone"):
            command = ["named-checkzone", "-i", "local", path[:-5], path]
            told = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
            assert told.returncode == 0, told.stdout + told.stderr
            assert told.stdout.splitlines()[-1] == "OK"
    told = subprocess.run(
        ["named-checkconf", "-z", "named.conf"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout
    assert told.stdout.count(": loaded serial ") == len(files) - 1


@pytest.mark.parametrize("name", TRIED)
def test_names_and_addresses_are_the_plan_both_ways(name: str) -> None:
    """Each address has a name of its device and port, the reverse name leads back, and nothing else is there."""
    files = built(name)
    all_zones = zones(files)
    forward = {(n, value) for records in all_zones.values() for n, kind, value in records if kind in ("A", "AAAA")}
    back = {n: value for records in all_zones.values() for n, kind, value in records if kind == "PTR"}
    rows = [row for row in csv.DictReader(files["addresses.csv"].decode().splitlines()) if row["port"]]
    own = [row for row in rows if row["kind"] != "exit"]
    for row in own:
        address, port = row["prefix"].partition("/")[0], re.sub("[^a-z0-9]+", "-", row["port"].lower())
        assert any(n.startswith(f"{port}.{row['device']}.") and value == address for n, value in forward), row
        led = back[ip_address(address).reverse_pointer]
        assert (led, address) in forward
        assert row["device"] in led.split(".")[:2]
    assert len(back) == len({ip_interface(row["prefix"]).ip for row in own})


def test_devices_are_known_by_one_address() -> None:
    """Switches by management or else their loopback, nodes by their in-band port, in the domain of their fabric."""
    all_zones = zones(built("monday"))
    rows = csv.DictReader(built("monday")["addresses.csv"].decode().splitlines())
    planned = {(row["device"], row["port"]): row["prefix"].partition("/")[0] for row in rows}
    for device, port, domain in (
        ("compute-spine-01", "eth0", "fabric.example.net"),
        ("oob-leaf-p1-su01-01", "Loopback0", "oob.example.net"),
        ("p1-su01-n001", "SLOT1P2", "fabric.example.net"),
    ):
        records = [value for n, kind, value in all_zones[domain] if n == f"{device}.{domain}" and kind == "A"]
        assert records == [planned[device, port]]
    oob = all_zones["oob.example.net"]
    assert [value for _, kind, value in oob if kind == "NS"] == ["ns1.oob.example.net", "ns2.oob.example.net"]
    assert ("ns2.oob.example.net", "A", "10.32.0.7") in oob


def test_the_serial_number_changes_with_the_records() -> None:
    """And with nothing else."""
    one, other = (built_files(example_cluster("leaf-spine", *sets), "dns") for sets in ((), ("pods.p1.su=3",)))
    serials = [
        {zone: value for zone, records in zones(files).items() for _, kind, value in records if kind == "SOA"}
        for files in (one, other)
    ]
    changed = {zone for zone, soa in serials[0].items() if serials[1][zone] != soa}
    differ = {path[4:-5] for path in one if path.endswith(".zone") and _records(one[path]) != _records(other[path])}
    assert changed == differ
    assert "leaf-spine.internal" in changed
    assert changed != set(serials[0])


def _records(zone: bytes) -> list[bytes]:
    """The lines of a zone after that of its serial number."""
    return zone.splitlines()[2:]


def test_a_name_that_is_too_long_is_refused_at_its_domain() -> None:
    """BIND loads no zone with one, and so none of its names."""
    domain = ".".join(["fabric"] * 33)
    with pytest.raises(InputError, match=r"FG040.*has 2\d\d\n.*at most 253 characters"):
        built_files(example_cluster("bonded-pair", f"management.dns.domain={domain}"), "dns")
