"""VRFs of a configuration of Junos, read back (EVPN User Guide)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from fabricgen.nos.junos.reading.hosts import RELAY, Relays
from fabricgen.nos.junos.reading.lines import pass_on
from fabricgen.nos.junos.reading.sessions import SESSIONS, Sessions
from fabricgen.nos.junos.reading.tables import TABLE, JunosTable
from fabricgen.running.bgp import VrfLines
from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit

OWN_TABLE = frozenset({"instance-type virtual-router"})
"""What a VRF says that stays on the switch."""


@dataclass
class Vrf:
    """A routing instance. `words` are lines that go with others."""

    interfaces: set[str] = field(default_factory=set)
    relays: dict[str, Relays] = field(default_factory=dict)
    """DHCP relay there: of IPv4 under "", of IPv6 under `dhcpv6`."""
    words: set[str] = field(default_factory=set)
    vni: int = 0
    policy: str = ""
    distinguisher: str = ""
    target: str = ""
    sessions: Sessions = field(default_factory=Sessions)
    table: JunosTable = field(default_factory=JunosTable)

    def make_vrf_lines(self, name: str, families: Set[str]) -> VrfLines:
        """What it has over EVPN; raises UnknownTextError where a part is missing."""
        ribs = {f"routing-options rib {name}.inet6.0 multipath"} if "v6" in families else set()
        required = {*OVER_EVPN, *ribs}
        if not is_tolerant() and (self.words != required or not (self.vni and self.policy and self.target)):
            report_misfit(f"VRF {name} lacks a part of what it takes over EVPN: {sorted(self.words ^ required)}")
        targets = {self.target} if self.target else set[str]()
        return VrfLines(self.vni, self.distinguisher, targets, set(targets), set(families))


OVER_EVPN = frozenset(
    {
        "instance-type vrf",
        "routing-options multipath",
        "protocols evpn ip-prefix-routes advertise direct-nexthop",
        "protocols evpn ip-prefix-routes encapsulation vxlan",
        "protocols evpn ip-prefix-routes route-attributes as-path import-action allow",
        "protocols evpn ip-prefix-routes route-attributes as-path export-action allow",
    }
)
"""What a VRF says that goes over EVPN."""


VRF = LineRules()


@VRF.line(r"interface (\S+)")
def _read_interface(vrf: Vrf, line: Line, name: str) -> None:
    vrf.interfaces.add(name)


@VRF.line(r"forwarding-options dhcp-relay (?:(dhcpv6) )?(.+)")
def _read_relay(vrf: Vrf, line: Line, word: str, rest: str) -> None:
    pass_on(RELAY, line, rest, vrf.relays.setdefault(word or "", Relays()))


@VRF.line(
    r"instance-type (?:vrf|virtual-router)|routing-options (?:rib \S+ )?multipath|"
    r"protocols evpn ip-prefix-routes (?:advertise direct-nexthop|encapsulation vxlan|"
    r"route-attributes as-path (?:import|export)-action allow)"
)
def _read_vrf_word(vrf: Vrf, line: Line) -> None:
    vrf.words.add(line.text)


@VRF.line(r"routing-options ((?:rib \S+ )?(?:static|aggregate) route .+)")
def _read_route(vrf: Vrf, line: Line, rest: str) -> None:
    pass_on(TABLE, line, rest, vrf.table)


@VRF.line(r"protocols bgp (.+)")
def _read_session(vrf: Vrf, line: Line, rest: str) -> None:
    pass_on(SESSIONS, line, rest, vrf.sessions)


@VRF.line(r"protocols evpn ip-prefix-routes (?:vni (\d+)|export (\S+))")
def _read_vni_or_policy(vrf: Vrf, line: Line, vni: str, policy: str) -> None:
    vrf.vni, vrf.policy = int(vni or vrf.vni), policy or vrf.policy


@VRF.line(r"route-distinguisher (\S+)|vrf-target target:(\S+)")
def _read_distinguisher_or_target(vrf: Vrf, line: Line, distinguisher: str, target: str) -> None:
    vrf.distinguisher, vrf.target = distinguisher or vrf.distinguisher, target or vrf.target
