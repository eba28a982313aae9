"""FG633: a patched channel joins transmitters to transmitters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.media.gearing import explain_mismatch, explain_polarity_fault
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import list_patched_kinds

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class ChannelNotCrossed(PlanRule):
    """Jumpers, adapters and trunk of a patched channel do not connect each transmitter to its receiver.

    Parallel optics transmit on the first fibres of their connector and receive on the last ones, the same at both
    ends, so an odd number of the pieces of a channel has to reverse the fibres. Jumpers of type B at both ends of a
    trunk of type B do (method B of ANSI/TIA-568.3), and so do jumpers of types A and B with a trunk of type A
    (method A). A trunk of type C swaps neighbouring fibres and is for duplex links only. The rule follows the light
    fibre by fibre; with a wrong channel, the link never comes up, and the jumpers are already bought.

    Use method B, or jumpers of the types that the method requires.
    """

    severity = Severity.ERROR
    bad = """
        cabling: {patch: {uplinks: {between: leaf-spine,
          jumpers: [A, B]}}}  # <-
    """
    good = """
        cabling: {patch: {uplinks: {between: leaf-spine, method: A, jumpers: [A, B]}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Follow the fibres of each kind of channel; channels whose connectors do not fit are left to FG635."""
        for kind in list_patched_kinds(cluster):
            policy = kind.policy
            if explain_mismatch(kind.medium.connector, policy.panel, policy.find_trunk(kind.medium)):
                continue
            fault = explain_polarity_fault(policy.panel, policy.spec.method, policy.jumpers)
            if fault:
                types = f"jumpers {policy.jumpers[0]} and {policy.jumpers[1]}" if kind.parallel else "duplex jumpers"
                yield self.flag(
                    (*policy.path, "jumpers" if policy.spec.jumpers and kind.parallel else "method"),
                    f"{kind.cables} {kind.medium.medium} cables over a trunk of type {policy.spec.method} with "
                    f"{types}: {fault}",
                    "use `method: B`, whose jumpers and trunks are all of type B",
                )
