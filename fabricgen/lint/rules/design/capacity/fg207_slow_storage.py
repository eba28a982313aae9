"""FG207: storage is slower than accelerators need."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from fabricgen.design.build import make_trials
from fabricgen.design.capacity.bisection import count_accelerators, sum_node_bandwidth
from fabricgen.design.capacity.end_to_end import (
    compute_end_to_end,
    has_purpose,
    sum_bandwidth_beyond_leaves,
    sum_extra_bandwidth,
)
from fabricgen.design.fabric_model import ExtraSet, FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule

STORAGE = "storage"
"""The role of storage ports and devices."""
DEVICES = "storage devices"


class SlowStorage(DesignRule):
    """The storage fabric gives each accelerator less bandwidth than `lint.limits.storage_gbps_per_accelerator`.

    An accelerator gets the least of three: the storage ports of its node, what the tiers let through, and the ports
    of the storage devices (`extra` with role `storage`; without any, storage is elsewhere and is not counted).
    Reading batches and writing checkpoints stop the whole job, so NVIDIA states what storage must deliver (DGX
    SuperPOD reference architecture, DGX H100: an application with GPUDirect Storage should read over 40 GB/s, which
    is 40 Gb/s for each of eight accelerators). How much is needed depends on the data, so nothing is judged until
    the limit is set. Widen the narrowest part, which the message names.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          storage:
            protocol: roce
            tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 4}}
            extra:
              array: {device: storage-array, count: 1}  # <-
        lint: {limits: {storage_gbps_per_accelerator: 20}}
    """
    good = """
        fabrics:
          storage:
            protocol: roce
            tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 4}}
            extra:
              array: {device: storage-array, count: 2}
        lint: {limits: {storage_gbps_per_accelerator: 20}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare what storage fabrics give accelerators with the limit."""
        limit = design.loaded.limits.storage_gbps_per_accelerator
        if limit is None:
            return
        for fabric in design.fabrics:
            number = count_accelerators(design, fabric)
            if not number or not has_purpose(fabric, STORAGE):
                continue
            sources = _list_sources(design, fabric, number)
            least, source, path = min(sources, key=lambda gbps_name_path: gbps_name_path[0])
            if least < limit:
                wider = ", ".join(f"{name} {float(gbps):.4g}G" for gbps, name, _ in sources if name != source)
                yield self.flag(
                    path,
                    f"{fabric.name} gives an accelerator {float(least):.4g}G; the limit is {limit:g}G; {source} "
                    f"{'are' if source.endswith('s') else 'is'} narrowest ({wider})",
                    _suggest_devices(design, fabric, source, Fraction(limit) / least) if least else "",
                )


def _list_sources(design: Design, fabric: FabricDesign, number: int) -> list[tuple[Fraction, str, Path]]:
    """Return (Gb/s for each of `number` accelerators, what gives them, its path): node ports, the narrowest tier if it
    is narrower than these, and storage devices if there are any.
    """
    port_gbps = Fraction(sum_node_bandwidth(design, fabric), number)
    tier_gbps = sum_bandwidth_beyond_leaves(design, fabric) / number
    sources: list[tuple[Fraction, str, Path]] = [(port_gbps, "node ports", fabric.path)]
    narrowest = compute_end_to_end(design, fabric).narrowest
    if narrowest and tier_gbps < port_gbps:
        sources.append((tier_gbps, f"the {narrowest.name} tier", (*narrowest.path, "oversubscription")))
    devices = _list_devices(fabric)
    if devices:
        sources.append((Fraction(sum_extra_bandwidth(fabric, STORAGE), number), DEVICES, devices[0].path))
    return sources


def _list_devices(fabric: FabricDesign) -> list[ExtraSet]:
    return [extra for extra in fabric.extras if extra.attachment.role == STORAGE]


def _suggest_devices(design: Design, fabric: FabricDesign, source: str, times: Fraction) -> str:
    """Return the hint with how many times the bandwidth of `source` is enough; if it is one entry of storage devices,
    with how many devices, and whether there are ports for them.
    """
    devices = _list_devices(fabric)
    if source != DEVICES or len(devices) > 1:
        return f"{float(times):.3g} times as much is enough there"
    count = ceil(devices[0].count * times)
    trials, change = make_trials(design, fabric.name), {".".join(map(str, (*devices[0].path, "count"))): count}
    if trials.fits(change):
        return f"set `count: {count}` on {devices[0].name}, which fits"
    lacks = "uplinks" if trials.wire_fabrics(change) else "ports of leaves or spines"
    return f"set `count: {count}` on {devices[0].name}, which needs more {lacks}"
