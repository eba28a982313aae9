"""FG319: an extra device is named where another seems to be meant."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.fabric_model import ExtraSet, FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

ROUTERS = ("external-router", "firewall", "border-router")
"""Profiles that exits usually lead to; others of the same kind say `external`."""


class AnotherIsMeant(DesignRule):
    """A name of extra devices is spelt in two ways, or an exit leads to servers while a router is left out.

    Extra devices are the same in two fabrics where they have the same name. A device that is in the out-of-band network
    alone, beside one of its profile that is not in it, is a second machine in racks and bill, and the first has no BMC
    cable. An exit to servers announces routes to hosts that run no BGP, and its routers hang in the hosts' VLAN.

    Spell the name alike in both fabrics, and let the exit lead `to` the routers.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server, count: 2}}
          oob:
            protocol: ethernet
            attach: bmc
            tiers: {leaf: {switch: sn2201}}
            extra:
              mgnt: {device: mgmt-server, count: 2}  # <-
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            tiers: {leaf: {switch: sn4600c}}
            extra: {mgmt: {device: mgmt-server, count: 2}}
          oob:
            protocol: ethernet
            attach: bmc
            tiers: {leaf: {switch: sn2201}}
            extra: {mgmt: {device: mgmt-server, count: 2}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the devices of each profile in and out of the out-of-band network, and the ends of exits."""
        managed = [f for f in design.fabrics if is_for_management(f)]
        elsewhere = {e.devices: e for f in design.fabrics if f not in managed for e in f.extras}.values()
        inside, outside = (
            {name for e in extras for name in e.devices} for extras in (_list_extras(managed), elsewhere)
        )
        for extra in _list_extras(managed):
            alone = [name for name in extra.devices if name not in outside]
            alike = [e for e in elsewhere if e.attachment.profile is extra.attachment.profile]
            left_out = [name for e in alike for name in e.devices if name not in inside]
            if alone and left_out:
                profile = extra.attachment.profile.id
                message = (
                    f"{alone[0]} has no link but that of its BMC, and {left_out[0]}, a {profile} too, none of its BMC"
                )
                yield self.flag(extra.path, message, f"if they are one device, call it {left_out[0]} in both fabrics")
        for fabric in design.fabrics:
            exits = design.loaded.blueprint.fabrics[fabric.name].exits
            led = {exit_.to for exit_ in exits.values()}
            routers = [e.name for e in fabric.extras if _is_router(e) and e.name not in led]
            servers = {e.name for e in fabric.extras if not _is_router(e)}
            for name, exit_ in exits.items() if routers else ():
                if exit_.to in servers:
                    message = f"{name} leads to {exit_.to}, which are no routers, and no exit leads to {routers[0]}"
                    yield self.flag((*fabric.path, "exits", name, "to"), message, f"say `to: {routers[0]}`")


def _list_extras(fabrics: list[FabricDesign]) -> list[ExtraSet]:
    return [extra for fabric in fabrics for extra in fabric.extras]


def _is_router(extra: ExtraSet) -> bool:
    return extra.attachment.profile.external or extra.attachment.profile.id in ROUTERS
