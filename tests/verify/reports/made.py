"""A small plan, and diagnoses of it made by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from fabricgen.verify.actions import (
    Action,
    Alternative,
    CableState,
    Consequence,
    Diagnosis,
    End,
    Kind,
    Step,
)
from fabricgen.verify.planned import PlannedCluster, make_plan
from fabricgen.verify.progress.earlier import Earlier
from fabricgen.verify.report import Report, VerifyRequest, make_report
from tests.conftest import example_cluster

LEAF = "compute-leaf-p1-su01-r1-01"
NAUGHTY = "n\x1b[31m\n::error::=cmd|' /C calc'!A0<&\"%,"
"""A name with control characters, a workflow command, a formula, and what XML and CSV have meanings for."""


@cache
def planned() -> PlannedCluster:
    """leaf-spine: 24 cables, of which eight are breakouts to two nodes."""
    return make_plan(example_cluster("leaf-spine"))


def end(place: str) -> End:
    """The planned end at DEVICE:PORT."""
    plan = planned().cabling
    device, _, port = place.partition(":")
    row = plan.device_numbers[device]
    found = next(p for p in plan.list_device_ports(row).tolist() if plan.port_text(p) == port)
    rack, u = str(plan.read_device("rack", row)), int(plan.read_device("u", row))
    return End(device, port, rack, u, plan.find_cage(found), plan.make_label(found))


def swapped() -> Action:
    """Two uplinks of a leaf exchanged."""
    one, other = end(f"{LEAF}:Ethernet224"), end(f"{LEAF}:Ethernet232")
    steps = (
        Step(f"{LEAF}:29", pull=other, put=one, reaches=True),
        Step(f"{LEAF}:30", pull=one, put=other, reaches=False),
    )
    far = Alternative(Kind.SWAP, "or swap the two plugs at the spines", 2)
    costs = Consequence(
        2, astray_gbps={"compute leaf-spine": 800.0}, rails=(("compute", 1, 2),), nodes=2, accelerators=16
    )
    text = f"two plugs of {LEAF} are swapped: Ethernet224 and Ethernet232"
    cables = (f"{LEAF}:29", f"{LEAF}:30")
    return Action(Kind.SWAP, 2, cables, (one, other), text, steps=steps, alternatives=(far,), consequence=costs)


def dark() -> Action:
    """A cable that sees nobody."""
    cable = f"{LEAF}:31"
    ends = (end(f"{LEAF}:Ethernet240"), end("compute-spine-03:Ethernet0"))
    return Action(Kind.DARK, 0, (cable,), ends, f"{cable} is dark: neither end sees the other")


def exchanged() -> Action:
    """Two nodes exchanged, of which one has a name that wants to do harm."""
    ends = (End("p1-su02-n002", "", "p1-su02-rk01", 2), End("p1-su02-n001", "", "p1-su02-rk01", 1))
    price = Alternative(Kind.SWAP, "or move their plugs", 4)
    renamed = {NAUGHTY: "p1-su02-n001", "p1-su02-n001": "p1-su02-n002"}
    text = f"{NAUGHTY} and p1-su02-n001 are exchanged"
    return Action(Kind.EXCHANGE, 0, (), ends, text, boxes=2, alternatives=(price,), renamed=renamed)


def diagnosis(*actions: Action, unseen: tuple[str, ...] = (), extra: tuple[str, ...] = ()) -> Diagnosis:
    """Cables of actions are dark or elsewhere, some are unseen, all others as planned."""
    plan = planned().cabling
    states = np.full(len(plan.cable_ids), int(CableState.AS_PLANNED), dtype=np.int32)
    number = {name: row for row, name in enumerate(plan.cable_ids.tolist())}
    for name in unseen:
        states[number[name]] = CableState.UNSEEN
    for action in actions:
        wrong = CableState.DARK if action.kind is Kind.DARK else CableState.ELSEWHERE
        states[[number[name] for name in action.cables]] = wrong
    return Diagnosis(states, actions, extra=extra)


def made(
    *actions: Action,
    only: tuple[str, ...] = (),
    earlier: Earlier | None = None,
    unseen: tuple[str, ...] = (),
    extra: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Report:
    """A report on a diagnosis."""
    found = replace(diagnosis(*actions, unseen=unseen, extra=extra), notes=notes)
    return make_report(planned(), found, VerifyRequest(only, earlier))
