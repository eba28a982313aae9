"""What of a design draws power, and on what figures its power stands."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.loads import Device, basis
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path


def drawing_devices(design: Design) -> Iterator[tuple[Device, Path, int]]:
    """(profile, path in the blueprint, how many) of nodes, extra devices and the switches of tiers."""
    for nodes in design.layout.node_sets:
        yield nodes.profile, nodes.path, design.layout.present(nodes)
    places = {extra.name: extra.path for fabric in design.fabrics for extra in fabric.extras}
    for name, (profile, devices, _) in design.extra_devices.items():
        yield profile, (*places[name], "device"), len(devices)
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            yield tier.profile, (*tier.path, "switch"), tier.switches


def power_words(design: Design) -> str:
    """On what `power_w` of the summary stands, beside published maxima without optics; "" where on nothing else."""
    found: dict[str, dict[str, None]] = {}
    for profile, _, count in drawing_devices(design):
        for kind in (basis(profile) or "").split("-with-") if count else ():
            found.setdefault(kind, {})[profile.id] = None
    said = (
        ("typical", "typical draws"),
        ("estimate", "estimates"),
        ("unknown", "no figure"),
        ("optics", "maxima with optics"),
    )
    return "; ".join(f"{words}: {', '.join(found[kind])}" for kind, words in said if kind in found)
