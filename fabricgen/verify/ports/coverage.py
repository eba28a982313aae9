"""Which ports of a device its dump speaks of: an LLDP agent sees no InfiniBand, and a host no port of its BMC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.wiring.tables import Flags


@dataclass(frozen=True)
class Coverage:
    """Flags, one a planned port: whether LLDP agents, or the tables of an InfiniBand subnet, would list it."""

    lldp: Flags
    subnet: Flags

    def of_agent(self, agent: str) -> Flags:
        """Ports that see nobody where a complete dump of their device does not list them."""
        if agent == "list":
            return np.ones(len(self.lldp), dtype=bool)
        return self.subnet if agent == "ib" else self.lldp


def coverage_of(cabling: PlannedCabling, catalog: Catalog) -> Coverage:
    """What dumps of a plan's devices speak of. Links between nodes, as those of accelerators, are seen by neither."""
    nos = cabling.devices["nos"]
    is_node = (nos.vocabulary == "")[nos.codes][cabling.device]
    in_subnets = [bool(name) and catalog.naming(name).dumps.in_subnet for name in nos.vocabulary.tolist()]
    managed = np.array(in_subnets, dtype=bool)[nos.codes][cabling.device]
    texts = [str(text).lower() for text in cabling.port_texts.tolist()]
    management = np.array([text.startswith(("mgmt", "eth0")) for text in texts], dtype=bool)[cabling.name]
    bmc = np.array(["bmc" in text for text in texts], dtype=bool)[cabling.name]
    in_subnet = managed & ~management
    link = np.arange(cabling.ports) ^ 1
    subnet = in_subnet | in_subnet[link]
    return Coverage(lldp=~subnet & ~(is_node & is_node[link]) & ~(is_node & bmc), subnet=subnet & ~is_node)
