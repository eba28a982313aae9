"""What is left: where switches run something else than the page gives them, of many as unexplained, of one as drift."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from fabricgen.adopt.settings.draft import EVERY, Draft, Evidence
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
