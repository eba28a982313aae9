"""Many faults at once in a large hall: all are found, and nothing else, in time that grows with the faults alone."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import numpy as np
import pytest

from fabricgen.verify.actions import CableState, Kind
from fabricgen.verify.cabling import PlannedCabling, make_cabling
from fabricgen.verify.diagnosis import diagnose
from fabricgen.verify.sightings import SeenPorts
from tests.conftest import example_cluster
from tests.effort import calls

SWAPS, RINGS, BOXES, DARK = 160, 100, 10, 100


@cache
def _colossus() -> PlannedCabling:
    """660,480 links; a value is set as it is, so that the whole example is taken."""
    return make_cabling(example_cluster("colossus-200k", "name=colossus-200k"))


def _as_planned(cabling: PlannedCabling) -> SeenPorts:
    ports = cabling.ports
    joined_to = (np.arange(ports) ^ 1).astype(np.int32)
    none = np.zeros(ports, dtype=bool)
    return SeenPorts(joined_to, np.full(ports, -1, dtype=np.int32), ~none, none, none.copy())


def _rotate(joined_to: np.ndarray, ports: list[int]) -> None:
    far = joined_to[ports].tolist()
    for port, other in zip(ports, [*far[1:], far[0]], strict=True):
        joined_to[[port, other]] = other, port


def _with_faults(cabling: PlannedCabling) -> tuple[SeenPorts, dict[Kind, int], int]:
    """(What is seen, how many actions of each kind explain it, how many plugs were moved.)"""
    random, seen = Random(7), _as_planned(cabling)
    tier = cabling.devices["tier"]
    nodes = [at for at, name in enumerate(tier.texts()) if name == "node"]
    boxes = random.sample(nodes, 2 * BOXES)
    single = np.bincount(cabling.plug)[cabling.plug] == 1
    ends = np.flatnonzero(single[0::2] & single[1::2] & ~np.isin(cabling.device, boxes).reshape(-1, 2).any(axis=1)) * 2
    lengths = [2] * SWAPS + [random.randint(3, 6) for _ in range(RINGS)]
    chosen = random.sample(ends.tolist(), sum(lengths) + DARK)
    for length in lengths:
        ring, chosen = chosen[:length], chosen[length:]
        _rotate(seen.joined_to, ring)
    for port in chosen:
        seen.joined_to[[port, port + 1]] = -1
    for one, other in zip(boxes[::2], boxes[1::2], strict=True):
        pair = (cabling.list_device_ports(device) for device in (one, other))
        for port, same in zip(*pair, strict=True):
            assert cabling.port_text(port) == cabling.port_text(same)
            _rotate(seen.joined_to, [port, same])
    return seen, {Kind.EXCHANGE: BOXES, Kind.DARK: DARK}, sum(lengths)


@pytest.mark.slow
def test_all_is_found_and_nothing_else():
    cabling = _colossus()
    seen, wanted, moved = _with_faults(cabling)
    found = diagnose(cabling, seen)
    kinds = Counter(action.kind for action in found.actions)
    assert {kind: kinds.pop(kind) for kind in wanted} == wanted
    assert set(kinds) <= {Kind.SWAP, Kind.RING, Kind.CROSSED, Kind.SHIFT, Kind.SPLITTER}
    assert kinds.total() == SWAPS + RINGS
    assert sum(action.moves for action in found.actions) == moved
    cables = [cable for action in found.actions for cable in action.cables]
    assert len(set(cables)) == (found.states >= CableState.DARK).sum()  # of a cable, two jumpers may be elsewhere
    assert not found.extra
    assert not found.notes


@pytest.mark.slow
def test_effort_grows_with_the_faults_alone():
    cabling = _colossus()
    clean = _as_planned(cabling)
    diagnose(cabling, clean)
    assert calls(lambda: diagnose(cabling, clean)) < 2_000
    seen, _, _ = _with_faults(cabling)
    assert calls(lambda: diagnose(cabling, seen)) < 2_000 * len(_wrong(seen))


def _wrong(seen: SeenPorts) -> np.ndarray:
    return np.flatnonzero(seen.joined_to != np.arange(len(seen.joined_to)) ^ 1)


@pytest.mark.slow
def test_another_hall_is_one_action():
    cabling = _colossus()
    seen = _as_planned(cabling)
    order = np.random.default_rng(1).permutation(cabling.ports // 2)
    a, b = 2 * np.arange(cabling.ports // 2), 2 * order + 1
    seen.joined_to[a], seen.joined_to[b] = b, a
    found = diagnose(cabling, seen)
    assert len(found.actions) == 1
    assert "is this the plan of this hall?" in found.actions[0].text
    assert len(found.actions[0].cables) == (found.states == CableState.ELSEWHERE).sum()
    assert any("More than half" in note for note in found.notes)
