"""Lanes of cabled ports, for those who emulate a switch whose ports are known by their lanes."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.cluster import Cluster
from fabricgen.render.nos_protocol import HasPortLanes, load_writer


def port_lanes(cluster: Cluster, rows: Iterable[int]) -> dict[tuple[str, str], tuple[str, str]]:
    """(switch, port) -> (lanes, alias) of cabled ports, of some rows of the device table.

    There is nothing of switches whose NOS has no lanes. Raises InputError (FG026) where the NOS takes them from a port
    table that the catalogue does not have.
    """
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for row in rows:
        switch = cluster.switch(row)
        nos = load_writer(switch.nos)
        if isinstance(nos, HasPortLanes):
            table = nos.port_lanes(switch, cluster.design.catalog)
            found.update(((switch.name, port.name), table[port.name]) for port in switch.ports)
    return found
