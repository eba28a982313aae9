"""FG624: stated media contradict the cabling policy."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.media.allowed import list_stated_kinds
from fabricgen.design.media.policy import OPEN, is_named, make_policy
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class MediaAgainstPolicy(DesignRule):
    """The `media` of a fabric, tier or span names a medium that `cabling` forbids.

    The more specific statement wins: the `media` are used. One of the two is an oversight, or an exception that
    deserves a waiver with its reason. Remove the medium from one of them.
    """

    severity = Severity.WARNING
    bad = """
        cabling: {avoid: [DR]}
        fabrics: {compute: {tiers: {leaf: {media: {
          up: [DR, FR]}}}}}  # <-
    """
    good = """
        cabling: {avoid: [SR]}
        fabrics: {compute: {tiers: {leaf: {media: {up: [DR, FR]}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated words for media all of whose cables the cabling policy refuses, once for each statement
        and word.
        """
        reported = set()
        for kind in list_stated_kinds(design):
            policy = make_policy(design.loaded.blueprint, kind.fabric, kind.ends)
            for word in kind.stated.words if policy != OPEN else ():
                cables = [cable for cable in kind.list_carriers(design.catalog) if is_named((word,), cable)]
                refusals = [policy.explain_refusal(cable) for cable in cables]
                if cables and all(refusals) and (kind.stated.path, word) not in reported:
                    reported.add((kind.stated.path, word))
                    key = ".".join(map(str, (*policy.path, refusals[0])))
                    yield self.flag(
                        kind.stated.path,
                        f"{word} is stated for {kind.text}, but {key} forbids it; it is used all the same",
                        "state another medium, or change the policy",
                    )
