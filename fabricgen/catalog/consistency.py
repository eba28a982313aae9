"""Profiles held against those that they name: a domain against its switch tray, a node against its NICs, constants
against scale-up domains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.models import NicProfile, NodeProfile, SwitchProfile
from fabricgen.catalog.rack_models import RackProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile

Wrong = tuple[tuple[str | int, ...], str]
"""The path of a key in a profile, and what is wrong there."""


def wrong_tray(domain: ScaleUpDomainProfile, tray: SwitchProfile) -> Wrong | None:
    """What does not fit between a scale-up domain and its switch tray: ports of its switches, and their speed."""
    held = sum(cage.count for cage in tray.cages)
    needed = domain.switches_per_tray * domain.ports_of_switch
    if needed > held or held - needed >= domain.ports_of_switch:
        ports = f"{domain.switches_per_tray} x {domain.ports_of_switch}"
        return ("switches_per_tray",), f"{ports} ports of switches, and a {tray.id} has {held}"
    speeds = {speed for cage in tray.cages for speed in cage.speeds}
    if domain.link_gbps not in speeds:
        return ("link_gbps",), f"links of {domain.link_gbps:g} Gb/s, and ports of a {tray.id} are of {tray.speeds_text}"
    return None


def wrong_nics(node: NodeProfile, nic_of: Callable[[str], NicProfile | None]) -> Wrong | None:
    """A role whose ports carry more than the NICs that it names, or that names one that is not in the catalogue.

    There is a NIC for each rail, or for each accelerator where these have one on their die.
    """
    dies = node.accelerators.count if node.accelerators else 0
    for role, ports in node.roles.items():
        rails = len({port.rail for port in ports.ports})
        for name, number in Counter(port.nic for port in ports.ports if port.nic).items():
            nic = nic_of(name)
            if nic is None:
                return ("roles", role, "ports"), f"there is no NIC profile '{name}'"
            number_of_nics = max(rails, dies) if nic.host == "on-die" else rails
            if number * max(ports.speeds) > number_of_nics * nic.gbps:
                carried = f"{number} ports of {max(ports.speeds)}G"
                return ("roles", role, "speeds"), f"{carried} on {number_of_nics} x {name} of {nic.gbps}G"
    return None


def wrong_domains(constants: ConstantsProfile, known: Collection[str]) -> Wrong | None:
    """A kind of scale-up link that names a domain which is not in the catalogue, or which another kind names."""
    named: dict[str, str] = {}
    for kind, efficiency in constants.efficiency.scale_up.items():
        for place, domain in enumerate(efficiency.domains):
            where = ("efficiency", "scale_up", kind, "domains", place)
            if domain not in known:
                return where, f"there is no scale-up domain profile '{domain}'"
            if domain in named:
                return where, f"{domain} is of {named[domain]}"
            named[domain] = kind
    return None


def wrong_powers(rack: RackProfile, switches: Collection[str]) -> Wrong | None:
    """A switch in the published power of a rack that is not in the catalogue."""
    unknown = [name for name in rack.powers if name not in switches]
    return (("powers",), f"there is no switch profile '{unknown[0]}'") if unknown else None
