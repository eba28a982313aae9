"""scale-up.csv: every link of every scale-up domain, on-board links included; on request."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.export.table import pick_names, yield_table
from fabricgen.reports.table import Cell, Table
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.links.scale_up_places import expand_domains, name_domains
from fabricgen.wiring.tables import ScaleUpPort

_COLUMNS = ("domain", "kind", "a_device", "a_port", "b_device", "b_port", "gbps")


def make_table(cluster: Cluster) -> Table:
    """Return the links of scale-up domains, by entry of the blueprint: on a node's board, between nodes, and to switch
    trays.
    """
    columns: dict[str, list[Cell]] = {name: [] for name in _COLUMNS}
    for scale_up in cluster.design.scale_up:
        for name, column in _make_columns(cluster, scale_up).items():
            columns[name] += column
    return Table("scale-up", columns)


files = yield_table(make_table)


def _make_columns(cluster: Cluster, scale_up: ScaleUpDesign) -> dict[str, Any]:
    """Return the columns of scale-up.csv for the domains of one kind, with a row for each link."""
    links = expand_domains(cluster.design, cluster.plan.devices, scale_up)
    names = np.array(name_domains(cluster.design, scale_up), dtype=object)
    rows = len(links.domain)
    return {
        "domain": pick_names(names, links.domain),
        "kind": [scale_up.profile.id] * rows,
        "a_device": pick_names(cluster.name_column, links.a_device),
        "a_port": pick_names(_name_ports(links.a, links.a_port), links.a_port),
        "b_device": pick_names(cluster.name_column, links.b_device),
        # a b end is a port of a switch, or of another accelerator; 0 stands in for rows of the other kind
        "b_port": np.where(
            links.at_switch,
            _name_ports(links.b, links.b_port, links.at_switch)[np.where(links.at_switch, links.b_port, 0)],
            _name_ports(links.a, links.b_port, ~links.at_switch)[np.where(links.at_switch, 0, links.b_port)],
        ).tolist(),
        "gbps": [scale_up.profile.link_gbps] * rows,
    }


def _name_ports(side: ScaleUpPort, ports: Ints, used: Any = True) -> Any:
    """Return the names of a side's ports by number, from 0 to the highest number in `ports`; object array of str.

    `used` flags the entries of `ports` that count. There is always at least one name.
    """
    return np.array(side.list_names(1 + int(ports.max(initial=0, where=used))), dtype=object)
