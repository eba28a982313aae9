"""Bonds over two switches by EVPN multihoming (RFC 7432, section 8), for which the two need no link between them."""

from __future__ import annotations

import numpy as np

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.linked import fabric_overlay, is_multihomed
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.wiring.tables import DeviceTable, Ints, Ints64

FAULT = "FG099"


def join(design: Design, devices: DeviceTable, ends: tuple[Ints64, Ints64], peer: Ints) -> None:
    """Make the two switches of a bond each other's `peer` where their tier is multihomed, unless they are another's.

    `ends` are the lowest and the highest switch of each bond.
    """
    blueprint, classes = design.loaded.blueprint, devices.classes
    pairs = np.unique(np.stack(ends, axis=1), axis=0)
    for low, high in pairs[pairs[:, 0] < pairs[:, 1]].tolist():
        first, second = (int(devices.device_class[end]) for end in (low, high))
        if first == second and is_multihomed(blueprint, classes[first].key) and (peer[[low, high]] < 0).all():
            peer[low], peer[high] = high, low


def check_multihoming(design: Design, tier: TierDesign) -> None:
    """Raise InputError (FG099) where switches with EVPN multihoming have no overlay, no tier above, or peer links."""
    blueprint = design.loaded.blueprint
    where, spec = f"{tier.fabric} {tier.name}", blueprint.fabrics[tier.fabric].tiers[tier.name]
    path: Path = (*tier.path, "pair")
    if fabric_overlay(blueprint, tier.fabric) != "evpn":
        message, hint = f"{where} have `pair: evpn`, and no overlay", "state `routing: {overlay: evpn}`"
        raise fault(FAULT, message, path=path, hint=hint)
    if tier.up is None:
        message, hint = f"{where} have `pair: evpn`, and no tier above to reach each other over", "use `peer` links"
        raise fault(FAULT, message, path=path, hint=hint)
    if spec.peer:
        message, hint = f"{where} have `pair: evpn` and peer links", "take `peer` away, or `pair`"
        raise fault(FAULT, message, path=path, hint=hint)
