"""Every law that holds for a compiled cluster, whatever its blueprint."""

from __future__ import annotations

from tests.properties import (
    laws_of_addresses,
    laws_of_bonds,
    laws_of_counts,
    laws_of_links,
    laws_of_ports,
    laws_of_requests,
)

LAWS = (
    *laws_of_ports.LAWS,
    *laws_of_links.LAWS,
    *laws_of_requests.LAWS,
    *laws_of_counts.LAWS,
    *laws_of_addresses.LAWS,
    *laws_of_bonds.LAWS,
)
