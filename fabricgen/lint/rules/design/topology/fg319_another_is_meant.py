"""FG319: an extra device is named where another seems to be meant."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.fabric_model import ExtraSet
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
        """Flag extra devices that seem to be one device under two names, in management fabrics and in others, and exits
        that lead to servers while routers have no exit.
        """
        managed = [f for f in design.fabrics if is_for_management(f)]
        # by names of devices, so that a set that several fabrics attach is there once
        elsewhere = {e.devices: e for f in design.fabrics if f not in managed for e in f.extras}.values()
        managed_extras = [extra for fabric in managed for extra in fabric.extras]
        managed_names, other_names = (
            {name for extra in extras for name in extra.devices} for extras in (managed_extras, elsewhere)
        )
        for extra in managed_extras:
            profile = extra.attachment.profile
            managed_only = [name for name in extra.devices if name not in other_names]
            alike = (name for e in elsewhere if e.attachment.profile is profile for name in e.devices)
            unmanaged = next((name for name in alike if name not in managed_names), None)
            if managed_only and unmanaged:
                message = f"{managed_only[0]} has no link but that of its BMC, and {unmanaged}, a {profile.id} too"
                hint = f"if they are one device, call it {unmanaged} in both fabrics"
                yield self.flag(extra.path, f"{message}, none of its BMC", hint)
        for fabric in design.fabrics:
            exits = design.loaded.blueprint.fabrics[fabric.name].exits
            led_to = {exit_.to for exit_ in exits.values()}
            routers = [e.name for e in fabric.extras if _is_router(e) and e.name not in led_to]
            servers = {e.name for e in fabric.extras if not _is_router(e)}
            for name, exit_ in exits.items() if routers else ():
                if exit_.to in servers:
                    message = f"{name} leads to {exit_.to}, which are no routers, and no exit leads to {routers[0]}"
                    yield self.flag((*fabric.path, "exits", name, "to"), message, f"say `to: {routers[0]}`")


def _is_router(extra: ExtraSet) -> bool:
    return extra.attachment.profile.external or extra.attachment.profile.id in ROUTERS
