"""What `verify` found of each cable, as NetBox says it: the status of the cable, and a tag on what has to be mended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fabricgen.api import ClusterView
from fabricgen.cluster import Cluster
from fabricgen.export.view.verification import (
    AS_PLANNED,
    CHECK,
    DARK,
    ELSEWHERE,
    HARMLESS,
    list_verified_ids,
    read_verification,
)

DRIFT = "drift-"
"""The beginning of the tag of objects that differ from the plan; the name of the blueprint follows."""

STATUSES = ("planned", "connected")
"""Statuses that a verdict changes; another, such as `decommissioning`, is an operator's word (v4.6.8: netbox/dcim/
choices.py, LinkStatusChoices).
"""


class Verdict(NamedTuple):
    """What `verify` says of a cable: its status in NetBox, "" if only modules and ports were judged.

    `drifts` says whether something is to be mended, `is_dark` whether no light passes the cable.
    """

    status: str
    drifts: bool
    is_dark: bool = False


DARK_CABLE = Verdict("planned", drifts=True, is_dark=True)


def read_verdicts(file: str, cluster: Cluster) -> dict[str, Verdict]:
    """Return the verdict on each cable that a JSON report of `verify` has seen, by its id.

    Raises InputError (FG001, FG002, FG066) for a file that is no report on this cluster.
    """
    found = read_verification(file, cluster)
    verified = set(list_verified_ids(found.report))
    verdicts = {
        AS_PLANNED: Verdict("connected", drifts=False),
        HARMLESS: Verdict("connected", drifts=False),
        DARK: DARK_CABLE,
        ELSEWHERE: Verdict("planned", drifts=True),
    }
    named = zip(cluster.cable_ids, found.states.tolist(), strict=True)
    return {
        cable: Verdict("connected" if cable in verified else "", drifts=True) if state == CHECK else verdicts[state]
        for cable, state in named
        if state == CHECK or state in verdicts
    }


def judge_trunks(view: ClusterView, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """Return the verdict on each trunk between panels, by its name, from those on the cables through it.

    Light that passes says that the trunk is there; if no cable that was seen has light, the trunk is to be looked at. A
    jumper elsewhere says nothing of the trunk behind it.
    """
    trunk_of = {
        (trunk[f"{end}_panel"], trunk[f"{end}_port"] + port): trunk["name"]
        for trunk in view.trunks.rows()
        for end in "ab"
        for port in range(trunk["ports"])
    }
    patches, through = view.patches, defaultdict[str, set[Verdict]](set)
    cables = view.cables.name[view.links.cable[patches.link]]
    for cable, panel, port in zip(cables, patches.panel, patches.port.tolist(), strict=True):
        if (panel, port) in trunk_of and cable in verdicts:
            through[trunk_of[panel, port]].add(verdicts[cable])
    judged: dict[str, Verdict] = {}
    for trunk, found in through.items():
        if any(verdict.status == "connected" for verdict in found):
            judged[trunk] = Verdict("connected", drifts=False)
        elif found == {DARK_CABLE}:
            judged[trunk] = DARK_CABLE
    return judged


def list_verdict_fields(verdict: Verdict, tag: str, record: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Yield (field, value, words) of what a verdict changes of a record of a cable.

    A status that is an operator's own stays.
    """
    status = record.get("status")
    current_status = status.get("value") if isinstance(status, Mapping) else status
    if verdict.status and current_status in STATUSES and current_status != verdict.status:
        yield "status", verdict.status, f"status {current_status} -> {verdict.status}"
    slugs = [entry["slug"] for entry in record.get("tags", ())]
    if verdict.drifts != (tag in slugs):
        # times False there is no tag, times True one
        slugs_to_set = [slug for slug in slugs if slug != tag] + [tag] * verdict.drifts
        yield "tags", [{"slug": slug} for slug in slugs_to_set], f"tag {tag} {'set' if verdict.drifts else 'taken off'}"
