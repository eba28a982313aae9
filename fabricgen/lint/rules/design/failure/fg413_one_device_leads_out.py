"""FG413: the default route is lost with one device."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.extras.exits import ExitDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.addressing.fg519_announced_wrongly import is_to_provider
from fabricgen.lint.subjects.ways_out import group_exits


class OneDeviceLeadsOut(DesignRule):
    """All default routes of a fabric come from exits on one switch, or from one device outside.

    When that switch is upgraded, or that router or its owner fails, nothing leaves, however many links there are. Give
    far devices ports on two switches, and lead to two devices, best of two owners; one link alone is FG412's. Likewise
    of prefixes that one exit alone leads to, such as that of your servers: a provider's default route is no stand-in.
    """

    severity = Severity.WARNING
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
        """Flag routes out of a VRF whose links all end on one switch, or lead to one far device."""
        for leading, prefix in (route for exits in group_exits(design) for route in _list_routes(exits)):
            links = [(exit_.extra, link) for exit_ in leading for link in exit_.extra.links]
            if len(links) < 2 and not prefix:
                continue
            switches = {(extra.tier, link.switch) for extra, link in links}
            devices = {extra.devices[link.device] for extra, link in links}
            route = f"the {f'route to {prefix}' if prefix else 'default route'} of {leading[0].fabric.name}"
            if len(switches) == 1 < len(links):
                message = f"{route} comes in on one switch of {leading[0].extra.tier.text}, and is lost with it"
                yield self.flag((*leading[0].path, "to"), message, "attach far devices to two switches")
            if len(devices) == 1:
                message = f"{route} comes from {min(devices)} alone, and is lost with it"
                yield self.flag((*leading[0].path, "to"), message, "lead to two devices, in one exit or two")


def _list_routes(exits: list[ExitDesign]) -> Iterator[tuple[list[ExitDesign], str]]:
    """Yield (exits that lead there, prefix): for everywhere ("") all exits with a default route, and for the first
    prefix of an exit without one that exit alone, unless another can stand in for it.

    Another exit can if it accepts prefixes itself, or if it leads to no provider.
    """
    leading = [exit_ for exit_ in exits if exit_.spec.default]
    if leading:
        yield leading, ""
    for exit_ in (e for e in exits if not e.spec.default and e.spec.accept):
        stand_ins = [o for o in exits if o is not exit_ and (o.spec.accept or not is_to_provider(o))]
        if not stand_ins:
            yield [exit_], exit_.spec.accept[0].split()[0]
