"""The rendered files at work: real FRR daemons in network namespaces, cabled as links.csv says.

Needs root, FRR and network namespaces, and takes half a minute; elsewhere it is skipped, in CI it must run.
Sessions left to SONiC's bgpcfgd are written out as its templates would; a switch whose NOS is not FRR's takes part in
the form that its files are read back into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fabricgen.lab.fabric import Lab, wait_until
from fabricgen.lab.files import Build, kernel_name
from tests.render import frr_lab
from tests.render.frr_lab import settled
from tests.render.lab_files import built
from tests.render.rendered import BFD, CUMULUS, DUAL, ONE_NUMBER, PER_RACK, STATIC, UNNUMBERED, V6, cluster_of

pytestmark = pytest.mark.daemon

PAIRS = (
    "fabrics.compute.tiers.leaf={switch: sn4700, per: su, count: 2, spread: stripe, peer: 2 x 400G, uplinks: 2 x 400G}",
    "fabrics.compute.tiers.spine.count=2",
)


@pytest.mark.parametrize("nos", ["sonic", "cumulus"])
def test_a_mate_is_the_way_of_who_has_no_uplinks(short_path: Path, nos: str) -> None:
    """Without links up a switch has routes to all that the fabric has, by its mate; spines learn of none by it."""
    build = Build(built("leaf-spine", *PAIRS, *DUAL, *BFD, f"nos={nos}"))
    with frr_lab.lab(build, short_path) as lab:
        first, mate, *others = (name for name in build.switches if "leaf" in name)
        spine = next(name for name in build.switches if "spine" in name)
        ends = [(near, far) for link in build.links for near, far in ((link.a, link.b), (link.b, link.a))]
        ups = [near.port for near, far in ends if near.device == first and "spine" in far.device]
        wanted = {prefix for name in others for prefix in build.forms[name].bgp[""].announced}
        assert len(ups) == 2
        wait_until(
            lambda: all(wanted <= _learned(lab, name).keys() for name in (first, mate, spine)), "all learn of others"
        )
        for port in ups:
            lab.run(first, "ip", "link", "set", kernel_name(port), "down")
        ports = {kernel_name(near.port) for near, far in ends if near.device == first and far.device == mate}
        wait_until(lambda: all(_learned(lab, first).get(prefix) == ports for prefix in wanted), "all goes by the mate")
        own = {*build.forms[first].bgp[""].announced}
        wait_until(lambda: not own & _learned(lab, spine).keys(), "the spine has no way by the mate")


def _learned(lab: Lab, switch: str) -> dict[str, set[str]]:
    """The ports by which BGP leads to each prefix."""
    return {
        prefix: {hop["interfaceName"] for hop in route["nexthops"] if hop.get("active")}
        for said in lab.json(switch, "show ip route bgp", "show ipv6 route bgp")
        for prefix, (route, *_) in said.items()
        if route.get("selected")
    }


MIXED = ("nos={leaf: sonic, spine: eos}", "fabrics.compute.tiers.spine.switch=7060dx5-32")
BELOW_SONIC = ("nos={leaf: cumulus, spine: sonic}",)
TWO_SPINES = ("fabrics.compute.tiers.spine.count=2",)
CASES = [
    (),
    UNNUMBERED,
    MIXED + PER_RACK,
    MIXED + UNNUMBERED + DUAL + TWO_SPINES,
    DUAL + TWO_SPINES,
    V6 + UNNUMBERED + ONE_NUMBER + TWO_SPINES,
    BELOW_SONIC + V6 + TWO_SPINES,
    BELOW_SONIC + STATIC + DUAL,
    CUMULUS + UNNUMBERED + DUAL + BFD + TWO_SPINES,
]


@pytest.mark.parametrize("sets", CASES, ids=lambda sets: "+".join(sets) or "as-is")
def test_a_fabric_does_what_its_files_say(short_path: Path, sets: tuple[str, ...]) -> None:
    """Every session, equal paths to every loopback and host, nothing else learned, and pings between leaves."""
    build = Build(built("leaf-spine", *sets))
    with frr_lab.lab(build, short_path) as lab:
        assert not settled(lab, build, lambda found: not found)
        if STATIC[0] in sets:
            leaf = next(s for s in cluster_of("leaf-spine", *sets).switches() if s.is_lowest)
            nobody = leaf.services[0].host_subnet.replace(".0/25", ".126")
            mark, command = '"blackhole":true', f"show ip route {nobody} json"
            wait_until(lambda: mark in "".join(lab.ask_frr(leaf.name, command).split()), "what is nobody's is dropped")


SMALL = ("fabrics.compute.tiers.spine.count=2", "pods.p1.su=1")


def with_text(build: Build, change: Callable[[str, str], str]) -> Build:
    """A build with some of its files changed, each by its path and text; fails where none is."""
    files: Mapping[str, str] = {path: change(path, text) for path, text in build.files.items()}
    assert files != build.files
    return Build(files)


def exchanged(build: Build) -> Build:
    """A build in whose links.csv two cables of a leaf, to two spines, have exchanged far ends."""
    head, *rows = build.files["links.csv"].splitlines()
    up = [n for n, link in enumerate(build.links) if link.a.device == build.switches[0]]
    cells = {n: rows[n].split(",") for n in (up[0], up[-1])}
    one, other = cells.values()
    one[6:9], other[6:9] = other[6:9], one[6:9]
    rows = [",".join(cells.get(n, [row])) for n, row in enumerate(rows)]
    return Build({**build.files, "links.csv": "\n".join([head, *rows, ""])})


def test_exchanged_cables_are_named(short_path: Path) -> None:
    """Unnumbered, all sessions come up, with the AS numbers that they expect: only who is at the far end tells."""
    build = Build(built("leaf-spine", *SMALL, *UNNUMBERED))
    wrong = exchanged(build)
    moved = sorted({end for link in set(wrong.links) - set(build.links) for end in (link.a, link.b)}, key=str)
    assert len(moved) == 4

    def done(found: list[str]) -> bool:
        up = not any("is not up" in line for line in found)  # sessions of other cables may come up later
        return up and sum(line.endswith(" instead") for line in found) == 2

    with frr_lab.lab(wrong, short_path) as lab:
        found = settled(lab, build, done)
    cables = [line for line in found if "is at the far end" in line]
    assert [line.partition(": ")[0] for line in cables] == [str(end) for end in moved]
    assert re.fullmatch(rf"{moved[0]}: (\S+:\S+) is at the far end, links.csv says \S+:\S+", cables[0])
    assert done(found)
    assert not any("is not up" in line or "expects AS" in line for line in found)


def test_a_wrong_as_number_is_named(short_path: Path) -> None:
    build = Build(built("leaf-spine", *SMALL))
    leaf, spine = build.switches[0], build.switches[-1]
    own, other = build.devices[spine]["asn"], "4200000099"
    file = f"configs/{leaf}/config_db.json"

    def detoured(found: list[str]) -> bool:
        return any(line.startswith(f"{leaf}: ") and " goes over " in line for line in found)

    def change(path: str, text: str) -> str:
        return text.replace(f'"asn": "{own}"', f'"asn": "{other}"', 1) if path == file else text

    with frr_lab.lab(with_text(build, change), short_path) as lab:
        found = settled(lab, build, lambda found: detoured(found) and sum("is not up" in line for line in found) == 2)
        assert any(line.startswith(f"{leaf}: session with ") and f"expects AS {other}" in line for line in found)
        down = [line for line in found if "is not up" in line]
        assert [line.partition(":")[0] for line in down] == sorted([leaf, down[-1].partition(":")[0]])
        assert detoured(found), "one path is gone"


LEAK = " is learned, and is neither a loopback nor a prefix of hosts"


def test_a_missing_policy_is_named(short_path: Path) -> None:
    """A leaf that announces all that is connected leaks its links; one with no policy outwards announces nothing."""
    build = Build(built("leaf-spine", *SMALL, *MIXED, *PER_RACK))
    open_leaf, mute_leaf = build.switches[:2]
    everything = re.compile(r"^ match (ip address prefix-list|as-path) \S+\n", re.M)

    def change(path: str, text: str) -> str:
        if path == f"configs/{open_leaf}/frr.conf":
            return everything.sub("", text)
        if path == f"configs/{mute_leaf}/frr.conf":
            return text.replace("  neighbor UP route-map FABRIC-OUT out\n", "")
        return (
            re.sub(r"^   match ip address prefix-list \S+\n", "", text, flags=re.M) if path.endswith(".cfg") else text
        )

    with frr_lab.lab(with_text(build, change), short_path) as lab:
        spine = build.switches[-1]
        hosts = [line for end, (line, *_) in build.addresses.items() if end.device in build.hosts]

        def leaks(found: list[str]) -> bool:
            return any(line.startswith(f"{spine}: ") and line.endswith(LEAK) for line in found)

        found = settled(lab, build, lambda found: not any("session" in line for line in found) and leaks(found))
        assert leaks(found)
        mute = f"{spine}: .* of {mute_leaf} and {len(hosts) // 2} more go nowhere, wanted "
        assert len([line for line in found if re.match(mute, line)]) == 1, "its loopback and its hosts"
        assert not any("session" in line for line in found)
