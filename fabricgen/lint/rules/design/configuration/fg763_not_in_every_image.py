"""FG763: what is asked of a NOS is not in every image of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from fabricgen.catalog.nos_configuration import Intent
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.views.asked import list_asked_intents


class NotInEveryImage(DesignRule):
    """A switch is asked for something that fabricgen writes for its NOS, and only some images of this NOS carry.

    An image that does not know a field passes it over without a word: the feature is configured and does nothing. Look
    whether yours has it, waive the finding if so, and do without it if not.
    """

    severity = Severity.WARNING
    bad = """
        routing:
          load_balance: {queue_pairs: true}  # <-
    """
    good = """
        routing: {load_balance: hash}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag what is asked of tiers and only some images of their NOS carry, one finding for each request and NOS."""
        tiers_by_request: dict[tuple[Path, str, Intent, str], list[str]] = defaultdict(list)
        known_nos = design.catalog.list_known_nos()
        for request in list_asked_intents(design):
            for tier in request.tiers:
                by_image = design.catalog.naming(tier.nos).configuration.by_image if tier.nos in known_nos else {}
                if needed := by_image.get(request.intent):
                    tiers_by_request[request.path, tier.nos, request.intent, needed].append(
                        f"{tier.fabric} {tier.name}"
                    )
        for (path, nos, intent, needed), tiers in tiers_by_request.items():
            tiers_text = ", ".join(dict.fromkeys(tiers))
            yield self.flag(path, f"not every image of {nos}, which {tiers_text} runs, carries {intent}", needed)
