"""media are stated that the policy of media rules out."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.media.allowed import stated_kinds
from fabricgen.design.media.policy import OPEN, named, policy_of
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class MediaAgainstPolicy(DesignRule):
    """`media` of a fabric, tier or span names what `cabling` says is not to be bought.

    The nearest statement holds: what `media` says is taken. One of the two is an oversight, or an exception that is
    worth a waiver with its reason. Strike the medium out, or out of the policy.
    """

    id = "FG624"
    severity = Severity.WARNING
    title = "stated media contradict the policy"
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
        """Ask the policy about each word that is stated, once a statement."""
        told = set()
        for kind in stated_kinds(design):
            policy = policy_of(design.loaded.blueprint, kind.fabric, kind.ends)
            for word in kind.stated.words if policy != OPEN else ():
                meant = [cable for cable in kind.carriers(design.catalog) if named((word,), cable)]
                why = [policy.refusal(cable) for cable in meant]
                if meant and all(why) and (kind.stated.path, word) not in told:
                    told.add((kind.stated.path, word))
                    key = ".".join(map(str, (*policy.path, why[0])))
                    yield self.flag(
                        kind.stated.path,
                        f"{word} is stated for {kind.text}, and {key} rules it out; it is taken all the same",
                        "state another medium, or change the policy",
                    )
