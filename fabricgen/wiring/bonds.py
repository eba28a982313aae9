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

    Columns by bond, hosts before peer links and in the order of fabrics and devices: `first` is its link with the
    lowest port of the lower end, which has the address of the bond; `number` is its number on its switches, from 1;
    `nic` is the NIC whose ports it has, from 1, or 0 where it has all ports of the device; `kind` is LACP, MLAG or
    PEER.
    """

    of_link: Ints
    mate: Ints
    first: Ints
    number: Ints
    nic: Ints
    kind: Ints

    def list_unaddressed_links(self) -> Ints64:
        """Return the links of bonds other than the first link of each bond, ascending, int64: they have no address of
        their own.
        """
        links = np.flatnonzero(self.of_link >= 0)
        unaddressed: Ints64 = links[self.first[self.of_link[links]] != links]
        return unaddressed

    def find_numbers(self, links: Ints64 | Ints) -> Ints64:
        """Return the number of the bond of each of some links, from 1; 0 for links without a bond; int64."""
        # the bond -1 indexes the last item, which is the 0 put there
        return np.append(self.number, 0)[self.of_link[links]].astype(np.int64)

    def find_kinds(self, links: Ints64 | Ints) -> Ints64:
        """Return the kind (LACP, MLAG, PEER) of the bond of each of some links; -1 for links without a bond; int64."""
        # the bond -1 indexes the last item, which is the -1 put there
        return np.append(self.kind, -1)[self.of_link[links]].astype(np.int64)

    def cut_to(self, links: Ints64, devices: Ints64) -> Bonds:
        """Return the bonds for tables that are cut to some links and devices, given by their former rows.

        A bond keeps its number, and is dropped if none of its links is among `links`. Rows of links, devices and bonds
        are counted anew; the peer of a device that is not among `devices` becomes -1.
        """
        bond_of_link, first_row = self.of_link[links], self._find_first_links(links)
        # `len(links)` stands for a bond without a link among these
        kept_bonds = np.flatnonzero(first_row < len(links))
        new_rows = renumber_rows(kept_bonds, len(self.first))
        return Bonds(
            new_rows[bond_of_link],
            renumber_rows(devices, len(self.mate))[self.mate[devices]],
            first_row[kept_bonds].astype(np.int32),
            *(column[kept_bonds] for column in (self.number, self.nic, self.kind)),
        )

    def find_addressed_links(self, links: Ints64) -> Ints64:
        """Return for each of some links the link whose address it has, int64: mostly the link itself.

        If the first link of a bond, which has the bond's address, is not among the links, the first one that is stands
        in for it.
        """
        addressed_links, first_row = links.copy(), self._find_first_links(links)
        # `len(links)` stands for a bond without a link among these
        kept_bonds = np.flatnonzero(first_row < len(links))
        addressed_links[first_row[kept_bonds]] = self.first[kept_bonds]
        return addressed_links

    def _find_first_links(self, links: Ints64) -> Ints64:
        """Return for each bond the index within `links` of its first link, int64.

        If that link is not among `links`, it is the index of the first link of the bond that is; `len(links)` if there
        is none.
        """
        # `len(links)` stands for links that are not among these: it is greater than any index
        row_of_link = np.full(len(self.of_link), len(links), dtype=np.int64)
        row_of_link[links] = np.arange(len(links))
        first_kept_row, is_bonded = np.full(len(self.first), len(links), dtype=np.int64), self.of_link[links] >= 0
        np.minimum.at(first_kept_row, self.of_link[links][is_bonded], np.flatnonzero(is_bonded))
        row_of_first = row_of_link[self.first]
        return np.where(row_of_first < len(links), row_of_first, first_kept_row)


def renumber_rows(kept_rows: Ints64, rows: int) -> Ints:
    """Return the new row of each of `rows` former rows, -1 for rows that are gone; int32, of length `rows` + 1.

    The further item at the end is -1, so that a former -1 (none) stays -1 as an index.
    """
    numbers = np.full(rows + 1, -1, dtype=np.int32)
    numbers[kept_rows] = np.arange(len(kept_rows), dtype=np.int32)
    return numbers
