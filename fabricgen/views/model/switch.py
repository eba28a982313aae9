"""Makes the model of a switch: what its files are to say, in words that belong to no NOS."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.catalog.loader import Catalog
from fabricgen.switch.interfaces import is_unused
from fabricgen.switch.model import Switch
from fabricgen.views.model.forwarding import model_balancing, model_qos, model_trimming
from fabricgen.views.model.hosts import model_vlan
from fabricgen.views.model.management import model_management
from fabricgen.views.model.ports import model_bonds, model_interface, place_ports
from fabricgen.views.model.routing import (
    announced_in,
    as_own_daemon,
    is_routed_by_daemon,
    model_bgp,
    prefixes_of_loopbacks,
    route_host_blocks,
)
from fabricgen.views.switch import SwitchView


def model_switch(switch: SwitchView, catalog: Catalog) -> Switch:
    """The model of a switch; secrets are those of the view, references where these were not looked up.

    What the catalogue says that a NOS lacks is not in it: the blueprint's author is told so by `lint`. Raises
    LookupError for a NOS that names ports by a table which the catalogue does not have of the switch.
    """
    interfaces = {port.name: model_interface(switch, port) for port in switch.ports}
    unused = frozenset(name for name, port in interfaces.items() if is_unused(port))
    found, by_daemon = model_bgp(switch) if switch.asn else {}, is_routed_by_daemon(switch)
    bgp = {vrf: replace(one, announced=announced_in(switch, vrf)) for vrf, one in found.items()}
    return Switch(
        hostname=switch.name,
        interfaces={name: port for name, port in interfaces.items() if name not in unused},
        unused=unused | place_ports(switch, catalog).keys() - interfaces.keys(),
        loopbacks=frozenset(prefixes_of_loopbacks(switch)),
        vrf_loopbacks={own.vrf: frozenset(own.prefixes) for own in switch.vrf_loopbacks},
        management=model_management(switch),
        subinterfaces={(port.name, sub.vlan): sub for port in switch.ports for sub in port.subinterfaces},
        vlans={service.vlan: model_vlan(switch, service) for service in switch.services if service.gateways},
        bonds=model_bonds(switch),
        pair=switch.pair,
        vrfs=frozenset(switch.vrfs),
        bgp={vrf: as_own_daemon(switch, vrf, one) for vrf, one in bgp.items()} if by_daemon else bgp,
        routes=route_host_blocks(switch) if by_daemon else {**switch.routes, **switch.exits.routes},
        drained=switch.maintenance and any(instance.peers for instance in bgp.values()),
        qos=model_qos(switch),
        overlay=switch.overlay,
        balancing=model_balancing(switch),
        trimming=model_trimming(switch),
    )
