"""Collectives on networks whose switches meet within a tier: not reckoned, and told so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import Reckoning

REASON = (
    "how long collectives take is reckoned for trees of tiers alone: here routing decides, and `load_balance` has what "
    "shortest paths allow"
)


def figures(_network: Network, _job: Job, _question: Question) -> dict[str, Any]:
    """Return that no collectives are reckoned, with the reason."""
    return {"within_tier": True, "collectives": [], "not_reckoned": REASON}


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the line with the reason why no collectives are reckoned."""
    yield f"  {results['not_reckoned']}"


def reckoning(_results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """Yield nothing, since nothing was reckoned."""
    return iter(())
