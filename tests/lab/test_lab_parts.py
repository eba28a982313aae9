"""What of a build is in a lab, which labs are refused, and what is said of links: no daemon is started."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.lab import breaking, machine, state
from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Build, BuiltEnd, kernel_name, write_frr_config
from fabricgen.lab.inside import Inside, cut_to_lab
from fabricgen.switch.model import Switch, SwitchManagement
from fabricgen.switch.routing import StaticRoute
from tests.conftest import BLUEPRINTS, Ran
from tests.render.lab_files import built

SMALL = ("pods.p1.su=1", "fabrics.compute.tiers.spine.count=1")


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("name", "numbers", "left_out"),
    [
        ("leaf-spine", (8, 8, 32), ()),
        (
            "small-pair",
            (4, 17, 56),
            (
                "17 links of management ports and BMCs",
                "66 links of switches that FRR does not stand for, such as InfiniBand's",
                "2 switches on opensm, with no link in the lab",
                "50 ports of hosts that are bridged, bonded or in a VRF: they are cabled, and have no address",
                "VRFs: oob, storage",
            ),
        ),
        (
            "two-exits",
            (6, 4, 14),
            ("2 ports of routers outside of the fabric: they are cabled, and have neither address nor sessions",),
        ),
        (
            "bonded-pair",
            (5, 15, 50),
            (
                "2 links between switches that are bridged or bonded",
                "16 links of management ports and BMCs",
                "46 ports of hosts that are bridged, bonded or in a VRF: they are cabled, and have no address",
                "VRFs: files, oob",
            ),
        ),
    ],
)
def test_what_a_lab_cannot_run_is_left_out_and_told(
    name: str, numbers: tuple[int, int, int], left_out: tuple[str, ...]
) -> None:
    made = cut_to_lab(Build(built(name)))
    assert (made.numbers, made.left_out) == (numbers, left_out)
    assert set(made.build.devices) == {*made.build.switches, *made.build.hosts}
    configured = {path.split("/")[1] for path in made.build.files if path.startswith("configs/")}
    assert configured == set(made.build.switches)


def test_a_built_folder_without_configurations_is_refused(
    fabricgen: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "explain_lack", lambda: "")
    files = built("leaf-spine")
    for name in ("devices.csv", "links.csv", "addresses.csv"):
        (tmp_path / name).write_text(files[name])
    assert "FG028" in (err := fabricgen("lab", "up", tmp_path).err)
    assert f"{tmp_path} has no configurations" in err
    config = tmp_path / "configs" / "compute-spine-01" / "frr.conf"
    config.parent.mkdir(parents=True)
    config.write_bytes(b"hostname \xff\n")
    assert (
        f"{config}:1:10: error[FG001]: cannot read '{config}': it is not UTF-8" in fabricgen("lab", "up", tmp_path).err
    )
    for damage in ("device,", "name,", "device,device,"):
        (tmp_path / "devices.csv").write_text(files["devices.csv"].replace("device,", damage, 1) + "x,y\n")
        ran = fabricgen("lab", "up", tmp_path)
        assert (ran.code, "devices.csv:" in ran.err, "error[FG028]" in ran.err) == (2, True, True), ran.err
    some = {path: text for path, text in files.items() if "leaf" not in path}
    with pytest.raises(InputError, match=r"no configuration of compute-leaf-p1-su01-r1-01 and 3 more switches"):
        cut_to_lab(Build(some))


def test_hosts_that_are_bridged_have_no_neighbours() -> None:
    """With its lists alone a build tells of its switches only; of small-pair three links between these are left."""
    files = built("small-pair")
    lists = {path: text for path, text in files.items() if not path.startswith("configs/")}
    assert cut_to_lab(Build(lists)).neighbours == cut_to_lab(Build(files)).neighbours == 2 * (56 - 50)
    whole = built("leaf-spine")
    lists = {path: text for path, text in whole.items() if not path.startswith("configs/")}
    assert (cut_to_lab(Build(lists)).neighbours, cut_to_lab(Build(whole)).neighbours) == (32, 64)


def test_a_lab_that_is_too_large_is_refused_with_numbers(
    fabricgen: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "explain_lack", lambda: "")
    monkeypatch.setattr(machine, "_free_gb", lambda: 0.2)
    ran = fabricgen("lab", "up", BLUEPRINTS / "leaf-spine.yaml")
    assert (ran.code, ran.out) == (2, "")
    size = "error[FG172]: a lab of 8 switches, 8 hosts and 32 links"
    assert f"{size} takes about 0.3 GB of memory, and may have 80% of the 0.2 GB available\n" in ran.err
    assert "`--lab 1su,4n,2spine`" in ran.err
    with pytest.raises(
        InputError, match=r"99,999,998 neighbours, where the kernel keeps .*\n.*sysctl -w net\.ipv4\.neigh"
    ):
        machine.require_neighbours(99_999_998)
    with pytest.raises(InputError, match="no switch of it runs in a lab"):
        machine.require_room(0, 0, 0)


@pytest.mark.parametrize(
    ("lack", "told"),
    [
        ("which", "needs ip, ping, sysctl, vtysh\n  hint: `apt-get install frr iproute2 iputils-ping procps`"),
        ("rights", "which root has\n  hint: `sudo fabricgen lab ...`"),
        ("system", "and this is darwin\n  hint: take a virtual machine"),
    ],
)
def test_what_a_machine_lacks_is_told_with_how_to_get_it(
    lack: str, told: str, fabricgen: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path("/")
    monkeypatch.setattr(machine.shutil, "which", lambda _: None if lack == "which" else "/bin/true")
    monkeypatch.setattr(machine, "DAEMONS", BLUEPRINTS)
    monkeypatch.setattr(machine, "DAEMON_NAMES", ("leaf-spine.yaml",))
    monkeypatch.setattr(machine, "can_make_namespaces", lambda: False)
    monkeypatch.setattr(machine.sys, "platform", "darwin" if lack == "system" else "linux")
    for command in (("up", BLUEPRINTS / "leaf-spine.yaml"), ("check",), ("break", "a:b"), ("mend", "a:b")):
        ran = fabricgen("lab", *command, "--state", folder)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("error[FG172]: a lab needs")
        assert told in ran.err


@pytest.fixture(scope="module")
def small() -> Inside:
    return cut_to_lab(Build(built("leaf-spine", *SMALL)))


def test_links_are_known_by_ends_and_cables(small: Inside, tmp_path: Path) -> None:
    lab = Lab(tmp_path, {}, small.build)
    link = small.build.links[-1]
    for name in (str(link.a), str(link.b)):
        assert breaking.find_links(lab, name) == (link,)
    with pytest.raises(InputError, match=rf"FG174.*no link '{link.a}9'.*\n.*did you mean '{link.a}'"):
        breaking.find_links(lab, f"{link.a}9")
    spine = small.build.switches[-1]
    down = breaking.find_links(Lab(tmp_path, {spine: f"lab-{spine}"}, small.build), spine)
    assert {link.b.device for link in down} == {spine}
    assert len(down) == 8, "both leaves have all their four uplinks there"
    assert len(breaking.find_links(lab, "compute-leaf-p1-su01-r1-01:1")) == 2, "a cable that is split carries two links"


def test_folders_and_names_that_are_taken_are_refused(
    small: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").write_text("of the user")
    with pytest.raises(InputError, match=r"FG173.* is not empty, and no lab"):
        state.require_empty(tmp_path)
    monkeypatch.setattr(state, "NAMESPACES", tmp_path)
    host = small.build.hosts[0]
    (tmp_path / f"lab-{host}").touch()
    with pytest.raises(InputError, match=rf"FG173.*namespaces of these names already: lab-{host}\n"):
        state.new_state(tmp_path / "lab", small)
    with pytest.raises(InputError, match=r"FG173.*would have namespaces such as 'my lab-compute-leaf-p1-su01-r1-01'"):
        state.new_state(tmp_path / "my lab", small)
    with pytest.raises(InputError, match=r"FG173.*paths of \d+ characters, and the most is 107"):
        state.new_state(tmp_path / ("a-long-name" * 8), small)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


def test_labs_are_found_and_none_is_taken_for_another(
    fabricgen: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "LABS", tmp_path)
    monkeypatch.setattr(machine, "explain_lack", lambda: "")
    monkeypatch.setattr(machine, "can_make_namespaces", lambda: True)
    assert fabricgen("lab", "down").code == 0
    assert "FG173" in fabricgen("lab", "check").err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / state.FILE).write_text('{"of": "somebody"}')
    ran = fabricgen("lab", "down", "--state", tmp_path / "other")
    assert (ran.code, "holds no lab" in ran.err) == (2, True)
    assert (tmp_path / "other" / state.FILE).exists()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        state.LabState(tmp_path / name, {}, ()).save(up=False)
    (tmp_path / "other" / state.FILE).unlink()
    assert "there are 2 labs" in fabricgen("lab", "down").err
    with pytest.raises(InputError, match=r"FG173.*there is a lab in .*/one already"):
        state.require_empty(tmp_path / "one")
    assert "the lab one is not up" in fabricgen("lab", "check", "--state", tmp_path / "one").err
    monkeypatch.setattr(machine, "can_make_namespaces", lambda: False)
    assert "FG172" in fabricgen("lab", "down", "--state", tmp_path / "one").err, "nobody else takes it down"
    monkeypatch.setattr(machine, "can_make_namespaces", lambda: True)
    assert fabricgen("lab", "down", "--state", tmp_path / "one").code == 0
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["other", "two"]


def test_only_what_is_a_labs_own_goes_down(tmp_path: Path) -> None:
    """Neither namespaces that somebody wrote into lab.json, nor files that are not the lab's."""
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "notes").write_text("of the user")
    for device, space in (
        ("host", "other-host"),
        ("../host", "one-../host"),
        ("a\nlink del eth0", "one-a\nlink del eth0"),
    ):
        state.LabState(folder, {device: space}, ()).save(up=True)
        with pytest.raises(InputError, match=r"FG173.* holds (no lab: lab.json|a lab that has another name)"):
            state.read_state(folder)
    state.LabState(folder, {"host": "one-host"}, ()).save(up=True)
    state.remove_lab(state.read_state(folder))
    assert [file.name for file in folder.iterdir()] == ["notes"]


