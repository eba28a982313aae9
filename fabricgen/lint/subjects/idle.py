"""Limits that judge nothing in this design, and words of a phase about what it has not."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.phases import ALL
from fabricgen.design.capacity.bisection import accelerators_of
from fabricgen.design.capacity.purpose import attached_nodes, serves
from fabricgen.design.model import Design
from fabricgen.design.phases.selection import selected
from fabricgen.kernel.diagnostics import Path
from fabricgen.lint.subjects.lossless import lossless_fabrics

Idle = tuple[Path, str, str]
"""The path of a setting that changes nothing, why, and what to do."""


def find_idle_limits(design: Design) -> Iterator[Idle]:
    """Limits of the blueprint (the project's serve others too) that nothing here is held against."""
    fabrics, limits = design.fabrics, design.loaded.blueprint.lint.limits
    joining = [fabric for fabric in fabrics if accelerators_of(design, fabric)]
    of_accelerators = any(leg.gpu is not None for f in joining for _, has in f.attachments for leg in has.legs)
    inband = any(attached_nodes(design, fabric) and serves(fabric, "inband") for fabric in fabrics)
    lossless = any(True for _ in lossless_fabrics(design)), "no fabric has a lossless class"
    held: dict[Path, tuple[bool, str]] = {
        ("bisection_gbps_per_accelerator",): (of_accelerators, "no NICs belong to accelerators"),
        ("storage_gbps_per_accelerator",): (any(serves(f, "storage") for f in joining), "no GPUs have storage ports"),
        ("inband_gbps_per_node",): (inband, "nodes attach to no in-band fabric"),
        ("watchdog_detect_ms",): lossless,
        ("ecn_queue_ms",): lossless,
        ("after_loss", "plane"): (any(fabric.planes > 1 for fabric in fabrics), "no fabric has several planes"),
        ("after_loss", "feed"): (bool(design.loaded.blueprint.floor.feeds), "`floor` names no `feeds`"),
    }
    for path, (is_held, why) in held.items():
        group = limits.after_loss if len(path) > 1 else limits
        stated = group.model_fields_set  # one share for every kind of loss states all, and means those that there are
        if path[-1] in stated and stated != {*type(limits.after_loss).model_fields} and not is_held:
            yield ("lint", "limits", *path), f"the limit `{path[-1]}` judges nothing: {why}", "remove it, or state that"


def find_idle_words_of_phases(design: Design) -> Iterator[Idle]:
    """What phases state of fabrics, pods and extra devices that are not there at the phase."""
    sites = {pod.name: pod.site for pod in design.layout.pods}
    for name, phase in design.loaded.blueprint.phases.items():
        there = selected(design, phase)
        pods = {pod for pod in phase.pods or sites if phase.sites is None or sites[pod] in phase.sites}
        words: list[tuple[Path, str, bool]] = [
            *((("planes", f), f, f in there.fabrics) for f in phase.planes or () if f != ALL),
            *((("rails", f), f, f in there.fabrics) for f in phase.rails or () if f != ALL),
            *((("switches", tier), tier, tier.partition(".")[0] in there.fabrics) for tier in phase.switches),
            *((("extra", i), extra, extra in there.extra) for i, extra in enumerate(phase.extra or ())),
            *((("units", pod), f"pod {pod}", pod in pods) for pod in phase.units),
            *((("pods", i), f"pod {pod}", pod in pods) for i, pod in enumerate(phase.pods or ())),
        ]
        for path, what, is_there in words:
            if not is_there:
                why = f"phase '{name}' has no {what}, so that `{path[0]}` says nothing of it"
                yield ("phases", name, *path), why, "add what it is part of to the phase, or remove it"
