"""The power of transceivers, and of the fixed ends of cables, in each device and rack."""

from typing import NamedTuple

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import join_needs
from fabricgen.bom.sources import laser_modules, transceivers
from fabricgen.catalog.loads import has_optics
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Floats, Ints, unique_combinations
from fabricgen.wiring.cabling.plugs import number_cages


class CableEndPowers(NamedTuple):
    """The fixed ends of cables, each once: its cable and device, int32, and its power in W, float64, NaN if unknown."""

    cable: Ints
    device: Ints
    power_w: Floats


def find_end_powers(cluster: Cluster, parts: CableParts) -> CableEndPowers:
    """Return the fixed ends of all cables of a medium with attached ends; the common end of a breakout is one end."""
    cables, links, cages = cluster.plan.cables, cluster.plan.links, number_cages(cluster.plan)
    kinds, *of_end = parts.kinds
    attached = np.array([medium.attached for medium in cables.media], dtype=bool)
    rows = np.flatnonzero(attached[cables.medium[cables.end_cable]])
    watts_by_kind = np.array(
        [
            [np.nan if (watts := kind.catalogue_power_w(medium)) is None else watts for medium in cables.media]
            for kind in kinds
        ],
        dtype=np.float64,
    ).reshape(len(kinds), len(cables.media))
    columns_by_side: list[tuple[Ints, Ints, Floats]] = []
    for kind, cage, device in zip(of_end, (cages.a, cages.b), (links.a_device, links.b_device), strict=True):
        # one row for each (cable, cage), however many links it has
        end_rows = rows[unique_combinations(cables.end_cable[rows], cage[rows])[0]]
        cable = cables.end_cable[end_rows]
        columns_by_side.append(
            (cable, device[cables.end_link[end_rows]], watts_by_kind[kind[end_rows], cables.medium[cable]])
        )
    cable, device, power = (np.concatenate(columns) for columns in zip(*columns_by_side, strict=True))
    return CableEndPowers(cable, device, power)


class OpticsPower(NamedTuple):
    """The power of optics in W, float64, one row for each rack or each device.

    Optics are transceivers, external laser modules and the fixed ends of cables. `added_w` leaves out optics that the
    published maximum of their device includes; `unpowered` counts, of the optics in `added_w`, those without a figure,
    int32.
    """

    power_w: Floats
    added_w: Floats
    unpowered: Ints


def sum_rack_optics(cluster: Cluster, cable_parts: CableParts | None = None) -> OpticsPower:
    """Return the power of the optics in each rack; each cage and each cable end counts once.

    `cable_parts` are the parts of the cluster's cables, if the caller has them already.
    """
    devices = sum_device_optics(cluster, cable_parts)
    rack, count = cluster.plan.devices.rack, len(cluster.plan.racks)
    power_w, added_w, unpowered = (
        np.bincount(rack, weights=column, minlength=count).astype(np.float64)
        for column in (devices.power_w, devices.added_w, devices.unpowered)
    )
    return OpticsPower(power_w, added_w, unpowered.astype(np.int32))


def sum_device_optics(cluster: Cluster, cable_parts: CableParts | None = None) -> OpticsPower:
    """Return the power of the optics in each device; `cable_parts` as for `sum_rack_optics`."""
    parts, devices = cable_parts or CableParts(cluster), cluster.plan.devices
    needs = join_needs([transceivers.needs(cluster, parts), laser_modules.needs(cluster, parts)])
    ends = find_end_powers(cluster, parts)
    figures = np.array([np.nan if part.power_w is None else part.power_w for part in needs.parts], dtype=np.float64)
    piece_w = figures[needs.part] if len(needs.parts) else np.zeros(0)
    power = np.concatenate([piece_w * needs.quantity, ends.power_w])
    pieces = np.concatenate([needs.quantity, np.ones(len(ends.power_w), dtype=np.int32)])
    device, count = np.concatenate([needs.device, ends.device]), len(devices)
    added = ~np.array([has_optics(cls.profile) for cls in devices.classes], dtype=bool)[devices.device_class[device]]

    def sum_by_device(weights: Floats) -> Floats:
        return np.bincount(device, weights=weights, minlength=count).astype(np.float64)

    watts = np.nan_to_num(power)
    has_no_figure = np.isnan(power) & added
    unpowered = np.bincount(device[has_no_figure], weights=pieces[has_no_figure], minlength=count).astype(np.int32)
    return OpticsPower(sum_by_device(watts), sum_by_device(watts * added), unpowered)
