"""Addresses go to processes that are spawned, where what is the same is no longer the same object."""

from __future__ import annotations

import pickle

from fabricgen.numbering.blocks.column import IPv6Column, no_addresses
from fabricgen.numbering.blocks.family import V6


def test_columns_are_of_their_family_in_another_process() -> None:
    family = pickle.loads(pickle.dumps(V6))
    assert isinstance(no_addresses(family, 1), IPv6Column)
