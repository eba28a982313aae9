"""`adopt --netbox URL`: a cluster is found from a NetBox, as it is from lists; what NetBox does not tell is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabricgen.adopt.adopting import adopt
from fabricgen.adopt.words import write_page
from fabricgen.api import compile_blueprint, make_files
from tests.conftest import BLUEPRINTS
from tests.push.netbox_server import TOKEN, FakeNetBox

pytestmark = pytest.mark.slow

Run = Callable[..., Any]


@pytest.fixture
def run(fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The program, with a token in its environment, which it shows nowhere."""
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)

    def run_command(netbox: FakeNetBox, *arguments: object) -> Any:
        ran = fabricgen(*arguments, "--plain-http", "--token", "env:NETBOX_TOKEN")
        assert TOKEN not in ran.out + ran.err
        return ran

    return run_command


@pytest.mark.parametrize("version", ["4.4.10", "4.6.8"], ids=["cables", "pieces"])
@pytest.mark.parametrize("example", ["leaf-spine", "bonded-pair"])
def test_what_push_writes_comes_back_as_from_lists(
    example: str, version: str, netbox: FakeNetBox, run: Run, tmp_path: Path
) -> None:
    netbox.version, page, found = version, BLUEPRINTS / f"{example}.yaml", tmp_path / "found.yaml"
    assert run(netbox, "push", "netbox", page, "--url", netbox.url, "--apply").code == 0
    netbox.writes.clear()
    ran = run(netbox, "adopt", "--netbox", netbox.url, "--name", example, "-o", found)
    assert (ran.code, netbox.writes) == (0, []), ran.out + ran.err
    for name, content in make_files(compile_blueprint(str(page)), "devices", "links").items():
        (tmp_path / name).write_bytes(content)
    from_lists = adopt(example, [], [str(tmp_path / "devices.csv"), str(tmp_path / "links.csv")], jobs=1)
    lines = [line for line in found.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines == write_page(from_lists.words).splitlines()


def find_ids(netbox: FakeNetBox, path: str, **fields: Any) -> list[int]:
    rows = netbox.held[path].values()
    return [row["id"] for row in rows if all(row.get(name) == value for name, value in fields.items())]


def test_what_netbox_does_not_tell_is_told(pushed: FakeNetBox, run: Run, tmp_path: Path) -> None:
    """A cable to nowhere, one that leads to several ports without a profile, and a device without interfaces."""
    (leaf,) = find_ids(pushed, "dcim/devices", name="compute-leaf-p1-su01-r1-01")
    (port,) = find_ids(pushed, "dcim/interfaces", device=leaf, name="Ethernet0")
    (spine,) = find_ids(pushed, "dcim/devices", name="compute-spine-01")
    of_spine, second = find_ids(pushed, "dcim/interfaces", device=spine, label="1")[:1], {"object_id": 1}
    for cable in pushed.held["dcim/cables"].values():
        ends = [end["object_id"] for side in "ab" for end in cable[f"{side}_terminations"]]
        if port in ends:
            cable["b_terminations" if cable["a_terminations"][0]["object_id"] == port else "a_terminations"] = []
        elif of_spine[0] in ends:
            cable["a_terminations"].append({**cable["a_terminations"][0], **second})
    pdu = {**pushed.held["dcim/devices"][leaf], "name": "pdu-7"}
    pushed.make("dcim/devices", [{key: value for key, value in pdu.items() if key != "id"}])
    ran = run(pushed, "adopt", "--netbox", pushed.url, "--name", "leaf-spine", "-o", tmp_path / "found.yaml")
    notes = [line for line in ran.out.splitlines() if line.startswith("note: ")]
    assert ran.code == 1
    assert [note.partition(" says")[0] for note in notes] == [
        "note: the cable at compute-leaf-p1-su01-r1-01 port Ethernet224 has several ports at an end, and no profile",
        "note: the cable at compute-leaf-p1-su01-r1-01 port Ethernet0 leads to no interface at these sites",
        "note: 1 device of NetBox without interfaces is left out: pdu-7",
    ]


def test_sites_are_told_apart(pushed: FakeNetBox, run: Run, tmp_path: Path) -> None:
    """A second site with a device of the same name is refused, but not where one of both is asked for."""
    (spine,) = find_ids(pushed, "dcim/devices", name="compute-spine-01")
    pushed.make("dcim/sites", [{"name": "h2", "slug": "h2"}])
    (second,) = find_ids(pushed, "dcim/sites", name="h2")
    twin = {key: value for key, value in pushed.held["dcim/devices"][spine].items() if key != "id"}
    pushed.make("dcim/devices", [{**twin, "site": second}])
    adopting = ("adopt", "--netbox", pushed.url, "--name", "leaf-spine", "-o", tmp_path / "found.yaml")
    ran = run(pushed, *adopting)
    assert (ran.code, "two devices are called compute-spine-01, at site1 and at h2" in ran.err) == (2, True), ran.err
    ran = run(pushed, *adopting, "--site", "h3")
    assert (ran.code, "has no site h3" in ran.err) == (2, True), ran.err
    assert run(pushed, *adopting, "--site", "site1").code == 0


def test_a_netbox_that_does_not_answer_ends_in_a_message(fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)
    ran = fabricgen("adopt", "--netbox", "http://127.0.0.1:9", "--plain-http", "--token", "env:NETBOX_TOKEN")
    assert (ran.code, "NetBox at http://127.0.0.1:9 cannot be reached" in ran.err) == (2, True), ran.err
