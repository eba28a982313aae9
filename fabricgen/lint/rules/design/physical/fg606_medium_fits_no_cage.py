"""FG606: a stated medium does not fit the cage at one end."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.media.allowed import list_stated_kinds
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class MediumFitsNoCage(DesignRule):
    """No cable or transceiver of the stated media fits the cages at both ends of a link.

    Modules are made for a form factor: ZR for OSFP and QSFP-DD, twisted pair for RJ45; co-packaged optics are part
    of a switch, and cables with attached ends (DAC, AOC) do not fit its sockets. What was ordered has to be sent
    back.

    State a medium that fits both ends, or use a switch with other cages.
    """

    severity = Severity.ERROR
    impossible = True
    bad = """
        fabrics: {compute: {tiers: {leaf: {media: {
          up: CPO}}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {leaf: {media: {up: [DR, FR]}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated media if none of those that carry the lanes plugs into the cages of both ends."""
        for kind in list_stated_kinds(design):
            carriers = kind.list_carriers(design.catalog)
            cages = [(side.form_factor, end) for side, end in zip((kind.a, kind.b), kind.ends, strict=True)]
            if not carriers or any(all(c.plugs_into(cage) for cage, _ in cages) for c in carriers):
                continue
            # the end that no carrier fits; if each end has carriers that fit and none fits both, the second end
            cage, end = next((p for p in cages if not any(c.plugs_into(p[0]) for c in carriers)), cages[-1])
            usual_media = kind.list_usual_media(design.catalog)
            fitting = dict.fromkeys(c.medium for c in usual_media if all(c.plugs_into(cage) for cage, _ in cages))
            yield self.flag(
                kind.stated.path,
                f"{', '.join(c.id for c in carriers)} of {kind.text} does not fit the {cage} cages of {end}",
                f"media that fit both ends: {', '.join(fitting)}" if fitting else "use switches with other cages",
            )
