"""Every address of addresses.csv, as numbers: scripts write them, and search them without writing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fabricgen.export.files.addresses import after_links, before_links, kinds_of_links
from fabricgen.export.host_links import bond_ports
from fabricgen.export.view.source import Packed, PageSource, packed, packed_addresses, packed_numbers
from fabricgen.numbering.addresses.family_tables import FamilyAddresses


def block(source: PageSource) -> dict[str, Any]:
    """By family: loopback and management address by device, both ends by link, and all other addresses.

    `kinds` are those of the addresses of links, by kind of link. `bonds`: the interface at the lower end of each link,
    where some are bonds.
    """
    cluster = source.cluster
    bonds = None if cluster.plan.bonds is None else bond_ports(cluster, np.arange(len(cluster.plan.links)))
    return {
        "families": [_family(source, found) for found in cluster.addresses.families],
        "kinds": kinds_of_links(cluster),
        "bonds": bonds and packed(bonds),
    }


def _family(source: PageSource, found: FamilyAddresses) -> dict[str, Any]:
    return {
        "bits": found.family.bits,
        "loopback": packed_addresses(found.loopback),
        "management": packed_addresses(found.management),
        "a": packed_addresses(found.a),
        "b": packed_addresses(found.b),
        "length": packed_numbers(found.length),
        "before": list(_sections(before_links(source.cluster, found))),
        "after": list(_sections(after_links(source.cluster, found))),
    }


def _sections(sections: Any) -> Iterator[Packed]:
    for section in sections:
        if len(section.devices):
            yield {
                "address": packed_addresses(section.addresses),
                "length": packed_numbers(section.lengths),
                "kind": packed(section.kinds),
                "device": packed_numbers(section.devices),
                "port": packed(section.ports),
            }
