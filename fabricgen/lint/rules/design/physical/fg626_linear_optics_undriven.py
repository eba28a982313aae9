"""FG626: linear optics on ports not listed as able to drive them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.media.allowed import list_stated_kinds
from fabricgen.design.media.policy import LINEAR, is_named
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import list_scopes


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
        """Flag linear optics that are stated for links with unlisted ends, or allowed while no ends are listed; and a
        list of ends that no linear optics use.
        """
        hosts = design.loaded.blueprint.cabling.linear_hosts
        reported, is_used = set[Path](), False
        remedy = "list both ends there once their vendors confirm it, or use DR or SR"
        for kind in list_stated_kinds(design):
            linear: list[str] = [c.medium for c in kind.list_carriers(design.catalog) if c.medium in LINEAR]
            is_used |= bool(linear)
            unlisted = " and ".join(dict.fromkeys(end for end in kind.ends if end not in hosts))
            if linear and unlisted and kind.stated.path not in reported:
                reported.add(kind.stated.path)
                reason = f"`cabling.linear_hosts` does not list {unlisted}"
                message = f"{linear[0]} of {kind.text} needs ports that drive it; {reason}"
                yield self.flag(kind.stated.path, message, remedy)
        for scope, stated in list_scopes(design):
            # the cables of the catalogue are read only if some are allowed
            words, path = stated.cabling.allow or (), (*scope, "cabling", "allow")
            cables = [cable for cable in design.catalog.cables if is_named(words, cable)] if words else []
            media = ", ".join(dict.fromkeys(cable.medium for cable in cables if cable.medium in LINEAR))
            is_used |= bool(media)
            if media and not hosts:
                message = f"{media} is allowed but used nowhere: `cabling.linear_hosts` lists no ports"
                yield self.flag(path, message, remedy)
        if hosts and not is_used:
            message = f"`linear_hosts` lets nothing in: no `allow` or `media` names {', '.join(LINEAR)}"
            yield self.flag(("cabling", "linear_hosts"), message, "state `allow`, or remove it")
