"""partitions.conf read by its manual page alone (opensm(8), PARTITION CONFIGURATION), for tests."""

from __future__ import annotations

import re
from typing import NamedTuple

LINE = 4096
"""What opensm reads at once (UFM Enterprise User Manual, Appendix - Partitioning)."""


class Partition(NamedTuple):
    """Names that statements give it, and membership by GUID or keyword; `first`: the ports that have it at index 0."""

    names: set[str]
    members: dict[str, str]
    first: set[str]


def read(text: str) -> dict[int, Partition]:
    """The partitions of a file by P_Key."""
    found: dict[int, Partition] = {}
    assert all(len(line) < LINE for line in text.splitlines())
    for statement in re.sub("#.*", "", text).split(";"):
        if not statement.strip():
            continue
        definition, _, ports = statement.partition(":")
        (name, pkey), *flags = (part.strip().partition("=")[::2] for part in definition.split(","))
        partition = found.setdefault(int(pkey, 16), Partition(set(), {}, set()))
        partition.names.add(name)
        default = dict(flags).get("defmember", "limited")
        for port in ports.split(","):
            guid, _, membership = port.strip().partition("=")
            partition.members[guid] = membership or default
            if "indx0" in dict(flags):
                partition.first.add(guid)
    return found
