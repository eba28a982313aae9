"""Laws of bonds: whole, on one switch or on an MLAG pair, the same at both ends, and with a number of their own."""

from __future__ import annotations

from collections import defaultdict

from fabricgen.design.fabric_model import Attachment
from fabricgen.views.model.ports import model_bonds
from fabricgen.wiring.bonds import LACP, MLAG, PEER
from tests.properties.case import Case, Link

MOST = 9999
"""The largest number of a bond that every NOS takes: SONiC's names of port channels have four digits."""


def _members(case: Case) -> dict[int, list[Link]]:
    """The links of each bond."""
    bonds, found = case.cluster.plan.bonds, defaultdict(list)
    for link in case.network if bonds else ():
        if bonds and bonds.of_link[link.row] >= 0:
            found[int(bonds.of_link[link.row])].append(link)
    return found


def ports_are_bonded_as_the_fabric_says(case: Case) -> None:
    """All ports of a device there, or of each NIC, are one bond; a single one, and those of others, are in none."""
    bonds, words = case.cluster.plan.bonds, {fabric.name: fabric.bond for fabric in case.cluster.design.fabrics}
    together: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for link in case.network:
        side, word = link.segment.a, words[link.segment.fabric]
        bond = int(bonds.of_link[link.row]) if bonds else -1
        if word and isinstance(side, Attachment) and not side.profile.external:
            nic = side.legs[link.a_port].rail if word == "nic" else 0
            together[link.segment.fabric, link.a, nic].append(bond)
        elif isinstance(side, Attachment):
            assert bond < 0
    for found in together.values():
        assert len(set(found)) == 1
        assert (len(found) > 1) == (found[0] >= 0)


def bonds_are_on_one_switch_or_on_a_pair(case: Case) -> None:
    bonds = case.cluster.plan.bonds
    for bond, links in _members(case).items():
        assert bonds is not None
        switches = sorted({link.b for link in links})
        kind = int(bonds.kind[bond])
        assert len({link.a for link in links}) == 1
        if kind == MLAG:
            first, second = switches
            assert (bonds.mate[first], bonds.mate[second]) == (second, first)
        else:
            assert kind in (LACP, PEER)
            assert len(switches) == 1
        assert kind != PEER or bonds.mate[links[0].a] == links[0].b


def bonds_have_one_address_and_a_number_of_their_own(case: Case) -> None:
    bonds, taken = case.cluster.plan.bonds, set()
    for bond, links in _members(case).items():
        assert bonds is not None
        number = int(bonds.number[bond])
        assert 1 <= number <= MOST
        ends = {link.b for link in links} | ({links[0].a} if bonds.kind[bond] == PEER else set())
        assert not {(switch, number) for switch in ends} & taken
        taken |= {(switch, number) for switch in ends}
        for found in case.cluster.addresses.families:
            for column in (found.a, *found.shared.values()):
                assert {link.row for link in links if column.at(link.row)} <= {int(bonds.first[bond])}


def both_switches_of_a_pair_say_the_same(case: Case) -> None:
    views = {view.name: view for view in case.switches}
    for view in views.values():
        own_ports = {port.name: port for port in view.ports}
        for bond in model_bonds(view).values():
            assert len({view.list_vlans(own_ports[name]) for name in bond.members}) == 1
            assert len({own_ports[name].peer for name in bond.members}) == 1
        if view.pair is None:
            assert not any(bond.mlag_id for bond in model_bonds(view).values())
            continue
        mate = views[view.pair.mate]
        assert mate.pair is not None
        assert (mate.pair.name, mate.pair.number) == (view.pair.name, view.pair.number)
        theirs = model_bonds(mate)
        for number, bond in model_bonds(view).items():
            if bond.mlag_id:
                other = theirs[number]
                assert bond.mlag_id == other.mlag_id
                assert bond.description == other.description
                assert (bond.access_vlan, bond.tagged_vlans) == (other.access_vlan, other.tagged_vlans)
        for own, far in zip(view.services, mate.services, strict=True):
            assert own.gateways == far.gateways
            assert bool(own.gateways) == bool(own.owns)
            assert not set(own.owns) & {*far.owns, *own.gateways}


LAWS = (
    ports_are_bonded_as_the_fabric_says,
    bonds_are_on_one_switch_or_on_a_pair,
    bonds_have_one_address_and_a_number_of_their_own,
    both_switches_of_a_pair_say_the_same,
)
