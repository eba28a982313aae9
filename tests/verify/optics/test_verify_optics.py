"""`fabricgen verify --optics`, from dumps of modules and ports beside those of neighbours to an exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import BLUEPRINTS, Ran
from tests.verify.optics.sonic import LEAF, dumped

Command = Callable[..., Ran]

BLUEPRINT = BLUEPRINTS / "leaf-spine.yaml"


def report(ran: Ran) -> dict[str, Any]:
    """The JSON report of a run."""
    assert not ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_modules_and_ports_as_planned_are_green(tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, dumped(tmp_path), "--optics")
    assert (ran.code, ran.err) == (0, "")
    assert "optics: modules or ports of 6 of 56 planned cages are told of by dumps" in ran.out


def test_without_the_option_they_are_not_judged(tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, dumped(tmp_path, TRANSCEIVER_INFO__Ethernet224=None))
    assert ran.code == 0
    assert "1 dumps tell of modules and ports: --optics judges these" in ran.out


def test_what_is_wrong_is_an_action_of_its_cable(tmp_path: Path, fabricgen: Command) -> None:
    wrong = {
        "TRANSCEIVER_INFO__Ethernet224": None,
        "TRANSCEIVER_INFO__Ethernet0": {"cable_length": "15"},
        "TRANSCEIVER_INFO__Ethernet4": {"cable_length": "15"},
        "PORT_TABLE__Ethernet232": {"speed": "200000"},
    }
    dumps = dumped(tmp_path, **wrong)  # type: ignore[arg-type]
    ran = fabricgen("verify", BLUEPRINT, dumps, "--optics", "--format", "json")
    assert ran.code == 1
    actions = sorted(report(ran)["actions"], key=lambda action: action["cables"])
    assert [(action["kind"], action["moves"], action["cables"]) for action in actions] == [
        ("optic", 0, [f"{LEAF}:1"]),
        ("optic", 0, [f"{LEAF}:29"]),
        ("port", 0, [f"{LEAF}:30"]),
    ]
    assert "has OEM A2 (AOC, 15 m); aoc-25g-qsfp-dd-qsfp28-200g-1x2-10m (AOC, 10 m) is planned" in actions[0]["text"]
    assert "has no module in it; sr8-50g-qsfp-dd-400g (SR, 100 m) is planned" in actions[1]["text"]
    assert "Ethernet232 runs at 200G; 400G is planned" in actions[2]["text"]
    assert fabricgen("verify", BLUEPRINT, dumps, "--optics", "--only", "p1/su-last/rack-last").code == 0


def test_what_became_of_a_finding_is_known_by_optics_alone(tmp_path: Path, fabricgen: Command) -> None:
    """A slow port is open until its optics are seen to be right: another dump of its neighbours does not mend it."""
    dumps = dumped(tmp_path / "monday", PORT_TABLE__Ethernet232={"speed": "200000"})
    first = fabricgen("verify", BLUEPRINT, dumps, "--optics", "--format", "json")
    (tmp_path / "monday.json").write_text(first.out, encoding="utf-8")
    since = ("--since", tmp_path / "monday.json", "--format", "json")
    later = dumped(tmp_path / "tuesday")
    alone = report(fabricgen("verify", BLUEPRINT, later / "hall.csv", *since))["since"]
    assert (len(alone["mended"]), len(alone["unseen"])) == (0, 1)
    mended = fabricgen("verify", BLUEPRINT, later, "--optics", *since)
    assert mended.code == 0
    assert len(report(mended)["since"]["mended"]) == 1


def test_width_and_speed_of_infiniband(tmp_path: Path, fabricgen: Command) -> None:
    """Ports of switches have numbers there, labels in the plan; HDR in place of NDR, or 2X of 4X, is half the speed."""
    rows = {1: "4X        106.25 Gbps Active/  LinkUp", 2: "4X        53.125 Gbps Active/  LinkUp"}
    rows |= {3: "2X        106.25 Gbps Active/  LinkUp", 4: "               Down/Disabled"}
    far = {port: f"p1-su01-n{port:03} mlx5_0" for port in rows}
    lines = [
        f'           1  {port:3}[  ] ==( {link})==>     7    1[  ] "{far[port]}" ( )' for port, link in rows.items()
    ]
    (tmp_path / "ib.txt").write_text(
        "\n".join([f"Switch: 0x7cfe900300000001 MF0;{LEAF}:MQM9700/U1:", *lines, ""]), encoding="utf-8"
    )
    ran = fabricgen("verify", BLUEPRINTS / "superpod-b200.yaml", tmp_path, "--optics", "--format", "json")
    told = [(action["kind"], action["text"].partition(": ")[2]) for action in report(ran)["actions"]]
    assert [(kind, text) for kind, text in told if text.startswith(LEAF)] == [
        ("port", f"{LEAF}:1/2 runs at 200G over 4 lanes; 400G is planned"),
        ("port", f"{LEAF}:2/1 runs at 200G over 2 lanes; 400G is planned"),
        ("port", f"{LEAF}:2/2 is shut down"),
    ]
