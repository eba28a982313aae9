"""What part of a plan a verification is about: `--only p1/su3`.

A cable is in a place when either of its ends is, and in a fabric when it is the fabric's. What no dump shows is counted
within the scope alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.numbering.lazy_columns import EncodedColumn
from fabricgen.verify.actions import Action
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.wiring.tables import Flags, unique_values

_PART = re.compile(r"^(su|rack)-?(\d{1,9}|last)$")


@dataclass(frozen=True)
class Scope:
    """The places asked for (none: the whole plan), and what is in them: devices by row, cables by PlannedCabling.

    `names` are the devices in them, `places` those of them that are there by place: of a fabric only its cables are
    asked for, not what else its switches have.
    """

    asked: tuple[str, ...]
    devices: Flags
    cables: Flags
    names: frozenset[str]
    places: frozenset[str]
    cable_ids: frozenset[str]

    def holds(self, action: Action) -> bool:
        """Whether an action touches the scope: a cable in it is wrong because of it, or one has to go there."""
        return (
            not self.asked
            or not self.cable_ids.isdisjoint(action.cables)
            or any(end.device in self.places for end in action.ends)
        )

    def tells(self, text: str) -> bool:
        """Whether a sentence names a device in the scope as DEVICE:PORT."""
        return not self.asked or any(word.partition(":")[0] in self.names for word in text.split())


def scope_of(plan: PlannedCabling, asked: Sequence[str]) -> Scope:
    """The scope of some places.

    Each is a site, a pod, a unit (p1/su3), a rack of it (p1/su3/rack2), a rack, a device, a fabric, or a tier
    (compute.spine). Raises InputError (FG066) for one that the plan does not have.
    """
    wired = np.bincount(plan.cable, minlength=len(plan.cable_ids)) > 0
    if not asked:
        return Scope((), np.ones(len(plan.device_names), dtype=bool), wired, frozenset(), frozenset(), frozenset())
    devices, places = (np.zeros(len(plan.device_names), dtype=bool) for _ in range(2))
    links = np.zeros(len(plan.cable), dtype=bool)
    for text in asked:
        here, own = _devices(plan, text), _equal(plan.links["fabric"], text)
        switches = _equal(plan.devices["fabric"], text)
        if not here.any() and not own.any() and not switches.any():
            hint = did_you_mean(text, _places(plan))
            raise fault("FG066", f"the plan has no place '{text}' to verify", hint=hint)
        places |= here
        devices |= here | switches
        links |= own | here[plan.device].reshape(-1, 2).any(axis=1)
    cables = np.zeros(len(plan.cable_ids), dtype=bool)
    cables[plan.cable[links]] = True
    names = np.array(plan.device_names, dtype=object)
    told, there = (frozenset(names[rows].tolist()) for rows in (devices, places))
    return Scope(tuple(asked), devices, cables, told, there, frozenset(plan.cable_ids[cables].tolist()))


def _devices(plan: PlannedCabling, text: str) -> Flags:
    """The devices of a place, by row; none of a fabric, whose cables are its own, not all of its switches."""
    columns = plan.devices
    found = np.zeros(len(plan.device_names), dtype=bool)
    for name in ("device", "rack", "pod", "site"):
        found |= _equal(columns[name], text)
    fabric, _, tier = text.partition(".")
    found |= _equal(columns["fabric"], fabric) & _equal(columns["tier"], tier)
    pod, *rest = text.split("/")
    parts = [match.groups() if (match := _PART.match(part)) else ("", part) for part in rest]
    if [kind for kind, _ in parts] in (["su"], ["su", "rack"]):
        found |= _unit(plan, _equal(columns["pod"], pod), parts)
    return found


def _unit(plan: PlannedCabling, pod: Flags, parts: Sequence[tuple[str, ...]]) -> Flags:
    """The devices of a unit of a pod, or of one of its racks, which are counted from 1 where the unit has nodes."""
    found = pod & _nth(plan, "su", pod, parts[0][1])
    if len(parts) == 1:
        return found
    nodes = found & _equal(plan.devices["tier"], "node")
    column = plan.devices["rack"]
    racks = list(dict.fromkeys(column.codes[nodes].tolist()))
    number = len(racks) if parts[1][1] == "last" else int(parts[1][1])
    return found & (column.codes == racks[number - 1]) if 0 < number <= len(racks) else np.zeros_like(found)


def _nth(plan: PlannedCabling, name: str, pod: Flags, number: str) -> Flags:
    column = plan.devices[name]
    there = [int(text) for text in column.vocabulary[unique_values(column.codes[pod])].tolist() if text]
    return _equal(column, str(max(there, default=0) if number == "last" else int(number)))


def _equal(column: EncodedColumn, text: str) -> Flags:
    same = np.array([bool(text) and each == text for each in column.vocabulary.tolist()], dtype=bool)
    found: Flags = same[column.codes] if len(same) else np.zeros(len(column), dtype=bool)
    return found


def _places(plan: PlannedCabling) -> set[str]:
    """Every name of a place that a person may have meant."""
    names: set[str] = set(plan.links["fabric"].vocabulary.tolist())
    for column in ("device", "rack", "pod", "site", "fabric"):
        names |= set(plan.devices[column].vocabulary.tolist())
    rows = (plan.devices[name].texts().tolist() for name in ("pod", "su", "fabric", "tier"))
    for pod, su, fabric, tier in set(zip(*rows, strict=True)):
        names |= {f"{pod}/su{su}" if pod and su else "", f"{fabric}.{tier}" if fabric else ""}
    return names - {""}
