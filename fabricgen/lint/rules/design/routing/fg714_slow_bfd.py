"""FG714: BFD is no faster than BGP itself, or runs at one end of links."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.exits import EXIT_HOLD_S
from fabricgen.blueprint.sections.routing import HOLD_S, Bfd
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
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
        """Compare the stated detection times, of the cluster, each fabric and each exit, with the hold time."""
        blueprint = design.loaded.blueprint
        settings: list[tuple[Path, Bfd | bool | None, int]] = [(("routing", "bfd"), blueprint.routing.bfd, HOLD_S)]
        for name, spec in blueprint.fabrics.items():
            settings.append((("fabrics", name, "routing", "bfd"), spec.routing.bfd, HOLD_S))
            settings += [
                (("fabrics", name, "exits", e, "bfd"), exit_spec.bfd, EXIT_HOLD_S)
                for e, exit_spec in spec.exits.items()
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
        """Links between two fabrics of which one has BFD: no session of it comes up there."""
        pairs = {(tier.fabric, tier.uplink.upper.fabric) for tier in design.tiers if tier.uplink}
        for names in sorted(pair for pair in pairs if pair[0] != pair[1] and runs_bgp(design, design.fabric(pair[0]))):
            from fabricgen.views.intent import make_fabric_intent

            # False sorts first: the fabric that has BFD before the one that has none
            having, lacking = sorted(names, key=lambda name: not make_fabric_intent(design, design.fabric(name)).bfd)
            ends = [make_fabric_intent(design, design.fabric(name)).bfd for name in (having, lacking)]
            if ends[0] and not ends[1]:
                fabrics = design.loaded.blueprint.fabrics
                stating = next(name for name in (having, lacking) if fabrics[name].routing.bfd is not None)
                message = f"links between {having} and {lacking} have BFD at the end of {having} alone: none runs"
                hint = f"state `bfd` for {lacking} too, or once for all fabrics that are linked"
                yield self.flag(("fabrics", stating, "routing", "bfd"), message, hint)
