"""Bonds as columns: several links that are one interface by LACP (IEEE 802.1AX)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fabricgen.wiring.arrays import Ints, Ints64

LACP, MLAG, PEER = range(3)
"""Kinds of bond: of a host and one switch, of a host and the two switches of a pair, of these two themselves."""


PAIR_VLAN = 4094
"""The VLAN in which the two switches of a pair talk to each other over their peer link."""


class Bonds(NamedTuple):
    """The bonds of a cluster, int32 columns: `of_link` is the bond of each link, -1 for none; `mate` is the other
    switch of the MLAG pair of each device, -1 for none.

    Per bond, hosts before peer links and in the order of fabrics and devices: `first` is its link with the lowest port
    of the lower end, which has the address of the bond; `number` is its number on its switches, from 1; `nic` is the
    NIC whose ports it has, from 1, or 0 where it has all ports of the device.
    """

    of_link: Ints
    mate: Ints
    first: Ints
    number: Ints
    nic: Ints
    kind: Ints

    def list_unaddressed_links(self) -> Ints64:
        """Links of bonds but the first of each: they have no address of their own; int64."""
        links = np.flatnonzero(self.of_link >= 0)
        unaddressed: Ints64 = links[self.first[self.of_link[links]] != links]
        return unaddressed

    def find_numbers(self, links: Ints64 | Ints) -> Ints64:
        """The number of the bond of each of some links, 0 for none; int64."""
        return np.append(self.number, 0)[self.of_link[links]].astype(np.int64)

    def find_kinds(self, links: Ints64 | Ints) -> Ints64:
        """The kind of the bond of each of some links, -1 for none; int64."""
        # the bond -1 indexes the last place, which says -1
        return np.append(self.kind, -1)[self.of_link[links]].astype(np.int64)

    def cut_to(self, links: Ints64, devices: Ints64) -> Bonds:
        """The bonds over some links and devices only, which keep their numbers."""
        bond_of_link, first = self.of_link[links], self._find_first_links(links)
        kept_bonds = np.flatnonzero(first < len(links))
        renumbered = renumber_rows(kept_bonds, len(self.first))
        return Bonds(
            renumbered[bond_of_link],
            renumber_rows(devices, len(self.mate))[self.mate[devices]],
            first[kept_bonds].astype(np.int32),
            *(column[kept_bonds] for column in (self.number, self.nic, self.kind)),
        )

    def find_addressed_links(self, links: Ints64) -> Ints64:
        """The links whose addresses some of the links have: their own, or that of a first one which is not there."""
        addressed_links, first = links.copy(), self._find_first_links(links)
        kept_bonds = np.flatnonzero(first < len(links))
        addressed_links[first[kept_bonds]] = self.first[kept_bonds]
        return addressed_links

    def _find_first_links(self, links: Ints64) -> Ints64:
        """By bond, the place among some links of its first one, or of the first that is there; else their number."""
        # `len(links)` stands for links that are not among these: it is greater than any place
        position = np.full(len(self.of_link), len(links), dtype=np.int64)
        position[links] = np.arange(len(links))
        first, is_bonded = np.full(len(self.first), len(links), dtype=np.int64), self.of_link[links] >= 0
        np.minimum.at(first, self.of_link[links][is_bonded], np.flatnonzero(is_bonded))
        first_position = position[self.first]
        return np.where(first_position < len(links), first_position, first)


def renumber_rows(kept_rows: Ints64, rows: int) -> Ints:
    """The new number of each of `rows` former ones, -1 for those that are gone and for -1; int32."""
    # one more than there are, so that -1 as an index meets a -1
    numbers = np.full(rows + 1, -1, dtype=np.int32)
    numbers[kept_rows] = np.arange(len(kept_rows), dtype=np.int32)
    return numbers
