"""For programs: every part that is named, with its links, and what was not measured (docs/probing.md)."""

from __future__ import annotations

import json

from fabricgen.addons.probing.judge import Verdict


def report(verdict: Verdict) -> str:
    """Return one JSON object: the named parts in the order of their likelihood, and what was not measured."""
    return json.dumps(
        {
            "probes": {"planned": verdict.planned, "with_results": verdict.answered},
            "named": [
                {
                    "kind": named.kind,
                    "name": named.name,
                    "links": list(named.links),
                    "adds": {measure: float(f"{amount:.6g}") for measure, amount in named.amounts.items()},
                    "log_likelihood": round(named.gain, 1),
                    "or": list(named.others),
                }
                for named in verdict.named
            ],
            "unmeasured": list(verdict.unmeasured),
            "unplanned": {why: len(names) for why, names in verdict.unplanned.items()},
            "uncovered": verdict.unplanned,
            "together": [
                {"first": name, "directions": size, "why": why}
                for why, classes in verdict.together.items()
                for name, size in classes
            ],
        },
        indent=2,
    )
