"""Where nodes are near each other: groups of them in the network of accelerators, and the group of each node."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fabricgen.export.locality.model import Locality
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.plugins.columns import Columns, column, to_text_array
from fabricgen.wiring.arrays import Flags, Ints


class _LocalityTable(Columns):
    def __init__(self, locality: Locality) -> None:
        self._locality, self._tiers = locality, locality.tiers
        self._ends = np.cumsum([len(tier.names) for tier in self._tiers])
        """The rows of groups at which each tier ends."""


class Groups(_LocalityTable):
    """Groups of nodes, tier by tier from the leaves up: the nodes of a group reach the same switches of its tier."""

    @column
    def name(self) -> Strings:
        """Its name, which no other group has: what the names of its switches have in common."""
        return to_text_array([name for tier in self._tiers for name in tier.names])

    @column
    def tier(self) -> Strings:
        """What its tier is called."""
        return to_text_array([tier.kind for tier in self._tiers for _ in tier.names])

    @column
    def level(self) -> Ints:
        """How many tiers are below it, int32; 0 for a logical leaf."""
        return np.repeat(np.arange(len(self._tiers), dtype=np.int32), [len(tier.names) for tier in self._tiers])

    @column
    def above(self) -> Ints:
        """The group of the next tier that it lies in, a row, int32; -1 in the last one: nothing joins these."""
        rows = np.full(self._ends[-1], -1, dtype=np.int32)
        for lower, upper, end in zip(self._tiers, self._tiers[1:], self._ends, strict=False):
            rows[end - len(lower.names) + lower.group] = end + upper.group
        return rows

    @column
    def switches(self) -> Flags:
        """Whether it has switches of its tier, bool; one that has none is the group below it."""
        return np.array([has_switches for tier in self._tiers for has_switches in tier.has_switches], dtype=bool)


class Places(_LocalityTable):
    """Nodes of scalable units, in the order of `devices`."""

    @cached_property
    def _is_grouped(self) -> Flags:
        return np.isin(self.device, self._locality.nodes)

    @column
    def node(self) -> Strings:
        """The name of the node."""
        return self._locality.cluster.name_column[self.device]

    @column
    def device(self) -> Ints:
        """The node, a row of `devices`, int32."""
        return np.sort(np.concatenate((self._locality.nodes, self._locality.others))).astype(np.int32)

    @column
    def group(self) -> Ints:
        """Its logical leaf, a row of `groups`, int32; -1 where it is not on the network of accelerators."""
        rows = np.full(len(self.device), -1, dtype=np.int32)
        rows[self._is_grouped] = self._tiers[0].group
        return rows

    @column
    def domain(self) -> Strings:
        """The scale-up domain that it shares with other nodes of the network."""
        names = np.full(len(self.device), "", dtype=object)
        names[self._is_grouped] = self._locality.domains.texts()
        return names
