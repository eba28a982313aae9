"""How long `verify` takes for a hall of 660,480 links with a thousand faults: `python -m benchmarks.hall`.

The dumps are made of the lists of a build, with plugs exchanged, boxes exchanged and cables pulled at random (the seed
is fixed): as one CSV, as LLDP_ENTRY_TABLE of every switch, and as `lldpctl -f json0` of every switch and node; the CSV
is held against the built folder as well. A report that does not say exactly these faults is an error. Results go to
`benchmarks/results/hall.json`.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing import Process
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import measure

RESULTS = Path(__file__).parent / "results" / "hall.json"
BLUEPRINT = "blueprints/colossus-200k.yaml"
FABRICGEN = (sys.executable, "-m", "fabricgen")
SWAPS, RINGS, BOXES, PULLED = 600, 100, 20, 280


class Port(NamedTuple):
    """A port of a device, as named in links.csv."""

    device: str
    port: str


Joined = list[tuple[Port, Port]]


def faulty(links: Joined, cables: list[str], dice: random.Random) -> Joined:
    """The links of the hall: some plugs exchanged, some boxes exchanged, some cables pulled.

    Faults keep out of each other's way, so that their number is known: a cable has at most one.
    """
    whole = [row for row, count in enumerate(map(Counter(cables).__getitem__, cables)) if count == 1]
    dice.shuffle(whole)
    nodes = sorted({links[row][0].device for row in whole[-1000:]})
    boxes = dice.sample(nodes, BOXES)
    names: dict[str, str] = {}
    for first, second in zip(boxes[::2], boxes[1::2], strict=True):
        names |= {first: second, second: first}
    joined, rows = list(links), (row for row in whole if links[row][0].device not in names)
    for size, number in ((2, SWAPS), (3, RINGS)):
        for _ in range(number):
            ring = _apart(links, rows, size)
            for row, other in zip(ring, [*ring[1:], ring[0]], strict=True):
                joined[row] = links[row][0], links[other][1]
    pulled = {next(rows) for _ in range(PULLED)}
    renamed = ((a._replace(device=names.get(a.device, a.device)), b) for a, b in joined)
    return [link for row, link in enumerate(renamed) if row not in pulled]


def _apart(links: Joined, rows: Iterator[int], count: int) -> list[int]:
    """The next rows, of which no two have a device in common: plugs of parallel links may change places."""
    found: list[int] = []
    used = set[str]()
    while len(found) < count:
        row = next(rows)
        ends = {end.device for end in links[row]}
        if not ends & used:
            used |= ends
            found.append(row)
    return found


def neighbors(joined: Joined) -> Joined:
    """What each port sees, both ends of every link, by device."""
    return sorted([*joined, *((b, a) for a, b in joined)])


def by_device(joined: Joined) -> dict[str, list[tuple[str, Port]]]:
    """What the ports of each device see."""
    found: dict[str, list[tuple[str, Port]]] = {}
    for near, far in neighbors(joined):
        found.setdefault(near.device, []).append((near.port, far))
    return found


def as_csv(joined: Joined, _: set[str], folder: Path) -> None:
    """One list of all links, from both ends."""
    with (folder / "hall.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("device", "port", "neighbor", "neighbor_port"))
        rows.writerows((*near, *far) for near, far in neighbors(joined))


def as_entry_table(joined: Joined, switches: set[str], folder: Path) -> None:
    """LLDP_ENTRY_TABLE of every switch."""
    for device, seen in by_device(joined).items():
        if device in switches:
            table = {
                f"LLDP_ENTRY_TABLE:{port}": {
                    "type": "hash",
                    "value": {
                        "lldp_rem_sys_name": far.device,
                        "lldp_rem_port_id": far.port,
                        "lldp_rem_port_desc": far.port,
                        "lldp_rem_port_id_subtype": "5",
                        "lldp_rem_sys_desc": "",
                    },
                }
                for port, far in seen
            }
            (folder / f"{device}.json").write_text(json.dumps(table), encoding="utf-8")


def as_json0(joined: Joined, _: set[str], folder: Path) -> None:
    """`lldpctl -f json0` of every switch and node."""
    for device, seen in by_device(joined).items():
        found = [
            {
                "name": port,
                "via": "LLDP",
                "chassis": [{"name": [{"value": far.device}], "descr": [{"value": ""}]}],
                "port": [
                    {
                        "id": [{"type": "ifname", "value": far.port}],
                        "descr": [{"value": far.port}],
                        "ttl": [{"value": "120"}],
                    }
                ],
            }
            for port, far in seen
        ]
        told = {"lldp": [{"interface": found}]}
        (folder / f"{device}.json0").write_text(json.dumps(told), encoding="utf-8")


FORMS: tuple[Callable[[Joined, set[str], Path], None], ...] = (as_csv, as_entry_table, as_json0)


def make(folder: Path) -> None:
    """Write the dumps of a hall, a folder a form, from the lists in `built`."""
    with (folder / "built/links.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["cable"]]
    with (folder / "built/devices.csv").open(encoding="utf-8") as file:
        switches = {row["device"] for row in csv.DictReader(file) if row["tier"] != "node"}
    links = [(Port(row["a_device"], row["a_port"]), Port(row["b_device"], row["b_port"])) for row in rows]
    joined = faulty(links, [row["cable"] for row in rows], random.Random(36))  # noqa: S311 - not for secrets
    for form in FORMS:
        (folder / form.__name__).mkdir()
        form(joined, switches, folder / form.__name__)


def measured(plan: str, dumps: Path) -> dict[str, Any]:
    """What one run took; ends where its report does not say exactly the faults that there are."""
    run, out = measure.run([*FABRICGEN, "verify", plan, str(dumps), "--format", "json"], codes=(1,))
    if run.problem:
        sys.exit(run.problem)
    report = json.loads(out)
    kinds = Counter(action["kind"] for action in report["actions"])
    kinds["swap"] += kinds.pop("crossed", 0)
    expected = {"exchange": BOXES // 2, "ring": RINGS, "swap": SWAPS, "dark": PULLED}
    if kinds != expected:
        sys.exit(f"{dumps.name}: found {dict(kinds)}, there are {expected}")
    return {
        "plan": "blueprint" if plan == BLUEPRINT else "folder",
        "dumps": dumps.name.removeprefix("as_"),
        "wall_s": round(run.wall_s, 1),
        "cpu_s": round(run.cpu_s, 1),
        "tree_mb": round(run.tree_mb),
        "largest_process_mb": round(run.process_mb),
    }


def main() -> None:
    """Make the dumps, verify them, and write what was seen."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [*FABRICGEN, "build", BLUEPRINT, "-o", f"{folder}/built", "--only", "devices,links,cables"]
        subprocess.run(command, check=True)  # noqa: S603 - our own command
        maker = Process(target=make, args=(folder,))  # or its memory would count as that of what is measured
        maker.start()
        maker.join()
        found = [measured(BLUEPRINT, folder / form.__name__) for form in FORMS]
        found.append(measured(f"{folder}/built", folder / as_csv.__name__))
    RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))  # noqa: T201 - a command


if __name__ == "__main__":
    main()
