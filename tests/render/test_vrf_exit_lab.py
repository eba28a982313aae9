"""Ways out in the VRF of a tenant, with packets: over sub-interfaces, of eBGP and of static routes.

Two routers outside have the same addresses. The blue tenant's nodes reach them, and nobody else; one is lost with its
link, then the other.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

from tests.conftest import require
from tests.render import frr_lab, vrf_lab
from tests.render.lab_files import Build, End, built
from tests.render.test_exit_lab import FAR, ROUTERS, WithRouters, until

BORDER = "{switch: sn5600, count: 2, below: spine, uplinks: 2 x 400G, breakout: 1 x 400G}"
WAN = "{device: external-router, names: [wan-1, wan-2], ports: 1, to: border, speed: 400G}"
FABRIC = (
    'tenants.blue.nodes=["p1/su-*/node-1"]',
    "tenants.blue.extra=[blue-wan]",
    'tenants.green.nodes=["p1/su-*/node-2"]',
    "fabrics.compute.tiers.leaf.per=su",
    "fabrics.compute.tiers.leaf.uplinks=2 x 400G",
    "fabrics.compute.tiers.spine.count=2",
    f"fabrics.compute.tiers.border={BORDER}",
    f"fabrics.compute.extra.blue-wan={WAN}",
    "pools.hosts=172.16.0.0/16",
)
EBGP = (
    "fabrics.compute.exits.wan={to: blue-wan, asn: 65101, devices: {wan-2: {asn: 65102}}, announce: 172.16.0.0/16}",
)
STATIC = ("fabrics.compute.exits.wan={to: blue-wan, routing: static}",)
CASES = {
    "ebgp": (*FABRIC, *EBGP),
    "static": (*FABRIC, *STATIC),
}


@pytest.fixture(scope="module", autouse=True)
def daemons() -> None:
    """What the lab starts."""
    lacking = frr_lab.missing()
    require(f"the lab lacks {lacking}" if lacking else "")


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder with a short name, for the daemons' sockets."""
    with tempfile.TemporaryDirectory(prefix="frr") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


class Outside(WithRouters):
    """A build whose routers outside speak to a VRF, by sessions or static routes."""

    @cached_property
    def static(self) -> bool:
        """Whether the exits have no sessions."""
        return not any(" exit wan-blue" in self.frr(name) for name in self.switches if name not in ROUTERS)

    def frr(self, name: str) -> str:
        if name not in ROUTERS:
            return super().frr(name)
        hops = [a.partition("/")[0] for _, far in self._ends(name) for a in self.addresses[far]]
        if self.static:
            return f"hostname {name}\n" + "".join(f"ip route 172.16.0.0/16 {hop}\n" for hop in hops)
        inside = self.forms[self._ends(name)[0][1].device].bgp[""].asn
        lines = [f"hostname {name}", f"router bgp {65101 + ROUTERS.index(name)}", " no bgp ebgp-requires-policy"]
        lines += [f" bgp router-id 192.0.2.{101 + ROUTERS.index(name)}", " no bgp default ipv4-unicast"]
        lines += [f" neighbor {hop} remote-as {inside}\n neighbor {hop} timers connect 1" for hop in hops]
        for hop in hops:
            lines += [" address-family ipv4 unicast", f"  neighbor {hop} activate"]
            lines += [f"  neighbor {hop} default-originate", " exit-address-family"]
        return "\n".join([*lines, "exit", ""])


def _defaults(lab: frr_lab.Lab) -> set[tuple[str, str]]:
    """(switch, VRF) whose kernel has a default route; "" is the default VRF."""
    found = set()
    for name in (each for each in lab.build.switches if each not in ROUTERS):
        for vrf in ("", *lab.build.forms[name].vrfs):
            command = ["ip", "-j", "-n", vrf_lab.space_of(lab, name, vrf), "route", "show", "default"]
            if json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout or "[]"):
                found.add((name, vrf))
    return found


@pytest.mark.parametrize("sets", CASES.values(), ids=CASES)
def test_exits_of_a_tenant(short_path: Path, sets: tuple[str, ...]) -> None:
    """All of the tenant leave by either router and by none once both are lost; nobody else ever does."""
    build = Outside(built("leaf-spine", *sets))
    ports = {name: end for name, end in vrf_lab.first_ports(Build(build.files)).items() if name not in ROUTERS}
    blue = [end for name, end in sorted(ports.items()) if name.endswith("n001")]
    others = [end for name, end in sorted(ports.items()) if not name.endswith("n001")]
    leaves = {(name, "blue") for name in build.switches if "-leaf-" in name}

    with vrf_lab.lab(build, short_path) as lab:

        def source(end: End) -> str:
            """The address of a port: hosts choose their default route by it."""
            return build.addresses[end][0].partition("/")[0]

        def leave() -> bool:
            return all(lab.pings(end.device, source(end), FAR) for end in blue)

        until(leave, "the tenant's nodes reach what is outside")
        found = _defaults(lab)
        assert leaves <= found
        assert {vrf for _, vrf in found} == {"blue"}, "a default route in another VRF"
        assert not any(lab.pings(end.device, source(end), FAR, 0.3) for end in others)
        if not build.static:
            for router in ROUTERS:  # neither hears of the other's default route
                routes = lab.json(router, "show bgp ipv4 unicast")[0]["routes"]
                learned = {prefix for prefix, ways in routes.items() if any(way["path"] for way in ways)}
                assert learned == {"172.16.0.0/16"}

        lab.run("wan-1", "ip", "link", "set", "port1", "down")
        until(leave, "all leave by the other router")
        lab.run("wan-2", "ip", "link", "set", "port1", "down")
        until(lambda: not _defaults(lab), "no default route is left")
        assert not any(lab.pings(end.device, source(end), FAR, 0.3) for end in blue)
