"""Sessions of a terminal that were kept whole: prompts, and answers in JSON between them.

Prompts as EOS, SONiC and hosts show them; the answers are those of the formats.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.verify.dumps.sighting import SEEN, Box
from fabricgen.verify.reading import read_all
from tests.verify.dumps.reading import faults, read, rows

NEIGHBORS = {"lldpNeighbors": [{"port": "Ethernet1/1", "neighborDevice": "spine-01", "neighborPort": "Ethernet4/1"}]}
PHY = {"interfacePhyStatuses": {"Ethernet1/1": {"phyStatuses": [{"preFecBer": {"value": 1e-9}}]}}}
SPINE = Box("spine-01")


@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        ("leaf-01#", "leaf-01"),
        ("leaf-01>", "leaf-01"),
        ("leaf-01(config)#", "leaf-01"),
        ("leaf-01.dc1#", "leaf-01.dc1"),
        ("admin@leaf-01:~$ ", "leaf-01"),
        ("cumulus@leaf-01:mgmt:~$ ", "leaf-01"),
        ("[root@leaf-01 ~]# ", "leaf-01"),
    ],
)
def test_json_between_prompts(tmp_path: Path, prompt: str, host: str) -> None:
    text = f"{prompt}show lldp neighbors | json\n{json.dumps(NEIGHBORS, indent=4)}\n{prompt}\n"
    seen = read(tmp_path, text)
    assert rows(seen) == [(host, "Ethernet1/1", SPINE, "Ethernet4/1", "", SEEN)]
    assert {Path(seen.boxes[owner].file).name for owner in seen.owner} == {"leaf-01.txt"}


def test_answers_of_several_commands_and_devices(tmp_path: Path) -> None:
    """A jump from device to device is one file; each prompt says whose answer follows."""
    text = "\n".join(
        [
            json.dumps(NEIGHBORS),  # the prompt of the first command was not kept
            "leaf-01#show interfaces phy detail | json",
            json.dumps(PHY),
            "leaf-01#ssh leaf-02",
            "Last login: Mon Nov 23 09:12:44 2026",
            "leaf-02#show lldp neighbors | json",
            json.dumps(NEIGHBORS),
        ]
    )
    path = tmp_path / "hall.txt"
    path.write_text(text)
    everything = read_all([str(path)], jobs=1, optics=True)
    assert [row[0] for row in rows(everything.sightings)] == ["hall.txt", "leaf-02"]
    assert [(report.box.name, report.pre_fec_ber) for report in everything.reports] == [("leaf-01", 1e-9)]


def test_damage_is_told_at_its_line_of_the_file(tmp_path: Path) -> None:
    cut_off = 'leaf-01#show lldp neighbors | json\n{\n "lldpNeighbors": [\nleaf-01#\n'
    assert faults(tmp_path, cut_off) == ["4:1: this is no JSON: expecting value"]
    no_port = json.dumps({"lldpNeighbors": [{"neighborDevice": "spine-01"}]})
    text = f"leaf-01#show clock\nMon Nov 23\nleaf-01#show lldp neighbors | json\n{no_port}\n"
    assert faults(tmp_path, text) == ["4:20: the row has no port"]
