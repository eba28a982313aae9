"""FG703: the NOS does not carry what is asked of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from fabricgen.catalog.nos_configuration import Intent
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.views.asked import list_asked_intents


class IntentNotCarried(DesignRule):
    """A switch runs a NOS whose configuration does not carry what the blueprint asks for.

    The rest of the configuration is complete, and this part of it is absent; of ECN thresholds, those of the NOS
    hold. A missing account, or a limit that nothing enforces, is otherwise only noticed when it is needed. Do it
    by other means, as the finding says, and waive it, or choose another NOS. The catalogue (platforms/NOS.yaml)
    has what each NOS claims, and on which chips it does not; docs/catalog.md has a table.
    """

    severity = Severity.ERROR
    bad = """
        routing:
          load_balance: dynamic  # <-
    """
    good = """
        routing: {load_balance: hash}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag what is asked of tiers and their NOS refuses, one finding for each request, NOS and reason; a NOS that
        claims nothing is left to FG027.
        """
        refused: dict[tuple[Path, str, Intent, str], list[str]] = defaultdict(list)
        known_nos = design.catalog.list_known_nos()
        for request in list_asked_intents(design):
            for tier in request.tiers:
                configuration = design.catalog.naming(tier.nos).configuration if tier.nos in known_nos else None
                if configuration is None or not configuration.claims:
                    continue
                why = configuration.explain_refusal(request.intent, tier.profile.asic)
                why = why or _explain_unpublished(design, tier, request.intent)
                if why:
                    refused[request.path, tier.nos, request.intent, why].append(f"{tier.fabric} {tier.name}")
        for (path, nos, intent, why), tiers in refused.items():
            yield self.flag(path, f"{nos} of {', '.join(dict.fromkeys(tiers))} does not support {intent}", why)


def _explain_unpublished(design: Design, tier: TierDesign, intent: Intent) -> str:
    """Return why a switch whose chip trims packets cannot be told to: SONiC trims by buffers of a lossy switch, which
    its port table lacks; "" if it has them, or for any other intent.
    """
    if intent != "packet-trim" or not design.catalog.naming(tier.nos).has_tables:
        return ""
    table = design.catalog.sonic_platform(tier.profile.id)
    if table is None or all(table.find_lossy_buffers(hwsku) for hwsku in table.hwskus):
        return ""
    return "a queue is trimmed by its buffers, and the port table has none of a best-effort switch (lossy_buffers)"
