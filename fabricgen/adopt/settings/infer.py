"""The sections of a page that running configurations tell: inferred stage by stage, each on the page of the last.

Topology is the page's already. What a stage infers is put into it and the cluster is made anew, so that the next stage
sees what follows: names of ports from the NOS, gateways from VLANs, offsets in pools from blocks. In the end all
switches are compared with what the page gives them: what is left is told.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from fabricgen.adopt.facts import Inference
from fabricgen.adopt.settings.draft import EVERY, Draft, Evidence, ReadSwitch, Stated, edit_page
from fabricgen.adopt.settings.exits import infer_exits, infer_leaks, infer_tenants
from fabricgen.adopt.settings.forwarding import (
    infer_balancing,
    infer_hosts,
    infer_links,
    infer_nos,
    infer_pairs,
    infer_protocols,
    infer_qos,
    infer_sessions,
    infer_subnets,
    infer_vlans,
    infer_vnis,
)
from fabricgen.adopt.settings.numbers import infer_asns, infer_pools, list_exceptions
from fabricgen.adopt.settings.services import infer_management, infer_services
from fabricgen.kernel.diagnostics import Severity
from fabricgen.switch.interfaces import Subinterface
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Peer, RouteMaps
from fabricgen.verify.drift.comparing import compare_switches
from fabricgen.verify.drift.finding import DriftFinding
from fabricgen.views.model.switch import model_switch

FEW = 0.25
"""Up to this share of the switches of a tier, a difference is theirs and not the tier's."""


def list_left(draft: Draft) -> Iterator[Evidence]:
    """Every difference between what switches run and what the page gives them, with the line where it stands."""
    catalog = draft.cluster.design.catalog
    by_tier = groupby(draft.iterate_pairs(draft.cluster, EVERY), lambda pair: (pair.fabric, pair.view.tier.name))
    for (fabric, tier), pairs in by_tier:
        findings: dict[tuple[str, str], list[DriftFinding]] = defaultdict(list)
        switches = 0
        for pair in pairs:
            switches += 1
            running, planned = hide_secrets(pair.running), hide_secrets(model_switch(pair.view, catalog))
            found = compare_switches(pair.view.name, running, planned, frozenset()) if running != planned else ()
            for finding in (finding for finding in found if finding.severity == Severity.ERROR):
                findings[_generalize_finding(finding)].append(finding)
        for same in findings.values():
            devices = list(dict.fromkeys(finding.device for finding in same))
            if len(devices) > max(1, FEW * switches):
                text = f"{same[0].subject}: {same[0].text}"
                yield Evidence("unexplained", f"fabrics.{fabric}.tiers.{tier}", text, len(devices), devices[0])
            else:
                for finding in same:
                    file, line = _find_line(draft.switches[finding.device].files, finding)
                    text = f"{finding.text} ({switches - len(devices)} of {switches} switches of {tier} as planned)"
                    yield Evidence("drifted", finding.subject, text, 1, finding.device, file, line)


def hide_secrets(switch: Switch) -> Switch:
    """A model without secrets, which a page has references to, and without what only writing needs."""
    users = {name: replace(user, password_hash="") for name, user in switch.management.users.items()}
    bgp = {
        vrf: replace(instance, maps=RouteMaps(), peers={key: _strip_peer(p) for key, p in instance.peers.items()})
        for vrf, instance in switch.bgp.items()
    }
    ports = {
        name: replace(port, macsec=replace(port.macsec, cak="") if port.macsec else None)
        for name, port in switch.interfaces.items()
    }
    pair = replace(switch.pair, mate="", peer="", number=0, mtu=0) if switch.pair else None
    subinterfaces = {key: Subinterface(sub.vrf, sub.addresses) for key, sub in switch.subinterfaces.items()}
    management = replace(switch.management, users=users)
    return replace(switch, management=management, bgp=bgp, interfaces=ports, pair=pair, subinterfaces=subinterfaces)


def _strip_peer(peer: Peer) -> Peer:
    return replace(peer, password="", group="", device="", port="", address="")


def _generalize_finding(finding: DriftFinding) -> tuple[str, str]:
    """What findings of several switches have in common: their words without what has a digit."""
    return _strip_numbers(finding.subject.split()), _strip_numbers(finding.text.split())


def _strip_numbers(words: Iterable[str]) -> str:
    return " ".join(word for word in words if not any(c.isdigit() for c in word))


def _find_line(files: Mapping[str, str], finding: DriftFinding) -> tuple[str, int]:
    """The file and line that have the most names and numbers of a finding; ("", 0) where none has any.

    What runs and is not planned counts twice.
    """
    running, _, planned = finding.text.partition(", planned: ")
    values, names = _list_names(running) - _list_names(planned), _list_names(finding.subject)
    best = (0, "", 0)
    for name, text in sorted(files.items()):
        for number, line in enumerate(text.splitlines(), 1):
            words = _list_names(line)
            weight = 2 * len(values & words) + len(names & words)
            if weight > best[0]:
                best = (weight, name, number)
    return best[1], best[2]


def _list_names(text: str) -> set[str]:
    """Words with a digit in them: ports, addresses, numbers."""
    return set(re.findall(r"[\w./-]*\d[\w./:-]*\w|\d", text))


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