DAMAGED = {
    "cut off": b'{"fabricgen": "lab", "namesp',
    "empty": b"",
    "no text": b"\xff\0\xfe",
    "deep": b"[" * 100_000,
    "a list": b"[]",
    "numbers for names": b'{"fabricgen": "lab", "up": true, "left_out": [], "namespaces": {"a": 7}}',
    "no namespaces": b'{"fabricgen": "lab", "up": true, "left_out": [], "namespaces": {}}',
    "gone": None,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_lab_that_runs_goes_down_whatever_became_of_its_file(
    content: bytes | None, small: Inside, tmp_path: Path, fabricgen: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs is known by the build in its folder; without any of it a folder with a damaged file is left alone."""
    spaces, ended = tmp_path / "spaces", list[list[str]]()
    monkeypatch.setattr(state, "LONGEST_PATH", 4096)
    monkeypatch.setattr(state, "LABS", tmp_path / "labs")
    monkeypatch.setattr(state, "NAMESPACES", spaces)
    monkeypatch.setattr(state, "take_down", lambda _, names: ended.append(sorted(names)))
    monkeypatch.setattr(machine, "explain_lack", lambda: "")
    monkeypatch.setattr(machine, "can_make_namespaces", lambda: True)
    folder = tmp_path / "labs" / "one"
    spaces.mkdir()
    folder.mkdir(parents=True)
    made = state.new_state(folder, small)
    made.write(small.build)
    if content is None:
        (folder / state.FILE).unlink()
    else:
        (folder / state.FILE).write_bytes(content)
    ran = fabricgen("lab", "check")
    assert (ran.code, "FG173" in ran.err, "fabricgen lab down --state" in ran.err or content is None) == (2, True, True)
    if content != DAMAGED["no namespaces"]:
        assert fabricgen("lab", "down").code == 2
        assert (ended, (folder / state.BUILD).exists()) == ([], True)
    for name in (*made.spaces.values(), "one-of-another"):
        (spaces / name).touch()
    assert fabricgen("lab", "down").code == 0
    assert ended == [sorted(made.spaces.values())]
    assert not folder.exists()


@pytest.mark.parametrize("text", ["", "device\n\0", "a,b\n1,2\n", "\ud800"])
def test_a_lab_with_another_build_is_damaged(
    text: str, small: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "LONGEST_PATH", 4096)
    made = state.new_state(tmp_path, small)
    made.write(small.build)
    (tmp_path / state.BUILD / "devices.csv").write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(InputError, match=r"FG173.* is damaged: .*\n.*lab down --state"):
        made.open_lab()


def test_static_routes_of_a_vrf_stay_in_it() -> None:
    """FRR takes the VRF at the end of a route; without one there is nothing."""
    routes = {
        ("", "10.0.0.0/8"): StaticRoute(frozenset({("swp1", "10.1.1.1")}), False),
        ("blue", "2001:db8::/32"): StaticRoute(frozenset({("swp1/2", "2001:db8::1")}), True),
    }
    text = write_frr_config(
        Switch("leaf", {}, frozenset(), frozenset(), SwitchManagement(), routes=routes), kernel_name
    )
    assert "ip route 10.0.0.0/8 10.1.1.1 swp1\n" in text
    assert "ipv6 route 2001:db8::/32 2001:db8::1 swp1_2 vrf blue\n" in text
    assert "ipv6 route 2001:db8::/32 blackhole 250 vrf blue\n" in text


def test_split_ports_of_junos_have_names_that_linux_takes() -> None:
    """Beside their own cage and the units of a port, none like another (Linux, net/core/dev.c, dev_valid_name)."""
    ports = ["et-0/0/1", "et-0/0/1:0", "et-0/0/1:1", "et-0/0/11", "et-0/0/1.1", "et-0/0/1:0.1", "re0:mgmt-0"]
    names = [kernel_name(port) for port in ports]
    assert len(set(names)) == len(ports)
    assert all(len(name) < 16 and not set(name) & set("/: ") for name in names)


def test_each_port_of_a_host_has_a_table(small: Inside) -> None:
    """What a host sends from an address leaves by its port, also where two fabrics do not meet."""
    host = small.build.hosts[0]
    ends = [end for link in small.build.links for end in (link.a, link.b) if end.device == host]
    assert [small.build.tables[end] for end in ends] == list(range(1000, 1000 + len(ends)))
    assert BuiltEnd(small.build.switches[0], "Ethernet0") not in small.build.tables


SNIPPETS = {
    "eos": (
        ("nos=eos", "fabrics.compute.tiers.leaf.switch=7060dx5-64s", "fabrics.compute.tiers.spine.switch=7060dx5-64s"),
        "{nos: eos, at: end, text: 'hardware counter feature ip in'}",
        "`hardware`",
    ),
    "config-db": ((), "{nos: sonic, tree: {CRM: {Config: {polling_interval: '60'}}}}", "`CRM`"),
    "frr": (("routing.max_prefixes=100",), "{nos: sonic, at: frr, text: 'ip nht resolve-via-default'}", "`ip`"),
    "frr-any": (
        ("routing.max_prefixes=100",),
        "{nos: sonic, at: frr, text: 'ip prefix-list HOSTS seq 5 permit any'}",
        "a line `ip ...` is not understood: ValueError",
    ),
    "bgp": (("routing.max_prefixes=100",), "{nos: sonic, at: bgp, text: 'bgp graceful-restart'}", "`bgp`"),
    "again": (("routing.max_prefixes=100",), "{nos: sonic, at: frr, text: 'log syslog informational'}", ""),
    "cumulus": (("nos=cumulus",), "{nos: cumulus, tree: {system: {wjh: {state: enabled}}}}", "`wjh`"),
}
"""Settings, a snippet that a lab of them has to live with, and what of it no reader knows."""


@pytest.mark.tenth
@pytest.mark.parametrize(("sets", "snippet", "word"), SNIPPETS.values(), ids=list(SNIPPETS))
def test_snippets_that_no_reader_knows_are_told_and_stop_no_lab(sets: tuple[str, ...], snippet: str, word: str) -> None:
    made = cut_to_lab(Build(built("leaf-spine", *SMALL, *sets, f"snippets.own={snippet}")))
    told = (
        f"what is not understood in configurations of 3 switches, such as snippets ({word}): lines of frr.conf run all "
        "the same, and `lab check` judges none of it"
    )
    assert made.left_out == ((told,) if word else ())
    for name in made.build.switches:
        assert f"{made.build.devices[name]['asn']}" in made.build.make_frr_config(name)
        assert len(made.build.forms[name].bgp[""].peers) == (8 if "spine" in name else 4)


@pytest.mark.tenth
@pytest.mark.parametrize("hop", ["Null0", "reject", "10.0.0.1", "10.0.0.1 200"])
def test_static_routes_of_snippets_are_known_to_a_lab(hop: str) -> None:
    """`lab check` tells of static routes that no configuration has."""
    route = f"snippets.own={{nos: sonic, at: frr, text: 'ip route 192.0.2.0/24 {hop}'}}"
    form = cut_to_lab(Build(built("leaf-spine", *SMALL, "routing.max_prefixes=100", route))).build.forms[
        "compute-spine-01"
    ]
    discard = hop in ("Null0", "reject")
    hops = frozenset[tuple[str, str]]() if discard else frozenset({("", "10.0.0.1")})
    assert form.routes == {("", "192.0.2.0/24"): StaticRoute(hops, discard)}


def test_configurations_in_pieces_are_refused() -> None:
    files = dict(built("leaf-spine", *SMALL))
    files["configs/compute-spine-01/config_db.json"] = "{"
    with pytest.raises(InputError, match=r"FG175.*configurations of compute-spine-01 cannot be read"):
        cut_to_lab(Build(files))
