"""FG634: a patched channel loses more light than its optics allow."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import list_patched_kinds

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class ChannelLosesLight(PlanRule):
    """The mated connectors and fibre of a patched channel lose more light than its optics allow.

    IEEE 802.3 gives each optic a channel insertion loss, for all fibre and connectors between two transceivers: 3.0
    dB for DR4, 4.0 dB for FR4, 1.8 dB for SR4 at 100G per lane. A mated pair of MPO connectors loses 0.35 dB if
    low-loss, 0.75 dB at most (ANSI/TIA-568.3); a channel has one at each panel, or two where the panel has
    cassettes. Above the budget, a link has errors from the first day, or after the first fingerprint on a
    connector.

    Order low-loss connectors and state their loss as `mating_db`, use adapters instead of cassettes, or optics with
    a larger budget.
    """

    severity = Severity.ERROR
    bad = """
        cabling: {patch: {uplinks: {between: leaf-spine,
          mating_db: 1.0}}}  # <-
    """
    good = """
        cabling: {patch: {uplinks: {between: leaf-spine, mating_db: 0.5}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the loss of the longest channel of each kind with the budget of its optics."""
        for kind in list_patched_kinds(cluster, shuffled=True):
            policy, budget = kind.policy, kind.medium.loss_db
            loss = policy.loss_db(kind.medium, kind.longest_m)
            # sums of tenths of a dB may be off by a last bit
            if budget is None or loss <= budget + 1e-9:
                continue
            pairs = 2 * policy.panel.matings
            fibre_db = loss - pairs * policy.mating_db
            # rounded down to hundredths, so that the advised loss is low enough
            advised_db = floor(max(0.0, budget - fibre_db) / pairs * 100) / 100
            yield self.flag(
                (*policy.path, "mating_db") if policy.spec.mating_db is not None else policy.path,
                f"{pairs} mated pairs of {policy.mating_db:g} dB and {kind.longest_m:g} m of fibre ({fibre_db:.2f} dB) "
                f"lose {loss:.2f} dB; {kind.medium.id} ({kind.medium.medium}) allows {budget:g} dB",
                f"use connectors of at most {advised_db:g} dB"
                if advised_db
                else "use fewer mated pairs, or shorter trunks",
            )
