"""The sections of a page that running configurations tell: inferred stage by stage, each on the page of the last.

Topology is the page's already. What a stage infers is put into it and the cluster is made anew, so that the next stage
sees what follows: names of ports from the NOS, gateways from VLANs, offsets in pools from blocks. In the end all
switches are compared with what the page gives them: what is left is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fabricgen.adopt.facts import Inference
from fabricgen.adopt.settings.draft import Draft, Evidence, ReadSwitch, Stated, edit_page
from fabricgen.adopt.settings.exits import infer_exits
from fabricgen.adopt.settings.forms import (
    infer_hosts,
    infer_links,
    infer_nos,
    infer_pairs,
    infer_protocols,
    infer_subnets,
    infer_vlans,
    infer_vnis,
)
from fabricgen.adopt.settings.forwarding import infer_balancing, infer_qos, infer_sessions
from fabricgen.adopt.settings.management import infer_management
from fabricgen.adopt.settings.numbers import infer_asns, infer_pools, list_exceptions
from fabricgen.adopt.settings.services import infer_services
from fabricgen.adopt.settings.telling import list_left
from fabricgen.adopt.settings.tenants import infer_leaks, infer_tenants

MOST_NAMED = 6
"""So many switches that say otherwise are named."""

Stage = Callable[[Draft], list[Stated]]

STAGES: tuple[tuple[Stage, ...], ...] = (
    (infer_nos, infer_protocols),
    (infer_links, infer_hosts, infer_pairs),
    (infer_vlans,),
    (infer_tenants, infer_exits),
    (infer_vlans, infer_subnets, infer_vnis, infer_leaks),
)
"""What gives a network its form, in the order in which one follows from the other; side by side what does not."""

SETTINGS: tuple[Stage, ...] = (infer_services, infer_management, infer_qos, infer_balancing, infer_sessions)
"""What switches of a given form are told."""


class InferredSettings(NamedTuple):
    """What running configurations say of a page.

    `page` is the page with all that was inferred, `sections` that alone; `lock` are rows of a list for `lock --import`:
    numbers that no rule gives. `inferences` say from how many facts a value was inferred, `evidence` what was not.
    """

    page: dict[str, Any]
    sections: dict[str, Any]
    lock: list[dict[str, str]]
    inferences: list[Inference]
    evidence: list[Evidence]


def infer_settings(switches: Mapping[str, ReadSwitch], page: Mapping[str, Any], path: str) -> InferredSettings:
    """Infer the sections of a page that describes the topology of switches, by what was read of them, by name.

    `path` is where the page stands or will: its lock, inventory and catalogue count. Raises InputError where the page
    itself cannot be built.
    """
    draft = Draft(dict(page), path, switches)
    for stages in STAGES:
        draft.state([stated for infer in stages for stated in infer(draft)])
    infer_asns(draft)
    for _ in range(2):  # limits of sessions follow from what else makes FRR write them
        draft.state([stated for infer in SETTINGS for stated in infer(draft)])
    infer_pools(draft)
    lock = list_exceptions(draft)
    draft.evidence += list_left(draft)
    inferences = [_tell_stated(stated) for stated in draft.stated.values() if stated.value is not None]
    strange = switches.keys() - {draft.cluster.names[row] for row in draft.cluster.switch_rows()}
    unread = [
        Evidence("unread", "", "the page has no Ethernet switch of this name", 1, name) for name in sorted(strange)
    ]
    unread += [Evidence("unread", "", text, 1, name) for name, read in sorted(switches.items()) for text in read.unread]
    sections = edit_page({}, draft.stated.values())
    return InferredSettings(draft.page, sections, lock, inferences, [*dict.fromkeys(draft.evidence), *unread])


def _tell_stated(stated: Stated) -> Inference:
    more = len(stated.against) - MOST_NAMED
    names = ", ".join(stated.against[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    value = json.dumps(stated.value, ensure_ascii=False).strip('"')
    note = f"not so on {names}" if names else ""
    return Inference(stated.path, value, stated.facts, stated.facts + len(stated.against), note)
