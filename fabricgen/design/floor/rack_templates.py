"""Names of racks: kinds of racks by what they are for, their usual names, and the fields that templates may have."""

from __future__ import annotations

from typing import NamedTuple

NODES, NETWORK, SHARED, PANELS = "nodes", "network", "shared", "panels"
"""Keys of templates: racks of nodes, network racks of a unit and those that serve more than one, and patch racks."""

USUAL = {
    NODES: "{pod}-su{su:02}-rk{rack:02}",
    NETWORK: "{pod}-su{su:02}-net{rack:02}",
    SHARED: "net-{run}-{n:02}",
    PANELS: "patch-{rule}-{place}-{n:02}",
}
DESCRIPTIONS = {
    NODES: "racks of nodes",
    NETWORK: "network racks of units",
    SHARED: "shared network racks",
    PANELS: "racks of patch panels",
}
_TEXTS = ("cluster", "site", "hall")
_NUMBERS = ("row", "column")
FIELDS = {
    NODES: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack", "index")),
    NETWORK: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack")),
    SHARED: ((*_TEXTS, "run"), (*_NUMBERS, "n")),
    PANELS: ((*_TEXTS, "rule", "place"), (*_NUMBERS, "n")),
}
"""Fields of templates that are texts, and numbers. Only units' node racks have a running number: a tier that comes adds
network racks to every unit."""


class UnitRack(NamedTuple):
    """A rack of a unit."""

    unit: int
    """The unit's number in the cluster, from 0."""
    rack: int
    """The rack's number in the unit, from 0, node racks before network racks."""
    node_racks: int
    """How many node racks the unit has."""

    @property
    def kind(self) -> str:
        """The key of its templates: what the rack is for."""
        return NODES if self.rack < self.node_racks else NETWORK


class PatchRack(NamedTuple):
    """A rack of patch panels and where it stands: hall, row and column count from 0."""

    rule: str
    """The rule of `cabling.patching` that asks for it."""
    place: str
    """The row or other place that its panels serve."""
    number: int
    hall: int
    row: int
    column: int
