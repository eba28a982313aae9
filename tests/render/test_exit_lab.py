"""Ways out at work: FRR as switches and as the routers outside, with packets through them.

Each of two routers outside has 198.51.100.1, announces a default route, prefixes that are accepted and others that are
not. One has its session on its link and is lost with that, the other between loopbacks and is lost with the session.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pytest

from fabricgen.lab.fabric import Lab, wait_until
from fabricgen.lab.files import Build, BuiltEnd
from fabricgen.switch.interfaces import Interface
from fabricgen.switch.model import Switch, SwitchManagement
from tests.render import frr_lab
from tests.render.lab_files import built
from tests.render.rendered import EXITS_JUNOS

pytestmark = pytest.mark.daemon

BELOW_SONIC = (
    "nos={leaf: junos, spine: junos, border: sonic}",
    *EXITS_JUNOS[1:3],
    "fabrics.compute.tiers.leaf.breakout=1 x 100G",
)
"""Leaves and spines of Junos below borders whose FRR has the ways out; whole ports, since no interface of Linux has a
colon in its name.
"""

FAR = "198.51.100.1"
ACCEPTED, TOO_LONG, REFUSED = "203.0.113.64/28", "203.0.113.128/30", "198.18.0.0/24"
ROUTERS = ("wan-1", "wan-2")
BETWEEN_LOOPBACKS = "192.0.2.9"
"""The loopback of wan-2, which its session ends at."""


class WithRouters(Build):
    """A build whose routers outside run FRR too."""

    @cached_property
    def switches(self) -> tuple[str, ...]:
        return (*super().switches, *ROUTERS)

    @cached_property
    def forms(self) -> dict[str, Switch]:
        inside = Build(self.files).forms
        return inside | {name: self._router(name) for name in ROUTERS}

    def _ends(self, router: str) -> list[tuple[BuiltEnd, BuiltEnd]]:
        return [(link.a, link.b) for link in self.links if link.a.device == router]

    def _router(self, name: str) -> Switch:
        ports = {
            near.port: Interface(True, 1500, 400, addresses=frozenset(self.addresses[near]))
            for near, _ in self._ends(name)
        }
        own = {f"{FAR}/32"} | ({f"{BETWEEN_LOOPBACKS}/32"} if name == ROUTERS[1] else set())
        return Switch(name, ports, frozenset(), frozenset(own), SwitchManagement())

    def make_frr_config(self, name: str) -> str:
        if name not in ROUTERS:
            # FRR 8.4 that waits for the kernel may withhold a withdrawal for good on a busy machine (docs/exits.md)
            return super().make_frr_config(name).replace(" bgp suppress-fib-pending\n", "")
        ((_, far),) = self._ends(name)
        inside, border = self.forms[far.device].bgp[""].asn, self.session(name)
        asn = 65100 + ROUTERS.index(name) + 1
        lines = [f"hostname {name}", *(f"ip route {p} blackhole" for p in (ACCEPTED, TOO_LONG, REFUSED))]
        if name == ROUTERS[1]:
            lines += [f"ip route {border}/32 {self.addresses[far][0].partition('/')[0]}"]
        lines += [f"router bgp {asn}", f" bgp router-id 192.0.2.{100 + asn % 100}", " no bgp ebgp-requires-policy"]
        lines += [f" neighbor {border} remote-as {inside}", f" neighbor {border} timers connect 1"]
        if name == ROUTERS[1]:
            lines += [f" neighbor {border} ebgp-multihop 2", f" neighbor {border} update-source {BETWEEN_LOOPBACKS}"]
        lines += [" address-family ipv4 unicast"]
        lines += [f"  network {prefix}" for prefix in (ACCEPTED, TOO_LONG, REFUSED)]
        lines += [f"  neighbor {border} default-originate"]
        return "\n".join([*lines, " exit-address-family", "exit", ""])

    def session(self, name: str) -> str:
        """The address that the session of a router outside is with: of the link, or the border's loopback."""
        ((_, far),) = self._ends(name)
        on_link = sorted(self.addresses[far])
        own = sorted(self.forms[far.device].loopbacks) if name == ROUTERS[1] else on_link
        return own[0].partition("/")[0]


