"""For people: a line for each part that is named, with what it does, and what was not measured."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.addons.probing.judge import LATENCY, LOSS, RATE, Named, Verdict
from fabricgen.addons.probing.plan import list_some

_KINDS = {"direction": "link", "half": "half of module"}
_EFFECTS = {
    LOSS: "loses {:.3%} of packets",
    LATENCY: "adds {:.3g} us",
    RATE: "lacks {:.0%} of its rate",
}


def report(verdict: Verdict) -> str:
    """Return the named parts, the likeliest first, then what was not measured, and the verdict."""
    lines = [f"{number}. {describe_named(named)}" for number, named in enumerate(verdict.named, 1)]
    lines += list_gaps(verdict)
    count = len(verdict.named)
    outcome = f"{count} part{'s' * (count > 1)} named" if count else "nothing is lossy or slow"
    return "\n".join([*lines, f"{verdict.answered:,} of {verdict.planned:,} probes have results: {outcome}"])


def describe_named(named: Named) -> str:
    """Return a part in words: what it is, what it does, and what else may be meant."""
    kind = _KINDS.get(named.kind, named.kind)
    effects = ", ".join(_EFFECTS[measure].format(amount) for measure, amount in named.amounts.items())
    links_text = f"; it is one of {len(named.links)} that stand together: {list_some(named.links)}"
    indistinct_links = links_text if named.kind in ("direction", "link") and len(named.links) > 1 else ""
    other_parts = f"; or {' or '.join(named.others)}" if named.others else ""
    return f"{kind} {named.name}: {effects} (log-likelihood {named.gain:.0f}){indistinct_links}{other_parts}"


def list_gaps(verdict: Verdict) -> list[str]:
    """Return what no result covers, or what cannot be told apart, a line for each reason."""
    gaps: dict[str, Sequence[str]] = {f"on no probe: {why}": names for why, names in verdict.unplanned.items()}
    gaps |= {"without a result": verdict.unmeasured} if verdict.unmeasured else {}
    lines = [f"{len(names):,} directions of links {gap}: {list_some(names)}" for gap, names in gaps.items()]
    for why, classes in verdict.together.items():
        names = list_some([f"{size:,} as {name}" for name, size in classes])
        total = sum(size for _, size in classes)
        lines.append(f"{total:,} directions of links stand together, {len(classes):,} classes: {why}: {names}")
    return lines
