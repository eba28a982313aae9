"""Lists and lines of the lock that cannot be adopted: each refused at its place, all of them at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lock.test_import import BLUEPRINT, LEAVES, LOCK, SPINES, blueprint, write_file
from tests.lock.test_lock_command import edit_once

__all__ = ["blueprint"]


def test_every_fault_is_reported_at_once(blueprint: Path, fabricgen) -> None:
    text = f"""device,name,asn,loopback,mgmt,port,address
compute-leaf-p1-su01-r1-1,x,,,,,
{LEAVES[0]},Bad_Name,65535,10.0.0.300,,,
{LEAVES[1]},,,10.9.0.1/24,192.168.1.1,,

{LEAVES[2]},,,,,Ethernet9999,10.1.1.1
{LEAVES[3]},,65000,,,Ethernet224,
{LEAVES[3]},,65001,,,Ethernet224,10.1.1.0/30
p1-su01-n001,,65001,,,eth1,10.1.1.0/31
{SPINES[0]},,,,,Ethernet0,10.1.1.7
{LEAVES[0]},,,,,Ethernet224,10.1.1.0
a,b
,x,,,,,
"""
    ran = fabricgen("lock", blueprint, "--import", write_file("bad.csv", text))
    assert ran.code == 2
    assert not LOCK.exists()
    parted = [line.partition(": error") for line in ran.err.splitlines() if ": error" in line]
    reported = [f"{position} {message[1:6]} {message[9:]}" for position, _, message in parted]
    expected = [
        "bad.csv:2:27 FG050 there is no device 'compute-leaf-p1-su01-r1-1'",
        "bad.csv:3:28 FG050 'Bad_Name' is not a host name",
        "bad.csv:3:37 FG050 AS number 65535 is reserved",
        "bad.csv:3:43 FG050 '10.0.0.300' is not an address",
        "bad.csv:4:30 FG050 10.9.0.1/24: the prefix length there is /32",
        "bad.csv:4:42 FG047 192.168.1.1 is not in 10.16.0.0/28",
        f"bad.csv:6:45 FG050 {LEAVES[2]} has no cabled port 'Ethernet9999'",
        "bad.csv:7:37 FG050 port Ethernet224 has no address",
        f"bad.csv:8:29 FG050 {LEAVES[3]} asn is 65001 here and 65000 at bad.csv:7:29",
        "bad.csv:8:49 FG050 10.1.1.0/30: the prefix length there is /31",
        "bad.csv:9:15 FG050 p1-su01-n001 has no AS number",
        "bad.csv:9:28 FG047 10.128.0.1/31 is on a routed link of two addresses",
        "bad.csv:11:44 FG050 10.1.1.0 is not in one /31 with the address of the far end",
        "bad.csv:12:1 FG050 this line has 2 columns, the first one 7",
        "bad.csv:13:1 FG050 this line names no device",
    ]
    assert [line[: len(start)] for line, start in zip(reported, expected, strict=False)] == expected
    assert len(reported) == len(expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "device,lopback\n",
            "bad.csv:1:8: error[FG050]: there is no column 'lopback'\n  hint: did you mean 'loopback'?",
        ),
        ("device,asn,asn\n", "bad.csv:1:12: error[FG050]: the column 'asn' is there twice"),
        ("name,asn\n", "bad.csv:1:1: error[FG050]: there is no column 'device'"),
        ("device,port\n", "bad.csv:1:1: error[FG050]: 'port' and 'address' go together"),
        ("", "bad.csv:1:1: error[FG050]: the list is empty"),
        ('device,asn\n"x\n', "bad.csv:2:1: error[FG050]: this is no CSV"),
        ("device,asn\n\x07,1\n", "bad.csv:2:1: error[FG002]: the control character U+0007 is not allowed in CSV"),
        (f"device,asn\n{SPINES[0]},65001\n{LEAVES[0]},65001\n", f"65001 is also the AS number of {SPINES[0]}"),
        (f"device;loopback\n{SPINES[0]};10.9.0.1\n{LEAVES[0]};10.9.0.1\n", "bad.csv:3:28: error[FG048]: 10.9.0.1"),
        (f"device,loopback\n{SPINES[0]},127.0.0.1\n", "127.0.0.1 is reserved"),
        (
            f"device,name\n{SPINES[0]},{SPINES[1]}\n",
            f"bad.csv:2:18: error[FG035]: two devices would be named {SPINES[1]}",
        ),
        (f"device,loopback\n{SPINES[0]},10.0.0.1/x\n", "'10.0.0.1/x' has no prefix length such as /31"),
    ],
)
def test_a_list_that_cannot_be_adopted(blueprint: Path, fabricgen, text: str, said: str) -> None:
    ran = fabricgen("lock", blueprint, "--import", write_file("bad.csv", text))
    assert ran.code == 2
    assert said in ran.err
    assert not LOCK.exists()


def test_neighbours_with_one_number_are_refused_at_their_line(blueprint: Path, fabricgen) -> None:
    border = "      border: {switch: sn4700, below: spine, count: 2, peer: 2 x 400G, uplinks: 4 x 400G}\n"
    write_file("demo.yaml", BLUEPRINT.replace(", uplinks: 4 x 400G", "") + border)
    have = "device,asn\ncompute-border-01,65000\ncompute-border-02,65000\n"
    ran = fabricgen("lock", blueprint, "--import", write_file("bad.csv", have))
    assert ran.code == 2
    assert "error[FG049]: compute-border-0" in ran.err
    assert ran.err.startswith("bad.csv:")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compute-spine-01 colour: red", "'compute-spine-01 colour' is nothing that can be adopted"),
        ("compute-spine-01 asn: 65535", "AS number 65535 is reserved"),
        ("compute-spine-01 loopback: fd00::1", "fd00::1 is no IPv4 address"),
        ("compute-spine-01 loopback: 10.64.0.2", "is also the address of"),
        ("compute-spine-01 port Ethernet0: 192.0.2.1", "the lock has the link of"),
    ],
)
def test_a_damaged_line_of_the_lock(blueprint: Path, fabricgen, line: str, said: str) -> None:
    have = f"device,port,address\n{LEAVES[0]},Ethernet224,192.0.2.0\n"
    fabricgen("lock", blueprint, "--import", write_file("have.csv", have))
    edit_once(LOCK, "adopted:\n", f"adopted:\n  {line}\n")
    ran = fabricgen("build", blueprint, "-o", "one")
    assert ran.code == 2
    assert "demo.lock.yaml:" in ran.err
    assert said in ran.err