def hops(lab: Lab, device: str, prefix: str) -> set[str]:
    """The next hops in use of a prefix: addresses, or interfaces of unnumbered links."""
    found = lab.json(device, f"show ip route {prefix}")[0].get(prefix, [])
    used = [hop for route in found if route.get("selected") for hop in route["nexthops"] if hop.get("fib")]
    return {hop.get("interfaceName", hop.get("ip", "")) for hop in used}


def learned(lab: Lab, device: str) -> set[str]:
    """The prefixes in a device's BGP table that it learned from others."""
    routes = lab.json(device, "show bgp ipv4 unicast")[0]["routes"]
    return {prefix for prefix, ways in routes.items() if any(way["path"] for way in ways)}


def paths(lab: Lab, device: str) -> list[list[str]]:
    """The AS numbers of each path of the default route that a device has."""
    routes = lab.json(device, "show bgp ipv4 unicast")[0]["routes"]
    return [way["path"].split() for way in routes.get("0.0.0.0/0", ())]


@pytest.mark.parametrize("nos", [(), BELOW_SONIC], ids=["sonic", "junos"])
def test_the_loss_of_an_exit_moves_traffic_to_the_other(short_path: Path, nos: tuple[str, ...]) -> None:
    loopback = f"fabrics.compute.exits.wan.devices.wan-2.loopback={BETWEEN_LOOPBACKS}"
    build = WithRouters(built("two-exits", *nos, loopback))
    leaves = [name for name in build.switches if "-leaf-" in name]
    spines = [name for name in build.switches if "-spine-" in name]
    borders = [name for name in build.switches if "-border-" in name]
    hosts = [link.a for link in build.links if link.b.device in leaves]

    with frr_lab.lab(build, short_path) as lab:

        def ways(spine: str) -> int:
            return len(hops(lab, spine, "0.0.0.0/0"))

        def reaches() -> bool:
            return all(lab.answers_ping(host.device, host.port, FAR) for host in hosts)

        wait_until(lambda: all(ways(spine) == 2 for spine in spines), "each spine has a way to both borders")
        wait_until(
            lambda: all(len(hops(lab, leaf, "0.0.0.0/0")) == 2 for leaf in leaves), "leaves leave by both spines"
        )
        wait_until(reaches, "hosts reach what is outside")
        for switch in (*leaves, *spines, *borders):
            wait_until(lambda s=switch: ACCEPTED in learned(lab, s), f"{switch} learns what is accepted")
            assert not {TOO_LONG, REFUSED} & learned(lab, switch), f"{switch} learned more than is accepted"
            if switch not in borders:
                assert "172.16.0.0/16" not in learned(lab, switch), "aggregates are for the outside"
        for router in ROUTERS:  # no way from one to the other: nothing but the aggregate
            wait_until(lambda r=router: learned(lab, r) == {"172.16.0.0/16"}, f"{router} learns the aggregate alone")
        told = lab.json("wan-1", "show bgp ipv4 unicast 172.16.0.0/16")[0]["paths"][0]
        assert told["community"]["string"] == "65101:100"

        lab.run("wan-1", "ip", "link", "set", "port1", "down")
        wait_until(lambda: all(ways(spine) == 1 for spine in spines), "the exit with a dead link is gone")
        wait_until(reaches, "all leaves by the other border")
        wait_until(
            lambda: not any("65101" in way for s in build.switches for way in paths(lab, s)), "all have heard of it"
        )

        lab.ask_frr("wan-2", "configure terminal", "router bgp 65102", f"neighbor {build.session('wan-2')} shutdown")
        wait_until(
            lambda: not any(hops(lab, s, "0.0.0.0/0") for s in (*leaves, *spines, *borders)), "no default is left"
        )
        wait_until(lambda: not any(ACCEPTED in learned(lab, leaf) for leaf in leaves), "what was accepted is gone too")
        assert not lab.answers_ping(hosts[0].device, hosts[0].port, FAR)
