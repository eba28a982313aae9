"""Ways out in the VRF of a tenant, with packets: over sub-interfaces and EVPN, by sessions and static routes.

Two routers outside have the same addresses. The blue tenant's nodes reach them, and nobody else. One is lost with its
link, then the other; over EVPN the border of the first is drained before.
"""

from __future__ import annotations

import json
import subprocess
from functools import cached_property
from pathlib import Path

import pytest

from fabricgen.lab.fabric import Lab, run_ip_batch, wait_until
from fabricgen.lab.files import Build, BuiltEnd
from fabricgen.lab.start import configure_switches
from fabricgen.switch.model import Switch
from tests.render import vrf_lab
from tests.render.lab_files import built
from tests.render.rendered import DUAL
from tests.render.test_evpn_lab import EVPN
from tests.render.test_exit_lab import FAR, ROUTERS, WithRouters

pytestmark = [pytest.mark.daemon, vrf_lab.TRIED_TWICE]

FAR6 = "2001:db8::1"
INSIDE, INSIDE6 = "172.16.0.0/16", "fd00:1::/48"
WAN = "{device: external-router, names: [wan-1, wan-2], ports: 1, to: border, speed: 400G}"
FABRIC = (
    'tenants.blue.nodes=["p1/su-*/node-1"]',
    "tenants.blue.extra=[blue-wan]",
    'tenants.green.nodes=["p1/su-*/node-2"]',
    "fabrics.compute.tiers.leaf.per=su",
    "fabrics.compute.tiers.leaf.uplinks=2 x 400G",
    "fabrics.compute.tiers.spine.count=2",
    "fabrics.compute.tiers.border={switch: sn5600, count: 2, below: spine, uplinks: 2 x 400G, breakout: 1 x 400G}",
    f"fabrics.compute.extra.blue-wan={WAN}",
    f"pools.hosts=[{INSIDE}, '{INSIDE6}']",
)
BORDER = "compute-border-01"
DRAINED = f"config_of.{BORDER}.maintenance=true"
WAN_2 = "devices: {wan-2: {asn: 65102}}"
EBGP = (f"fabrics.compute.exits.wan={{to: blue-wan, asn: 65101, {WAN_2}, announce: [{INSIDE}, '{INSIDE6}']}}",)
CASES = {
    "ebgp over sub-interfaces": (*FABRIC, *DUAL, *EBGP),
    "ebgp over evpn": (*FABRIC, *DUAL, *EBGP, *EVPN),
    "static over evpn": (*FABRIC, "fabrics.compute.exits.wan={to: blue-wan, routing: static}", *EVPN),
}


class Outside(WithRouters):
    """A build whose routers outside speak to a VRF, by sessions or static routes."""

    @cached_property
    def static(self) -> bool:
        """Whether the exits have no sessions."""
        return not any(" exit wan-blue" in self.make_frr_config(name) for name in self.switches if name not in ROUTERS)

    def _router(self, name: str) -> Switch:
        found = super()._router(name)
        return Switch(name, found.interfaces, found.bgp, found.loopbacks | {f"{FAR6}/128"}, found.management)

    def make_frr_config(self, name: str) -> str:
        """FRR's text; of switches without waiting for the FIB, since bgpd 8.4 may then keep a withdrawal to itself.

        (github.com/FRRouting/frr/pull/15634 and 17971: a route that goes while its last change is being installed.)
        """
        if name not in ROUTERS:
            return super().make_frr_config(name).replace(" bgp suppress-fib-pending\n", "")
        hops = [a.partition("/")[0] for _, far in self._ends(name) for a in self.addresses[far]]
        if self.static:
            return f"hostname {name}\n" + "".join(f"ip route {INSIDE} {hop}\n" for hop in hops)
        inside = self.forms[self._ends(name)[0][1].device].bgp[""].asn
        lines = [f"hostname {name}", f"router bgp {65101 + ROUTERS.index(name)}", " no bgp ebgp-requires-policy"]
        lines += [f" bgp router-id 192.0.2.{101 + ROUTERS.index(name)}", " no bgp default ipv4-unicast"]
        lines += [f" neighbor {hop} remote-as {inside}\n neighbor {hop} timers connect 1" for hop in hops]
        for hop in hops:
            lines += [f" address-family {'ipv6' if ':' in hop else 'ipv4'} unicast", f"  neighbor {hop} activate"]
            lines += [f"  neighbor {hop} default-originate", " exit-address-family"]
        return "\n".join([*lines, "exit", ""])


def _defaults(lab: Lab, family: str) -> dict[tuple[str, str], int]:
    """How many next hops the default route in the kernel has, by (switch, VRF); "" is the default VRF."""
    found = {}
    for name in (each for each in lab.build.switches if each not in ROUTERS):
        for vrf in ("", *lab.build.forms[name].vrfs):
            command = ["ip", family, "-j", "-n", vrf_lab.space_of(lab, name, vrf), "route", "show", "default"]
            said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout or "[]")
            if said:
                found[name, vrf] = sum(len(route.get("nexthops", "1")) for route in said)
    return found


