"""FG626: linear optics on ports not listed as able to drive them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.media.allowed import list_stated_kinds
from fabricgen.design.media.policy import LINEAR, is_named
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class LinearOpticsUndriven(DesignRule):
    """LPO, LRO or NPO is allowed or stated for ports that `cabling.linear_hosts` does not list.

    These modules have no retimer, or half of one: the ports at both ends need SerDes tuned for them, which few
    vendors warrant and our catalogue does not state. Where such a medium is only allowed, it is not used; where it
    is stated, it is used and may not come up. List the profiles of both ends in `linear_hosts` once their vendors
    confirm it.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {leaf: {media: {
          up: LPO}}}}}  # <-
    """
    good = """
        cabling: {linear_hosts: [qm9700, sn5600]}
        fabrics: {compute: {protocol: roce, tiers: {leaf: {switch: sn5600, media: {up: LPO}}, spine: {switch: sn5600}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look at the stated media of links, then at those allowed while no host is listed."""
        blueprint = design.loaded.blueprint
        hosts = blueprint.cabling.linear_hosts
        reported, is_used = set[Path](), False
        remedy = "list both ends there once their vendors confirm it, or use DR or SR"
        for kind in list_stated_kinds(design):
            linear: list[str] = [c.medium for c in kind.list_carriers(design.catalog) if c.medium in LINEAR]
            is_used |= bool(linear)
            without = dict.fromkeys(end for end in kind.ends if end not in hosts)
            if linear and without and kind.stated.path not in reported:
                reported.add(kind.stated.path)
                ports = " and ".join(without)
                unlisted = f"`cabling.linear_hosts` does not list {ports}"
                message = f"{linear[0]} of {kind.text} needs ports that drive it; {unlisted}"
                yield self.flag(kind.stated.path, message, remedy)
        for path, words in _list_allowed(design):
            allowed = [
                cable.medium for cable in design.catalog.cables if cable.medium in LINEAR and is_named(words, cable)
            ]
            is_used |= bool(allowed)
            if allowed and not hosts:
                media = ", ".join(dict.fromkeys(allowed))
                message = f"{media} is allowed but used nowhere: `cabling.linear_hosts` lists no ports"
                yield self.flag(path, message, remedy)
        if hosts and not is_used:
            message = f"`linear_hosts` lets nothing in: no `allow` or `media` names {', '.join(LINEAR)}"
            yield self.flag(("cabling", "linear_hosts"), message, "state `allow`, or remove it")


def _list_allowed(design: Design) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """(path, words) of every `allow` that has any; without one the catalogue of cables is not read."""
    blueprint = design.loaded.blueprint
    if blueprint.cabling.allow:
        yield ("cabling", "allow"), blueprint.cabling.allow
    for name, fabric in blueprint.fabrics.items():
        if fabric.cabling.allow:
            yield ("fabrics", name, "cabling", "allow"), fabric.cabling.allow
