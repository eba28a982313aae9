"""Names of nodes, and of other devices in their racks, from their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from fabricgen.blueprint.models import Blueprint
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.design.names.templates import Naming, Values
from fabricgen.kernel.diagnostics import did_you_mean, fault

Columns: TypeAlias = Mapping[str, list[int]]

TEXTS = ("cluster", "set", "site", "pod")
NUMBERS = ("su", "rack", "node", "n", "index")


class NodeNames:
    """Names of the nodes of a set; the default template gives `p1-su01-n001`."""

    def __init__(self, blueprint: Blueprint, layout: Layout, members: NodeSet) -> None:
        self._layout, self._members = layout, members
        self._kind = next(kind for kind in layout.kinds if kind.name == members.unit)
        self._own = {"cluster": blueprint.name, "set": members.name}
        templates = blueprint.names.nodes
        key = next((k for k in (members.name, "all") if k in templates and not (k == "all" and members.per_rack)), "")
        usual = "{pod}-su{su:02}-rk{rack:02}-{set}-{n:02}" if members.per_rack else "{pod}-su{su:02}-{set}-{node:03}"
        usual = "{pod}-su{su:02}-n{node:03}" if members.name == "node" and not members.per_rack else usual
        self.naming = Naming(
            who=f"'{members.name}' nodes",
            template=templates.get(key, "").replace("{default}", usual) or usual,
            path=("names", "nodes", key) if key else members.path,
        )

    def check(self) -> None:
        """Raise InputError for a template with fields that nodes lack, or that gives two nodes one name."""
        layout, fields = self._layout, self.naming.fields
        needed = ["pod"] if len(layout.pods) > 1 else []
        needed += ["su"] if max(pod.su for pod in layout.pods) > 1 else []
        if "node" not in fields and self._members.count > 1:
            by_rack = self._members.per_rack or "n" in fields
            needed += (["rack"] if self._kind.racks > 1 else []) + ["n"] if by_rack else ["node"]
        self.naming.check(TEXTS, NUMBERS, [] if "index" in fields else needed)

    def of(self, columns: Columns, count: int) -> list[str]:
        """Names of `count` nodes; `columns` are their pod, su, rack and node, int, from 0."""
        members = self._members
        each = members.per_rack or self._kind.nodes_per_rack
        first = members.first if members.per_rack else 0
        pods, wanted = self._layout.pods, self.naming.fields
        made: dict[str, Callable[[], Values]] = {
            "site": lambda: [pods[i].site for i in columns["pod"]],
            "pod": lambda: [pods[i].name for i in columns["pod"]],
            "su": lambda: [i + 1 for i in columns["su"]],
            "rack": lambda: [i + 1 for i in columns["rack"]],
            "node": lambda: [i + 1 for i in columns["node"]],
            "n": lambda: [(i - first) % each + 1 for i in columns["node"]],
            "index": lambda: self._running(columns),
        }
        return self.naming.names({**self._own, **{f: made[f]() for f in made if f in wanted}}, count)

    def _running(self, columns: Columns) -> list[int]:
        """The number of each node in the cluster, from 1; reserved units count, so that growth changes none."""
        pods, members = self._layout.pods, self._members
        slots = self._layout.unit_numbers("all", by_slot=True)
        units = [slots[pods[pod].first_su + su] for pod, su in zip(columns["pod"], columns["su"], strict=True)]
        return [
            unit * members.count + node - members.first + 1 for unit, node in zip(units, columns["node"], strict=True)
        ]


def check_node_names(blueprint: Blueprint, layout: Layout) -> None:
    """Check the template of every node set; raises InputError at the template."""
    sets = {members.name for members in layout.node_sets}
    for name in sorted(set(blueprint.names.nodes) - sets - {"all"}):
        hint = did_you_mean(name, sets)
        raise fault("FG016", f"there are no nodes '{name}' to name", path=("names", "nodes", name), hint=hint)
    for members in layout.node_sets:
        NodeNames(blueprint, layout, members).check()
