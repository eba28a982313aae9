"""The parts of the switch model for ports, bonds and the MLAG pair."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CageClass
from fabricgen.switch.interfaces import OPEN, PEER_LINK, Bond, Interface
from fabricgen.switch.ordered import OrderedSet
from fabricgen.views.exits import EXIT
from fabricgen.views.model.hosts import model_access, model_port_gateway
from fabricgen.views.switch import SwitchPort, SwitchView, make_segment_id

RS_FROM_GBPS, RS_FROM_LANE_GBPS = 100, 50
"""RS-FEC from a port speed on, where 4 x 25G NRZ has RS-528, or from a lane's: PAM4 needs RS-544 at any speed."""


def default_fec(speed_gbps: int, lanes: int) -> str:
    """Return the FEC of a port that states none: `rs`, or "" if the NOS is to choose."""
    return "rs" if speed_gbps >= RS_FROM_GBPS or speed_gbps / lanes >= RS_FROM_LANE_GBPS else ""


def count_lanes(port: SwitchPort, cage: CageClass) -> int:
    """Return the electrical lanes of a port: as many as its speed needs, and no more than its share of the cage.

    40G uses lanes of 10G, whatever the cage supports.
    """
    rate = 10 if port.speed_gbps == 40 else port.lane_gbps
    return min(cage.lanes // port.ways, -int(-port.speed_gbps // rate))


def model_interface(view: SwitchView, port: SwitchPort) -> Interface:
    """Return a port of the switch model."""
    service, settings = view.find_service(port), port.settings
    untagged, tagged = (0, ()) if port.bond else view.list_vlans(port)
    cage = view.profile.find_cage_class(port.cage)
    is_copper = cage.form_factor == "RJ45"
    # what is usual at the rate of a lane, unless the module corrects errors itself
    fec = settings.fec or ("" if port.fec_in_module else default_fec(port.speed_gbps, count_lanes(port, cage)))
    between = port.role not in ("host", EXIT) and not port.bond
    encryption = dict(view.encrypted_spans) if port.span else {}
    relay, silent = (None, False) if port.bond else model_port_gateway(view, port)
    return Interface(
        admin_up=not settings.shutdown,
        mtu=port.mtu,
        speed_gbps=0 if is_copper and view.dialect.negotiates_copper else port.speed_gbps,
        fec="" if fec == "none" else fec,
        states_no_fec=fec == "none",
        negotiates=is_copper,
        addresses=OrderedSet(port.addresses),
        link_local=view.fabric.underlay == "ebgp-unnumbered" and between,
        access_vlan=untagged,
        tagged_vlans=OrderedSet(tagged),
        tracked=bool(view.multihomed) and port.role == "up",
        bond=PEER_LINK if port.bond and port.role == "peer" else port.bond,
        vrf=service.vrf if service and port.addresses else "",
        description=settings.description or " ".join(port.label.split()),
        macsec=None if port.span is None or view.lacks("macsec") else encryption.get(port.span.settings_name),
        access=OPEN if port.bond else model_access(view, port),
        relay=relay,
        silent=silent,
    )


def model_bonds(view: SwitchView) -> dict[int, Bond]:
    """Return the bonds of hosts by number, ascending (`_model_bond`)."""
    members: dict[int, list[SwitchPort]] = {}
    for port in view.ports:
        if port.bond and port.role == "host":
            members.setdefault(port.bond, []).append(port)
    return {number: _model_bond(view, number, ports) for number, ports in sorted(members.items())}


def _model_bond(view: SwitchView, number: int, ports: Sequence[SwitchPort]) -> Bond:
    """Return the bond of ports that differ at most in MTU and in whether they are shut; it has the least of their MTUs.

    It is shut if all of its ports are.
    """
    first, service = ports[0], view.find_service(ports[0])
    untagged, tagged = view.list_vlans(first)
    return Bond(
        members=OrderedSet(port.name for port in ports),
        admin_up=not all(port.settings.shutdown for port in ports),
        mtu=min(port.mtu for port in ports),
        access_vlan=untagged,
        tagged_vlans=OrderedSet(tagged),
        description=f"{first.peer} bond of {first.service}",
        mlag_id=number if view.pair and first.mlag else 0,
        access=model_access(view, first),
        fallback=service is not None and service.offers.lacp_fallback,
        segment=make_segment_id(view.multihomed, number) if view.multihomed and first.mlag else "",
    )


def place_ports(view: SwitchView, catalog: Catalog) -> dict[str, str]:
    """Return the place of each port of the front panel, by its name: `cage/sub`, or `cage` if no link uses the cage.

    The NOS decides how far an empty cage is split. Raises LookupError if the catalogue has no port table.
    """
    naming, platform = view.naming, catalog.sonic_platform(view.profile.id)
    split_of_cage = {port.cage: port.ways for port in view.ports}
    classes = (cage_class for cage_class in view.profile.cages for _ in range(cage_class.count))
    place_of_port = {}
    for cage, cage_class in enumerate(classes, 1):
        split = split_of_cage.get(cage, min(cage_class.breakouts) if view.dialect.splits_empty_cages else 1)
        for sub in range(split):
            name = naming.name_port(cage, sub, split, cage_class, platform, view.profile.find_slot(cage))
            place_of_port[name] = f"{cage}/{sub}" if cage in split_of_cage else str(cage)
    return place_of_port
