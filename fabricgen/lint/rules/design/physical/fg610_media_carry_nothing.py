"""FG610: no stated medium carries a link."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.media.allowed import list_stated_kinds
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class MediaCarryNothing(DesignRule):
    """None of the media stated for a link carries its lanes.

    Either none is made for that lane rate, or the two ends state media that have nothing in common: both `up` of
    the lower tier and `down` of the upper one apply. The wiring list then names a cable that the blueprint
    excludes.

    State media for the lane rate: the same at both ends, or at one end only.
    """

    severity = Severity.ERROR
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {media: {
            up: DR}},  # <-
          spine: {media: {down: [SR, AOC]}}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {media: {up: [DR, SR]}},
          spine: {media: {down: [SR, AOC]}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated media by which no cable of the catalogue carries a kind of link."""
        for kind in list_stated_kinds(design):
            if kind.list_carriers(design.catalog):
                continue
            lane, stated = kind.lane_gbps, kind.stated
            usual = kind.list_usual_media(design.catalog)
            fitting = (c.medium for c in usual if all(c.plugs_into(s.form_factor) for s in (kind.a, kind.b)))
            hint = f"media for {lane:g}G lanes: {', '.join(dict.fromkeys(fitting))}"
            words, allowed = ", ".join(stated.words), stated.list_allowed_profiles(design.catalog)
            made_media = ", ".join(sorted({name for media in kind.made_media for name in media}))
            message = f"no {words} carries the {lane:g}G lanes of {kind.text}"
            if stated.other and not allowed:
                other_path = ".".join(map(str, stated.other_path))
                message = f"{kind.text} may use {words} here, but {', '.join(stated.other)} by {other_path}"
                hint = f"state the same at both ends, or at one only; {hint}"
            elif made_media and any(lane in cable.lane_gbps for cable in allowed):
                message = f"{words} of {kind.text} is not what the cages are made for ({made_media})"
            yield self.flag(stated.path, message, hint)
