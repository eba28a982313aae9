"""FG729: the prefix limit of an exit is none, or too low."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.extras.exits import ExitDesign, list_exits
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class ExitLimit(DesignRule):
    """A session to the outside has no prefix limit, or one below the number of prefixes that its exit accepts.

    `routing.max_prefixes: 0` takes the limit from sessions to providers, too: one that leaks a full table fills the
    switch's memory before its prefix list drops it. State `max_prefixes` of the exit.

    One below what is accepted closes the session once all of it is announced, which may be long after the first day.
    """

    severity = Severity.ERROR
    bad = """
        routing: {max_prefixes: 0}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits:
              internet:
                to: wan  # <-
                asn: 64496
    """
    good = """
        routing: {max_prefixes: 0}
        fabrics:
          compute:
            extra: {wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine}}
            exits: {internet: {to: wan, asn: 64496, max_prefixes: 100}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag exits with eBGP that limit no prefixes, or fewer than they accept."""
        for exit_ in (exit_ for exit_ in list_exits(design) if exit_.spec.routing == "ebgp"):
            limit, accepted = exit_.spec.max_prefixes, _count_accepted(exit_)
            if limit is None and _is_unlimited(design, exit_):
                yield self.flag(
                    (*exit_.path, "to"), f"{exit_.name} takes any number of prefixes", "state `max_prefixes`"
                )
            elif limit is not None and limit < accepted:
                message = f"{exit_.name} accepts {accepted} prefixes of a family, and closes its sessions above {limit}"
                yield self.flag((*exit_.path, "max_prefixes"), message, f"state {accepted} at least, with room to grow")


def _count_accepted(exit_: ExitDesign) -> int:
    """Return how many prefixes an exit accepts, as written, in the address family with more of them."""
    v6 = sum(":" in text for text in exit_.spec.accept)
    return max(v6, len(exit_.spec.accept) - v6) + exit_.spec.default


def _is_unlimited(design: Design, exit_: ExitDesign) -> bool:
    """Whether `max_prefixes: 0`, of the fabric or else of the cluster, removes the limit from all sessions."""
    blueprint = design.loaded.blueprint
    scopes = (blueprint.fabrics[exit_.fabric.name].routing, blueprint.routing)
    return next((routing.max_prefixes for routing in scopes if routing.max_prefixes is not None), None) == 0
