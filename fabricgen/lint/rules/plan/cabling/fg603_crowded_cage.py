"""FG603: a cage has more cables than its transceiver has connectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.catalog.models import CageClass
    from fabricgen.cluster import Cluster

TWIN_PORT = ("OSFP",)
"""Form factors of which transceivers with two connectors are sold (NVIDIA LinkX twin-port OSFP)."""


def count_connectors(cage: CageClass) -> int:
    """Return how many connectors the transceivers of a cage have, that is how many cables may end in it."""
    return 2 if cage.form_factor in TWIN_PORT else cage.connectors


class CrowdedCage(PlanRule):
    """More cables end in a cage than its transceiver has connectors.

    A twin-port OSFP transceiver takes two cables, any other takes one. Links that are split at both ends, and each
    go to a different switch, need more. Give each pair of switches whole cages: more links to fewer switches, or
    unsplit ports. A fibre shuffle
    (`cabling.patch`, docs/patching.md) deals the pairs of several cables, so that each cage takes as many as it has
    connectors.
    """

    severity = Severity.ERROR
    impossible = True
    bad = """
        pods: {p1: {su: 5}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn4700, per: [su, rail], uplinks: 4 x 200G},  # <-
          spine: {switch: sn4700, count: 4}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn4700, per: [su, rail], uplinks: 8 x 200G},
          spine: {switch: sn4700, count: 4}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Count the cables in every cage of a switch; cables through fibre shuffles are left out. One finding for each
        kind of link.
        """
        import numpy as np

        from fabricgen.catalog.models import SwitchProfile
        from fabricgen.design.ports import PortRun
        from fabricgen.wiring.cabling.end_numbers import number_cages_of_ports

        devices, cables, links = cluster.plan.devices, cluster.plan.cables, cluster.plan.links
        is_shuffled, patching = np.zeros(len(cables), dtype=bool), cluster.plan.patching
        if patching is not None:
            # cables without a policy have the number -1, which takes the last entry
            is_shuffled = np.array([*(p.shuffles for p in patching.policies), False], dtype=bool)[patching.policy]
        for i, segment in enumerate(links.segments):
            segment_ends = cluster.end_rows[i]
            is_direct = ~is_shuffled[cables.end_cable[segment_ends]]
            rows, cable = cables.end_link[segment_ends][is_direct], cables.end_cable[segment_ends][is_direct]
            ends = ((segment.a, links.a_device, links.a_port), (segment.b, links.b_device, links.b_port))
            for run, *columns in ends:
                if not len(rows) or not isinstance(run, PortRun):
                    continue
                device, port = (column[rows] for column in columns)
                profile = devices.classes[devices.device_class[device[0]]].profile
                assert isinstance(profile, SwitchProfile)  # noqa: S101 - only switches have runs of ports
                connectors = count_connectors(profile.cages[run.cage_class])
                cage = number_cages_of_ports(run, np.arange(int(port.max()) + 1, dtype=np.int32))
                # device and cage as one number
                socket = (device - device.min()).astype(np.int64) * (int(cage.max()) + 1) + cage[port]
                # the ends of a cable are ordered by connector, so that its ends in one cage are neighbours
                is_repeated = (cable[1:] == cable[:-1]) & (socket[1:] == socket[:-1])
                cables_in_cage = np.bincount(socket[np.r_[True, ~is_repeated]])
                if cables_in_cage.max() > connectors:
                    yield self.flag(
                        segment.path,
                        f"{int((cables_in_cage > connectors).sum())} cages of {profile.id} have {cables_in_cage.max()} "
                        f"{segment.fabric} {segment.key} cables each; a transceiver there takes {connectors}",
                        "give each pair of switches a multiple of the links of a cage, use unsplit ports, or deal them "
                        "by a fibre shuffle (`cabling.patch`)",
                    )
