"""FG413: the default route is lost with one device."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.ways_out import ways_out


class OneDeviceLeadsOut(DesignRule):
    """All default routes of a fabric come from exits on one switch, or from one device outside.

    When that switch is upgraded, or that router or its owner fails, nothing leaves, however many links there are. Give
    far devices ports on two switches, and lead to two devices, best of two owners; one link alone is FG412's.
    """

    id = "FG413"
    severity = Severity.WARNING
    title = "the default route is lost with one device"
    bad = """
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine, spread: stripe}}
            exits:
              internet:
                to: wan  # <-
                asn: 64496
    """
    good = """
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {internet: {to: wan, asn: 64496}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Count the switches and the far devices of all exits with a default route that share a VRF."""
        for exits in ways_out(design):
            leading = [exit_ for exit_ in exits if exit_.spec.default]
            links = [(exit_.extra, link) for exit_ in leading for link in exit_.extra.links]
            if len(links) < 2:
                continue
            switches = {(extra.tier, link.switch) for extra, link in links}
            devices = {extra.devices[link.device] for extra, link in links}
            where = f"the default route of {leading[0].fabric.name}"
            if len(switches) == 1:
                message = f"{where} comes in on one switch of {leading[0].extra.tier.text}, and is lost with it"
                yield self.flag((*leading[0].path, "to"), message, "attach far devices to two switches")
            if len(devices) == 1:
                message = f"{where} comes from {min(devices)} alone, and is lost with it"
                yield self.flag((*leading[0].path, "to"), message, "lead to two devices, in one exit or two")
