"""Every address of addresses.csv, as numbers: scripts write them, and search them without writing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fabricgen.export.files.addresses import list_leading_sections, list_link_kinds, list_trailing_sections
from fabricgen.export.host_links import name_bond_ports
from fabricgen.export.view.source import Packed, PageSource, pack_addresses, pack_column, pack_numbers
from fabricgen.numbering.addresses.family_tables import FamilyAddresses


def block(source: PageSource) -> dict[str, Any]:
    """Return `families`, `kinds` and `bonds` for the page.

    `families` has, by address family, the loopback and management address of each device, the addresses of both ends of
    each link, and all others. `kinds` has the kind of address of each kind of link. `bonds` is the interface at the
    lower end of each link, None if the cluster has no bonds.
    """
    cluster = source.cluster
    bonds = None if cluster.plan.bonds is None else name_bond_ports(cluster, np.arange(len(cluster.plan.links)))
    return {
        "families": [_pack_family(source, allocated) for allocated in cluster.addresses.families],
        "kinds": list_link_kinds(cluster),
        "bonds": bonds and pack_column(bonds),
    }


def _pack_family(source: PageSource, allocated: FamilyAddresses) -> dict[str, Any]:
    return {
        "bits": allocated.family.bits,
        "loopback": pack_addresses(allocated.loopback),
        "management": pack_addresses(allocated.management),
        "a": pack_addresses(allocated.a),
        "b": pack_addresses(allocated.b),
        "length": pack_numbers(allocated.length),
        "before": list(_pack_sections(list_leading_sections(source.cluster, allocated))),
        "after": list(_pack_sections(list_trailing_sections(source.cluster, allocated))),
    }


def _pack_sections(sections: Any) -> Iterator[Packed]:
    for section in sections:
        if len(section.devices):
            yield {
                "address": pack_addresses(section.addresses),
                "length": pack_numbers(section.lengths),
                "kind": pack_column(section.kinds),
                "device": pack_numbers(section.devices),
                "port": pack_column(section.ports),
            }
