"""FG309: all links of an extra device end on one switch."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import ExtraSet
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.failure.fg401_single_homed_nodes import is_single_homed


class ExtraOnOneSwitch(DesignRule):
    """An extra device has several links in a fabric, and all of them end on the same switch; or several devices do.

    Storage arrays, management servers, firewalls and UFM have two ports to survive the loss of a cable or a switch
    (NVIDIA HGX AI Factory reference architecture, Network Logical Architecture: two ports to two separate switches
    provide redundancy). On one switch, the second port adds bandwidth but no safety. Not judged: a fabric whose
    nodes attach to a single switch, because there is no other, and one whose nodes are single-homed as well
    (FG401).

    Name two `switches`, or none, so that ports are spread over all of them; raise the `count` of the tier, or keep
    ports free (`spare_ports`) on more than one of its switches. Devices of one set that `switches` puts on one switch
    are lost together, however many there are.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {storage: {protocol: roce,
          tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}},
          extra: {array: {device: storage-array, count: 2, switches: [storage-leaf-p1-su01-r1-01]}}}}  # <-
    """
    good = """
        fabrics: {storage: {protocol: roce,
          tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}},
          extra: {array: {device: storage-array, count: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag extra devices with several links that end on one switch, and several devices that are put on one switch,
        if a site has more switches of the tier and nodes attach to more than one.
        """
        for fabric in design.fabrics:
            # the fabric whose ports its nodes use
            cabled = design.fabric(fabric.carrier) if fabric.shares_ports else fabric
            for extra in fabric.extras:
                tier = design.tier(extra.tier)
                is_usual = tier.key in cabled.leaves and is_single_homed(cabled, tier)
                if is_usual or tier.switches <= len(design.layout.sites):
                    continue
                if devices := _count_devices_on_one_switch(extra):
                    links = len(extra.links) // extra.count
                    yield self.flag(
                        extra.path,
                        f"{devices} of {extra.count} {extra.name} devices have all {links} of their {fabric.name} "
                        f"links on one of the {tier.switches} {tier.name} switches",
                        f"spread their ports over two or more {tier.name} switches: name these in `switches`",
                    )
                elif _are_on_one_switch(design, extra):
                    message = (
                        f"all {extra.count} {extra.name} devices are on one of the {tier.switches} {tier.name} switches"
                    )
                    hint = f"spread them over two or more {tier.name} switches"
                    yield self.flag((*extra.path, "switches"), f"{message} of {fabric.name}", hint)


def _are_on_one_switch(design: Design, extra: ExtraSet) -> bool:
    """Whether the blueprint names one switch for several extra devices, which may stand in for each other."""
    stated = design.loaded.blueprint.fabrics[str(extra.path[1])].extra[extra.name].switches
    return extra.count > 1 and bool(stated) and len({link.switch for link in extra.links}) == 1


def _count_devices_on_one_switch(extra: ExtraSet) -> int:
    """Return how many of some extra devices have several links that all end on one switch."""
    switches: dict[int, list[int]] = {}
    for link in extra.links:
        switches.setdefault(link.device, []).append(link.switch)
    return sum(len(device_switches) > 1 and len(set(device_switches)) == 1 for device_switches in switches.values())
