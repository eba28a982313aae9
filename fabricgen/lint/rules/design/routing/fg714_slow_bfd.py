"""FG714: BFD is no faster than BGP itself, or runs at one end of links."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.exits import EXIT_HOLD_S
from fabricgen.blueprint.sections.routing import HOLD_S, Bfd
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import list_scopes
from fabricgen.numbering.underlay import runs_bgp


class SlowBfd(DesignRule):
    """BFD takes as long as BGP's own hold time to detect a dead neighbour, or longer, or has nobody at the far end.

    BFD exists to detect failures in less than a second (RFC 5880, 1); sessions here have a hold time of 9 s, those of
    exits one of 30 s. A slower BFD costs packets and changes nothing. Use 100 to 300 ms times 3, or leave `bfd` out:
    sessions over a link that loses light end at once anyway. Where two fabrics are linked, BFD takes both ends: with it
    in one of them, its links to the other are given up as late as without.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        routing: {bfd: {
          interval_ms: 3000, multiplier: 3}}  # <-
    """
    good = """
        routing: {bfd: {interval_ms: 300, multiplier: 3}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the stated detection times of the cluster, each fabric and each exit with the hold time of BGP, and
        the BFD of linked fabrics with each other.
        """
        settings: list[tuple[Path, Bfd | bool | None, int]] = [
            *(((*scope, "routing", "bfd"), stated.routing.bfd, HOLD_S) for scope, stated in list_scopes(design)),
            *(
                (("fabrics", name, "exits", exit_, "bfd"), exit_spec.bfd, EXIT_HOLD_S)
                for name, spec in design.loaded.blueprint.fabrics.items()
                for exit_, exit_spec in spec.exits.items()
            ),
        ]
        for path, bfd, hold_s in settings:
            if isinstance(bfd, Bfd) and bfd.interval_ms * bfd.multiplier >= 1000 * hold_s:
                detection = f"{bfd.interval_ms} ms x {bfd.multiplier}"
                message = (
                    f"BFD detects a dead neighbour after {detection}, no sooner than BGP by itself ({1000 * hold_s} ms)"
                )
                yield self.flag((*path, "interval_ms"), message, "use `interval_ms: 300` and `multiplier: 3`")
        yield from self._check_both_ends(design)

    def _check_both_ends(self, design: Design) -> Iterator[Diagnostic]:
        """Flag links between two fabrics one of which has BFD and the other has none: no session of BFD comes
        up there.
        """
        pairs = {(tier.fabric, tier.uplink.upper.fabric) for tier in design.tiers if tier.uplink}
        for names in sorted(pair for pair in pairs if pair[0] != pair[1] and runs_bgp(design, design.fabric(pair[0]))):
            from fabricgen.views.intent import make_fabric_intent

            has_bfd = {name: bool(make_fabric_intent(design, design.fabric(name)).bfd) for name in names}
            if len(set(has_bfd.values())) == 2:
                having, lacking = sorted(names, key=lambda name: not has_bfd[name])
                fabrics = design.loaded.blueprint.fabrics
                stating = next(name for name in (having, lacking) if fabrics[name].routing.bfd is not None)
                message = f"links between {having} and {lacking} have BFD at the end of {having} alone: none runs"
                hint = f"state `bfd` for {lacking} too, or once for all fabrics that are linked"
                yield self.flag(("fabrics", stating, "routing", "bfd"), message, hint)
