"""What the plan asks a leaf to do for its hosts, without the help of what renders it."""

from __future__ import annotations

from collections.abc import Callable

from fabricgen.catalog.nos_configuration import Feature
from fabricgen.running.host_form import OPEN, Access
from fabricgen.views.switch import SwitchPort, SwitchView

Lacks = Callable[[Feature], bool]


def access_of(switch: SwitchView, port: SwitchPort, lacks: Lacks) -> Access:
    """What a bridged port of hosts is to refuse."""
    service = switch.service_of(port)
    if service is None or not any(switch.vlans_of(port)):
        return OPEN
    offers = service.offers
    dhcp, ra = ("dhcp", "dhcp6") if offers.dhcp_guard else (), ("ra",) if offers.ra_guard else ()
    return Access(dict(offers.storm), offers.bpdu_guard and not lacks("bpdu-guard"), frozenset((*dhcp, *ra)))
