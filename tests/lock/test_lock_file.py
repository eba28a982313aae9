"""The text of a lock: it comes back as it was written, and what is damaged is refused with a way out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.blueprint.beside.lock import KINDS, Lock, format_lock, parse_lock
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.intervals import AllocationRequest, Interval, allocate_intervals

GOOD = """\
fabricgen-lock: 1
blueprint: demo
pods:
  p1: 0
  p2: 1
units:
  p1: 0-3, 8-9
  p2: 4-7
ipv4:
  compute leaf (su) loopback: 10.0.0.0/30, 10.0.1.0/30
ipv6:
  compute leaf (su) loopback: "fd00::/126"
rooms:
  compute spine: 64
"""


def read_refusals(text: str) -> str:
    """What is said of a damaged lock, with its place."""
    with pytest.raises(InputError) as error:
        parse_lock(text.encode(), "demo.lock.yaml")
    assert all(d.hint and d.span and d.code.startswith("FG0") for d in error.value.diagnostics)
    return "\n".join(f"{d.span.line}:{d.span.column} {d.message}" for d in error.value.diagnostics if d.span)


def test_a_lock_is_read() -> None:
    lock = parse_lock(GOOD.encode(), "demo.lock.yaml")
    assert lock.blueprint == "demo"
    assert lock.find_allocations("units")["p1"] == (Interval(0, 4), Interval(8, 2))
    assert lock.find_allocations("ipv4")["compute leaf (su) loopback"] == (
        Interval(10 << 24, 4),
        Interval((10 << 24) + 256, 4),
    )
    assert lock.find_allocations("ipv6")["compute leaf (su) loopback"] == (Interval(0xFD << 120, 4),)
    assert lock.rooms == {"compute spine": 64}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("fabricgen-lock: 1", "fabricgen-lock: 2", "1:17 this lock is of version 2; this fabricgen reads version 1"),
        ("fabricgen-lock: 1", "fabricgen-lock: one", "1:17 the version of a lock is a number, not 'one'"),
        ("fabricgen-lock: 1", "version: 1", "1:1 this is no lock of fabricgen"),
        ("blueprint: demo", "blueprint: 7", "2:12 a lock names its blueprint"),
        ("p2: 1", "p2: x", "5:7 'x' is no list of numbers such as 0-15, 32-47"),
        ("p2: 1", "p2: 7-3", "5:7 '7-3' is no list of numbers such as 0-15, 32-47"),
        ("p2: 1", "p2: 0", "5:7 'p1' and 'p2' both hold 0: two branches gave it away"),
        ("p2: 4-7", "p2: 3-7", "8:7 'p1' and 'p2' both hold 3: two branches gave it away"),
        ("10.0.1.0/30", "10.0.1.1/30", "10:31 '10.0.0.0/30, 10.0.1.1/30' is no list of prefixes: 10.0.1.1/30 has host"),
        ("rooms:", "roms:", "14:3 a lock has no 'roms'"),
        ("compute spine: 64", "compute spine: -1", "14:18 -1 is no count"),
        ("compute spine: 64", "compute spine: 63", "14:18 63 is no room: a power of two from 1 on"),
        ("compute spine: 64", "compute spine uplink: 1", "14:25 1 is no room: a power of two from 2 on"),
        ("rooms:", "vlans: {compute: 5000}\nrooms:", "13:18 5000 is no VLAN: 2 to 4094"),
        ("rooms:", "dealing: {compute spine: lala}\nrooms:", "13:26 'lala' is not how ports are dealt"),
        ("rooms:", "managed all: {c leaf: 0-4194304}\nrooms:", "4194304 is too large: these numbers end at 4194303"),
        ("rooms:", "shelved: {mgmt: 8-15}\nrooms:", "'8-15' is no place in racks"),
        ("rooms:", "racked: {c leaf: 140-201}\nrooms:", "'140-201' is no place in racks"),
        ("rooms:", "cages c leaf: {x 400: 1-8}\nrooms:", "13:23 'x 400' is no kind of port such as '2 x 400 over 100'"),
        ("rooms:", "cages c leaf: {1 x 9 over 9: '1, 2', 2 x 9 over 9: '2'}\nrooms:", "both hold 2: two branches gave"),
        ("rooms:\n", "rooms:\n  managed all: 4194304\n", "14:16 4194304 is too large: these counts end at 4194303"),
        (
            "rooms:",
            "extras:\n  c a 1: p1 cage 1/1\n  c b 1: p1 cage 1/1\nrooms:",
            "15:10 'c a 1' and 'c b 1' both hold p1 cage 1/1: two branches gave it away",
        ),
        ("pods:\n", "pods: 3\npods2:\n", "3:7 'pods' is a mapping from holders to numbers"),
        ("  p2: 1\n", "<<<<<<< HEAD\n  p2: 1\n=======\n  p3: 1\n>>>>>>> b\n", ""),
    ],
)
def test_a_damaged_lock_is_refused_at_its_place(old: str, new: str, said: str) -> None:
    assert said in read_refusals(GOOD.replace(old, new, 1))


NAMES = st.from_regex(r"[a-z][a-z0-9 -]{0,20}[a-z0-9]", fullmatch=True)


@pytest.mark.slow
@given(
    st.dictionaries(st.one_of(NAMES, st.sampled_from(["on", "no", "y", "null"])), st.integers(1, 70), max_size=8),
    st.sampled_from(["units", "asns", "units east", "ipv4", "ipv6"]),
    st.dictionaries(NAMES, st.integers(3, 100).map(lambda bits: 1 << bits), max_size=4),
)
def test_what_is_written_is_read_back(sizes: dict[str, int], kind: str, rooms: dict[str, int]) -> None:
    window = (Interval(1 << 16, 1 << 16),)
    held = allocate_intervals({}, [AllocationRequest(name, size, window) for name, size in sizes.items()])
    lock = Lock("demo", {kind: held} if held else {}, rooms)
    text = format_lock(lock)
    again = parse_lock(text.encode(), "demo.lock.yaml")
    assert format_lock(again) == text
    assert again.rooms == rooms
    for name, intervals in held.items():
        numbers = [n for e in intervals for n in range(e.first, e.end)]
        assert [n for e in again.find_allocations(kind)[name] for n in range(e.first, e.end)] == numbers


@pytest.mark.parametrize("number", ["'73786976294838206464'", "'3, 73786976294838206464'", "0-73786976294838206464"])
@pytest.mark.parametrize("kind", [*(k for k in KINDS if k not in ("ipv4", "ipv6")), "units east"])
def test_a_number_beyond_any_cluster_is_refused_at_its_line(kind: str, number: str) -> None:
    messages = read_refusals(f"fabricgen-lock: 1\nblueprint: demo\n{kind}:\n  compute spine: {number}\n")
    assert messages.startswith("4:18 ")
    assert "is too large: these numbers end at" in messages or "is no VLAN" in messages


@pytest.mark.parametrize("room", ["managed su", "floor compute spine", "compute leaf for extras 400 over 100"])
def test_a_room_for_more_ports_than_there_are_is_refused(room: str) -> None:
    messages = read_refusals(f"fabricgen-lock: 1\nblueprint: demo\nrooms:\n  {room}: '73786976294838206464'\n")
    assert "is too large: these counts end at" in messages


def test_steps_beyond_any_cluster_are_refused() -> None:
    assert "is no count of groups" in read_refusals(
        "fabricgen-lock: 1\nblueprint: demo\nstacked:\n  compute spine: 1x73786976294838206464\n"
    )
