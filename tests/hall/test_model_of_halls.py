"""The model of halls: that it stands alone, that its faults happen, and that its judge tells right from wrong."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random
from typing import Any

import pytest

import fabricgen.addons.emulation
from fabricgen.addons.emulation.faults import FAULTS
from fabricgen.addons.emulation.faults.laid import is_dark
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import Plug, Socket
from tests.hall.compiled import plan_of
from tests.hall.examples import EXAMPLES
from tests.hall.harmless import parallel
from tests.hall.judge import joined_ports, pull_of, wrong_links
from tests.hall.optimum import fewest_pulls
from tests.hall.verdict import contradictions, mistakes

HERE, MODEL = Path(__file__).parent, Path(fabricgen.addons.emulation.__file__).parent
DOOR = "compiled.py"
"""The one file that runs the package; tests call it, the model does not. `emulate.py` has the model in its hands."""


def test_the_model_imports_nothing_of_the_package() -> None:
    seen = {}
    for file in sorted((*HERE.rglob("*.py"), *MODEL.rglob("*.py"))):
        if file.name in (DOOR, "emulate.py") or file.name.startswith("test_"):
            continue
        names = []
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                names.append(node.module or "")
        ours = {name for name in names if name.split(".")[0] in ("fabricgen", "tests", "tools")}
        of_model = ("fabricgen.addons.emulation.", "tests.hall.")
        seen[file.name] = {n for n in ours if not f"{n}.".startswith(of_model) or n == "tests.hall.compiled"}
    assert len(seen) > 15
    assert {name: imported for name, imported in seen.items() if imported} == {}


@pytest.mark.parametrize("example", ["superpod-b300", "patched-hall", "leaf-spine"])
def test_the_plan_joins_the_links_of_the_list(example: str) -> None:
    plan = plan_of(example)
    hall = Hall(plan)
    assert joined_ports(hall) == set(plan.links)
    assert wrong_links(hall) == []
    assert fewest_pulls(hall) == 0
    assert None not in hall.list_sightings().values()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.tenth
def test_each_fault_happens_somewhere_and_is_mended_by_its_inverse(fault: str) -> None:
    happened = 0
    for example in ("superpod-b300", "patched-hall", "leaf-spine", "rail-groups", "pkeys"):
        hall = Hall(plan_of(example))
        laid = FAULTS[fault](hall, Random(fault))
        if laid is None:
            assert wrong_links(hall) == []
            continue
        happened += 1
        assert laid.fault == fault
        assert joined_ports(hall) != set(hall.plan.links)
        actions = _inverse(hall)
        assert [text for text in mistakes(hall, [laid], 1, actions) if not text.endswith("are enough")] == []
        assert contradictions(hall, actions) == []
        if wrong_links(hall):
            assert mistakes(hall, [laid], 0, [])
            assert mistakes(hall, [laid], 1, actions[:-1])
    assert happened


def _inverse(hall: Hall) -> list[dict[str, Any]]:
    """A report that puts everything right, one action for all of a kind."""
    actions = []
    wrong = {name: place for place, name in hall.names.items() if place != name}
    if wrong:
        actions.append(_action("exchange", renamed=wrong, boxes=len(wrong)))
    back = {plug: hall.plan.find_home(plug) for plug, socket in hall.at.items() if socket != hall.plan.find_home(plug)}
    for near, far in hall.halves.items():
        back[Plug(far, 1)] = hall.plan.find_home(Plug(near, 1))
    if back:
        steps = [{"pull": _end(hall.at[plug]), "put": _end(home)} for plug, home in back.items()]
        pulls = {pull_of(hall.at[plug], home) for plug, home in back.items()}
        actions.append(_action("ring", steps=steps, moves=len(pulls)))
    dark = [number for number in range(len(hall.plan.cords)) if is_dark(hall, number)]
    if dark:
        ends = [_end(home) for number in dark for home in hall.plan.cords[number].homes]
        actions.append(_action("dark", ends=ends, cables=[hall.plan.cords[number].cable for number in dark]))
    return actions


def _action(kind: str, **keys: Any) -> dict[str, Any]:
    empty = {"id": kind, "moves": 0, "boxes": 0, "steps": [], "ends": [], "cables": [], "text": ""}
    return empty | {"kind": kind} | keys


def _end(socket: Socket) -> dict[str, str]:
    label = socket.cage + (f"/{socket.connector}" if socket.connector else "")
    return {"device": socket.device, "port": "", "cage": socket.cage, "connector": label}


def test_the_optimum_counts_both_plugs_of_a_cage_once() -> None:
    hall = Hall(plan_of("superpod-b300"))
    leaf = "compute-leaf-p1-su01-r1-pl1-01"
    hall.rotate_plugs([Socket(leaf, "57", "1"), Socket(leaf, "58", "1")])
    assert fewest_pulls(hall) == 2
    hall.rotate_plugs([Socket(leaf, "57", "2"), Socket(leaf, "58", "2")])
    assert fewest_pulls(hall) == 2
    hall.rotate_plugs([Socket(leaf, "57", "1"), Socket(leaf, "57", "2")])
    assert fewest_pulls(hall) == 2


def test_the_optimum_is_at_the_common_end_of_splitters() -> None:
    hall = Hall(plan_of("multi-plane"))
    hall.rotate_plugs([Socket("p1-su01-n003", "OSFP3", connector) for connector in "12"])
    assert fewest_pulls(hall) == 2


def test_links_with_addresses_are_never_harmless() -> None:
    for example in ("superpod-b300", "superpod-b300 numbered"):
        plan = plan_of(example)
        assert not any(plan.links[link]["a_ip"] and plan.links[link]["b_ip"] for link in parallel(plan))
    assert any("spine" in port[0] for link in parallel(plan_of("superpod-b300")) for port in link)


def test_all_examples_are_known() -> None:
    assert len(EXAMPLES) >= 15
