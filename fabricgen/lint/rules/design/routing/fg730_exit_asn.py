"""FG730: a far device has an AS number of the cluster, or the one that it is shown."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.design.extras.exits import ExitDesign, list_exits
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.asn import merge_asn_plans


class ExitAsn(DesignRule):
    """The AS number of a far device is one that switches are given, or that `local_as` shows it.

    A switch drops a route with its own number in the path as a loop: the default route does not reach those that have
    the far device's number. Give the cluster other numbers (`routing.asn.pool`), or correct that of the device.

    Shown its own number as `local_as`, a far device takes the session for iBGP and refuses it; FRR and EOS do not take
    such a line.
    """

    severity = Severity.ERROR
    bad = """
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits:
              internet:
                to: wan
                asn: 4200000001  # <-
    """
    good = """
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {internet: {to: wan, asn: 64496}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the AS numbers of far devices with those of the cluster's switches, and with the number shown to
        them.
        """
        name_of_asn = {device.asn: name for name, device in design.loaded.blueprint.address_of.items()}
        for exit_ in list_exits(design):
            plan, _ = merge_asn_plans(design, design.fabric(exit_.extra.tier.fabric))
            ranges = [parse_asns(text) for text in (plan.pool, *map(str, plan.tiers.values()))]
            for path, asn in _list_stated_asns(exit_):
                if any(first <= asn <= last for first, last in ranges):
                    message = f"AS {asn} is among the numbers of the cluster's switches"
                    yield self.flag(path, message, "use another `routing.asn.pool`, or correct the device's number")
                elif asn in name_of_asn:
                    message = f"AS {asn} is that of {name_of_asn[asn]}, which drops what comes from there"
                    hint = f"correct the device's number, or that of `address_of.{name_of_asn[asn]}`"
                    yield self.flag(path, message, hint)
                elif asn == exit_.spec.local_as:
                    message = f"AS {asn} is shown itself as local_as"
                    yield self.flag(path, message, "state a `local_as` of yours, or none")


def _list_stated_asns(exit_: ExitDesign) -> Iterator[tuple[Path, int]]:
    """Yield (path, AS number) as stated for all far devices of an exit, and then for single devices."""
    if exit_.spec.asn:
        yield (*exit_.path, "asn"), exit_.spec.asn
    for name, device in exit_.spec.devices.items():
        if device.asn:
            yield (*exit_.path, "devices", name, "asn"), device.asn
