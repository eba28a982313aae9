"""Links that contradict a page: those that lists and dumps both have are meant, and become rows of its `cable_of`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fabricgen.adopt.facts import RECORDED, SEEN
from fabricgen.adopt.networks import STRAY
from fabricgen.adopt.proof import Trial, find_among
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.accept.accepting import accept_actions
from fabricgen.verify.accept.places import ALL
from fabricgen.verify.actions import Diagnosis
from fabricgen.verify.planned import make_plan
from fabricgen.verify.report import VerifyRequest
from fabricgen.verify.sightings import cap_notes
from fabricgen.verify.verification import verify
from fabricgen.wiring.arrays import Flags, Ints64, unique_inverse

MEANT = "meant: lists and dumps both have it"
"""What the report says of a row of `cable_of`."""


def judge_contradictions(trial: Trial) -> tuple[dict[str, Any], list[str]]:
    """Return (`cable_of`, notes) for links that the page of a trial does not give.

    Rows of `cable_of` give those that lists and dumps both have; notes tell which of these none can give, and why, and
    where lists and dumps differ. Both are empty if so many links are missing that the page is another one.
    """
    kinds = _find_kinds(trial)
    if trial.is_missing.sum() > STRAY * len(kinds):
        return {}, []
    exceptions, refused = _find_exceptions(trial, trial.is_missing & (kinds == RECORDED | SEEN))
    different = cap_notes([*_compare_sources(trial, kinds)], "links of which lists and dumps tell otherwise")
    return exceptions, [*refused, *different]


def _find_kinds(trial: Trial) -> Ints64:
    """Return by seen link which kinds of sources have it, int64: RECORDED, SEEN, or their sum.

    Links that join the same ports of the plan are one, however sources spell these ports.
    """
    low, high = trial.seen_ends
    pairs, pair = unique_inverse(low * (int(high.max(initial=0)) + 1) + high)
    kinds = np.zeros(len(pairs), dtype=np.int64)
    np.bitwise_or.at(kinds, pair, np.array([link.kinds for link in trial.facts.links], dtype=np.int64))
    return kinds[pair]


def _compare_sources(trial: Trial, kinds: Ints64) -> Iterator[str]:
    """Yield a sentence for each link of a list whose ports dumps join to others; `kinds` are those of seen links."""
    links, ends, seen_at = trial.facts.links, np.stack(trial.seen_ends), defaultdict[int, list[str]](list)
    for row in np.flatnonzero(kinds == SEEN).tolist() if (kinds == RECORDED).any() else ():
        for end in ends[:, row].tolist():
            seen_at[end].append(links[row].text)
    for row in np.flatnonzero(kinds == RECORDED).tolist() if seen_at else ():
        if others := dict.fromkeys(text for end in ends[:, row].tolist() for text in seen_at.get(end, ())):
            yield f"{links[row].source} joins {links[row].text}; dumps join {', and '.join(others)}"


def _find_exceptions(trial: Trial, is_meant: Flags) -> tuple[dict[str, Any], list[str]]:
    """Return (`cable_of` that gives the seen links which are meant, notes on those that it cannot give)."""
    overrides, refused, accepted = dict[str, Any](), list[str](), list[str]()
    if not is_meant.any():
        return {}, []
    try:
        cluster = build_cluster(trial.wired.design)
        diagnosis = _diagnose_meant_links(trial, cluster, is_meant)
    except InputError as error:
        return {}, [f"links that lists and dumps both have are no `cable_of` yet: {error.diagnostics[0].message}"]
    # if not all can be accepted together, those that can are one after the other
    for ids in ([ALL], *([action.id] for action in diagnosis.actions)):
        try:
            overrides, _ = accept_actions(cluster, diagnosis, [*accepted, *ids])
            accepted += ids
        except InputError as error:
            refused += [error.diagnostics[0].message] if ids != [ALL] else []
        if ALL in accepted:
            break
    return {cable: {word: v.get("", v) for word, v in overrides[cable].items()} for cable in sorted(overrides)}, [
        f"lists and dumps both have it, and no `cable_of` does: {message}" for message in refused
    ]


def _diagnose_meant_links(trial: Trial, cluster: Cluster, is_meant: Flags) -> Diagnosis:
    """Return what `verify` makes of links that are meant, beside those of the same devices that the page gives."""
    devices = np.stack([device for device, _ in trial.seen.ends])
    is_near = find_among(devices, devices[:, is_meant].ravel()).any(axis=0)
    rows = np.flatnonzero(is_meant | (is_near & ~trial.is_missing)).tolist()
    pairs = [trial.facts.links[row][:2] for row in rows]
    with TemporaryDirectory() as folder:
        file = Path(folder, "links.csv")
        lines = ["device,port,neighbor,neighbor_port", *(",".join((*a, *b)) for p in pairs for a, b in (p, p[::-1]))]
        file.write_text("\n".join(lines), encoding="utf-8")
        return verify(make_plan(cluster), [str(file)], VerifyRequest(), 1).report.diagnosis