@pytest.mark.parametrize("sets", CASES.values(), ids=CASES)
def test_exits_of_a_tenant(short_path: Path, sets: tuple[str, ...]) -> None:
    """All of the tenant leave by either router and by none once both are lost; nobody else ever does."""
    build = Outside(built("leaf-spine", *sets))
    ports = {name: end for name, end in vrf_lab.first_ports(Build(build.files)).items() if name not in ROUTERS}
    blue = [end for name, end in sorted(ports.items()) if name.endswith("n001")]
    others = [end for name, end in sorted(ports.items()) if not name.endswith("n001")]
    leaves = [name for name in build.switches if "-leaf-" in name]
    families = {"-4": FAR, "-6": FAR6} if DUAL[0] in sets else {"-4": FAR}

    with vrf_lab.lab(build, short_path) as lab:

        def leaves_by(end: BuiltEnd, seconds: float = 1) -> set[str]:
            """The families in which a node reaches the routers; hosts choose their default route by the source."""
            sources = {"-6" if ":" in own else "-4": own.partition("/")[0] for own in build.addresses[end]}
            ping = {f: ("ping", "-c1", f"-W{seconds}", "-I", sources[f], far) for f, far in families.items()}
            return {f for f in families if lab.run_in_namespace(end.device, *ping[f]).returncode == 0}

        def ways(count: int) -> bool:
            """Whether each leaf's default routes have so many next hops in the tenant's VRF."""
            return all(_defaults(lab, f).get((leaf, "blue")) == count for f in families for leaf in leaves)

        def all_leave(what: str) -> None:
            def done() -> bool:
                return all(leaves_by(end) == set(families) for end in blue)

            if EVPN[0] in sets:
                wait_until(lambda: done() or _know_vteps(lab), what)
            else:
                wait_until(done, what)

        wait_until(lambda: ways(2), "each leaf has two ways out")
        all_leave("the tenant's nodes reach what is outside")
        for family in families:
            assert {vrf for _, vrf in _defaults(lab, family)} == {"blue"}, "a default route in another VRF"
        assert not any(leaves_by(end, 0.3) for end in others)
        for router in () if build.static else ROUTERS:  # neither hears of the other's default route
            for family, inside in (("ipv4", INSIDE), ("ipv6", INSIDE6)):
                wait_until(lambda r=router, f=family: _heard(lab, r, f), f"{router} hears what is inside by {family}")
                assert _heard(lab, router, family) == {inside}

        if EVPN[0] in sets:
            configure_switches(lab, {BORDER: Outside(built("leaf-spine", *sets, DRAINED)).make_frr_config(BORDER)})
            wait_until(lambda: ways(1), "leaves leave by the border that is not in maintenance")
            all_leave("all leave by the other border")
        lab.run("wan-1", "ip", "link", "set", "port1", "down")
        all_leave("all leave by the other router")
        lab.run("wan-2", "ip", "link", "set", "port1", "down")
        wait_until(lambda: not any(_defaults(lab, family) for family in families), "no default route is left")
        assert not any(leaves_by(end, 0.3) for end in blue)


def _heard(lab: Lab, router: str, family: str) -> set[str]:
    """The prefixes that a router outside has from its sessions."""
    routes = lab.json(router, f"show bgp {family} unicast")[0]["routes"]
    return {prefix for prefix, paths in routes.items() if any(path["path"] for path in paths)}


def _know_vteps(lab: Lab) -> None:
    """Give each VTEP the MACs of the others in the tenant's VRF.

    zebra 8.4 may not know the MAC of a VTEP that a route leads to: it forgets it as a route of several next hops
    changes (github.com/FRRouting/frr/issues/14108). Routes of IPv6 lead to the VTEP's address in an IPv6 one.
    """
    overlays = {name: form.overlay for name, form in lab.build.forms.items() if form.overlay}
    ends = {name: over.vtep.partition("/")[0] for name, over in overlays.items() if "blue" in over.vrfs}
    spaces = {name: vrf_lab.space_of(lab, name, "blue") for name in ends}
    vni = next(over.vrfs["blue"].vni for name, over in overlays.items() if name in ends)
    macs = {}
    for name, space in spaces.items():
        said = subprocess.run(["ip", "-j", "-n", space, "link", "show", f"l3vni{vni}"], check=True, capture_output=True)
        macs[name] = json.loads(said.stdout)[0]["address"]
    for name, space in spaces.items():
        others = [(ends[far], macs[far]) for far in ends if far != name]
        hops = [(hop, mac) for end, mac in others for hop in (end, f"::ffff:{end}")]
        neighbors = [f"neigh replace {hop} lladdr {mac} dev l3vni{vni} nud permanent" for hop, mac in hops]
        run_ip_batch(neighbors, "-n", space)
        for end, mac in others:
            command = ["bridge", "-n", space, "fdb", "replace", mac, "dev", f"vxlan{vni}", "dst", end]
            subprocess.run(command, check=True, capture_output=True)
