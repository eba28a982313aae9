"""Whatever a dump holds, reading it ends in sightings or in a fault with a place, and soon."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.verify.sightings import join_sightings
from tests.verify.dumps.reading import read_dumps
from tests.verify.dumps.test_ibdiagnet_net_dump import TEXT as NET_DUMP
from tests.verify.dumps.test_iblinkinfo import TEXT as LINKINFO
from tests.verify.dumps.test_ibnetdiscover import TEXT as NETDISCOVER
from tests.verify.dumps.test_lldp_models import STATE, interfaces
from tests.verify.dumps.test_lldp_of_eos import BRIEF, detailed
from tests.verify.dumps.test_lldp_of_sonic import ENTRY, TABLE
from tests.verify.dumps.test_lldpctl import entry, entry0
from tests.verify.dumps.test_mac_tables import JSONS as MAC_JSONS
from tests.verify.dumps.test_mac_tables import TEXTS as MAC_TEXTS
from tests.verify.dumps.test_redfish import MEMBERS
from tests.verify.dumps.test_ufm_ndt import FULL as NDT

TEXTS = {
    "csv": 'device,port,neighbor,neighbor_port\nleaf-01,"1",n001,2\nleaf-01,3,,\n',
    "ibnetdiscover": NETDISCOVER,
    "iblinkinfo": LINKINFO,
    "sonic table": TABLE,
    "net_dump": NET_DUMP,
    "ndt": NDT,
    **{f"MACs of {name}": text for name, (text, _) in MAC_TEXTS.items()},
}
JSONS: dict[str, Any] = {
    "lldpctl json": {"lldp": {"interface": [{"eth0": entry()}, {"eth1": entry()}]}},
    "lldpctl json0": {"lldp": [{"interface": [entry0("eth0")]}]},
    "entry table": {
        "LLDP_ENTRY_TABLE:e0": {"type": "hash", "value": ENTRY},
        "LLDP_LOC_CHASSIS": {},
        "PORT_TABLE:e1": {},
    },
    "entries": {"LLDP_ENTRY_TABLE": {"e0": ENTRY}},
    "eos": {"jsonrpc": "2.0", "result": [{"hostname": "leaf-01"}, BRIEF]},
    "eos detail": {"lldpNeighbors": {"Ethernet1": {"lldpNeighborInfo": [detailed(interfaceId='"e1"')]}}},
    "nvue": {
        "swp1": {"lldp": {"neighbor": {"n": {"chassis": {"system-name": "n"}, "port": {"name": "eth0"}}}}, "link": {}}
    },
    "openconfig": {"openconfig-lldp:lldp": {"state": {}, "interfaces": {"interface": interfaces({"state": STATE})}}},
    "redfish": MEMBERS,
    **{f"MACs of {name}": value for name, (value, _) in MAC_JSONS.items()},
    "devices": {"leaf-01": {"lldp": {"interface": {"eth0": entry()}}}, "leaf-02": TABLE},
}
WRONG: tuple[Any, ...] = (None, True, 7, 1e400, "x", "", [], [[]], {}, {"": None}, "\ud800", 10**60)


def read(folder: Path, data: bytes) -> None:
    """Read a dump; anything but sightings, or faults with places in it, fails the test."""
    file = folder / "dump"
    file.write_bytes(data)
    found: tuple[Diagnostic, ...] = ()
    try:
        seen = read_dumps([str(file)], jobs=1)[0]
    except InputError as error:
        found = error.diagnostics
        seen = join_sightings([])
    assert all(each.code == "FG065" for each in found)
    assert all(each.span is not None and each.span.line >= 1 and each.span.column >= 1 for each in found)
    "".join([*seen.texts, *(text for box in seen.boxes for text in box)]).encode("utf-8")


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.tenth
@pytest.mark.parametrize("data", [*(text.encode() for text in TEXTS.values()), *map(dumped, JSONS.values())])
def test_dumps_that_are_cut_off_anywhere(tmp_path: Path, data: bytes) -> None:
    for end in range(0, len(data), 1 + len(data) // 300):
        read(tmp_path, data[:end])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value of JSON."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from places(below, (*path, key))


@pytest.mark.tenth
@pytest.mark.parametrize("name", JSONS)
def test_every_value_may_be_of_a_wrong_type(tmp_path: Path, name: str) -> None:
    for path in places(JSONS[name]):
        for wrong in WRONG:
            whole = {"": copy.deepcopy(JSONS[name])}
            holder: Any = whole
            for key in ("", *path)[:-1]:
                holder = holder[key]
            holder[("", *path)[-1]] = wrong
            read(tmp_path, dumped(whole[""]))


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_bytes_in_dumps(tmp_path: Path, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from([*(text.encode() for text in TEXTS.values()), *map(dumped, JSONS.values())]))
    start = data.draw(st.integers(0, len(whole)))
    noise = data.draw(
        st.binary(max_size=12) | st.sampled_from([b"\0", b'"', b"\n", b"]", b"{", b"\\ud800", b"\xfe\xff"])
    )
    read(tmp_path, whole[:start] + noise + whole[start + data.draw(st.integers(0, 9)) :])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_random_files(tmp_path: Path, data: bytes) -> None:
    read(tmp_path, data)


HOSTILE = {
    "deep lists": b'{"lldp": ' + b"[" * 200_000,
    "deep objects": b'{"lldp":' * 100_000,
    "deep and whole": b'{"lldp":' + b"[" * 900 + b"]" * 900 + b"}",
    "a huge number": b'{"lldp": {"interface": {"eth0": {"rid": ' + b"9" * 100_000 + b"}}}}",
    "keys that occur twice": b'{"lldp": {"interface": 7, "interface": {"eth0": 7, "eth0": {"port": 7, "port": []}}}}',
    "blanks": b" " * 2_000_000,
    "empty lines": b"\n" * 500_000 + TABLE.encode(),
    "a long line of iblinkinfo": LINKINFO.encode() + b"==(" * 200_000,
    "a long line of ibnetdiscover": NETDISCOVER.encode() + b'Ca 1 "H-1" # "' * 100_000,
    "MACs without end": b"Ethernet switching table : 1\n" + b" v 00:11:22:33:44:55" * 60_000,
    "blanks of MACs": (b" " * 4000 + b"x\n") * 300 + MAC_TEXTS["SONiC"][0].encode() + (b"1 " * 900 + b"\n") * 900,
    "nested members": b'{"@odata.id": "x", "Members": [' * 300 + b"]}" * 300,
    "quotes of net_dump": NET_DUMP.encode() + b'"' * 1_000_000,
    "colons of net_dump": NET_DUMP.encode() + (b":" * 1999 + b"\n") * 2_000,
    "brackets of iblinkinfo": LINKINFO.encode() + (b'0x1 "' * 390 + b"\n") * 200,
    "a header of a million columns": b"device,port,neighbor,neighbor_port" + b",x" * 1_000_000,
    "quotes": b'device,port,neighbor,neighbor_port\n"' + b"a" * 1_000_000,
    "nothing": b"",
    "a mark alone": b"\xef\xbb\xbf",
    "half of UTF-16": b"\xff\xfe{",
}


SECONDS = 20
"""Of a processor, after which a file is said to hang: it is a second or two on a free machine."""


@pytest.mark.tenth
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_soon(tmp_path: Path, name: str) -> None:
    start = time.process_time()
    read(tmp_path, HOSTILE[name])
    assert time.process_time() - start < SECONDS
