"""Infer from running configurations the sections of a page that describe settings; the page has the topology already.

Settings are inferred in stages. After each stage its settings are put into the page and the cluster is built again, as
the next stage needs what follows from them: names of ports from the NOS, gateways from VLANs, offsets in pools from
blocks. In the end every switch is compared with what the page gives it; each difference becomes a remark.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from fabricgen.adopt.facts import Inference
from fabricgen.adopt.settings.draft import (
    ALL_SWITCHES,
    MAX_SAMPLE_OF_TIER,
    Draft,
    ReadSwitch,
    Remark,
    Setting,
    edit_page,
)
from fabricgen.adopt.settings.exits import infer_exits, infer_leaks, infer_tenants
from fabricgen.adopt.settings.forwarding import (
    infer_balancing,
    infer_carried,
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
from fabricgen.adopt.settings.numbers import infer_asns, infer_pools, infer_reserves, list_exceptions
from fabricgen.adopt.settings.services import infer_management, infer_services
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError, Severity
from fabricgen.switch.interfaces import Subinterface
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import RouteMaps
from fabricgen.verify.drift.comparing import compare_switches
from fabricgen.verify.drift.finding import DriftFinding
from fabricgen.views.model.switch import model_switch

MAX_DRIFTED = 0.25
"""The largest share of a tier's switches whose common difference is called drift, not a setting of the tier."""


def list_differences(draft: Draft) -> Iterator[Remark]:
    """Yield a remark for each difference between what a switch runs and what the page gives it.

    A difference that many switches of a tier have in common is one remark ("unexplained"); of one that few have, each
    is a remark of its own ("drifted") with its file and line.
    """
    catalog = draft.cluster.design.catalog
    all_switches = draft.iterate_switches(draft.cluster, ALL_SWITCHES)
    for (fabric, tier), switches in groupby(all_switches, lambda switch: (switch.fabric, switch.view.tier.name)):
        alike_findings: dict[tuple[str, str], list[DriftFinding]] = defaultdict(list)
        of_tier = list(switches)
        for switch in of_tier:
            running, planned = _strip_model(switch.running), _strip_model(model_switch(switch.view, catalog))
            for finding in compare_switches(switch.view.name, running, planned):
                if finding.severity == Severity.ERROR:
                    # findings on several switches are alike but for words with a digit, as ports and addresses
                    alike_findings[_strip_numbers(finding.subject), _strip_numbers(finding.text)].append(finding)
        for findings in alike_findings.values():
            devices = list(dict.fromkeys(finding.device for finding in findings))
            if len(devices) > max(1, MAX_DRIFTED * len(of_tier)):
                text = f"{findings[0].subject}: {findings[0].text}"
                yield Remark("unexplained", f"fabrics.{fabric}.tiers.{tier}", text, len(devices), devices[0])
                continue
            for finding in findings:
                file, line = _find_line(draft.switches[finding.device].files, finding)
                counts = f"{len(of_tier) - len(devices)} of {len(of_tier)}"
                text = f"{finding.text} ({counts} switches of {tier} as planned)"
                yield Remark("drifted", finding.subject, text, 1, finding.device, file, line)


def _strip_model(switch: Switch) -> Switch:
    """Return the model of a switch without secrets, to which a page only refers, and without what only writers need."""
    users = {name: replace(user, password_hash="") for name, user in switch.management.users.items()}
    bgp = {
        vrf: replace(
            instance,
            maps=RouteMaps(),
            peers={
                key: replace(peer, password="", group="", device="", port="", address="")
                for key, peer in instance.peers.items()
            },
        )
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


def _strip_numbers(text: str) -> str:
    return " ".join(word for word in text.split() if not any(character.isdigit() for character in word))


def _find_line(files: Mapping[str, str], finding: DriftFinding) -> tuple[str, int]:
    """Return (file name, line number from 1) of the line with most of a finding's names and numbers, ("", 0) if none.

    Values that run and are not planned count twice.
    """
    running, _, planned = finding.text.partition(", planned: ")
    values, names = _list_numbered_words(running) - _list_numbered_words(planned), _list_numbered_words(finding.subject)
    best_score, best_line = 0, ("", 0)
    for name, text in sorted(files.items()):
        for number, line in enumerate(text.splitlines(), 1):
            words = _list_numbered_words(line)
            score = 2 * len(values & words) + len(names & words)
            if score > best_score:
                best_score, best_line = score, (name, number)
    return best_line


def _list_numbered_words(text: str) -> set[str]:
    """Return the words with a digit in them: ports, addresses, numbers."""
    return set(re.findall(r"[\w./-]*\d[\w./:-]*\w|\d", text))


def infer_splits(draft: Draft) -> None:
    """Put into the page the `breakout` of each tier with which its switches have the ports that they list, used or not.

    The port of a whole cage may have the name of the first one of a split cage, so that no link tells them apart.
    """
    for fabric, tier in [(owner.name, tier) for owner in draft.list_fabrics() for tier in owner.tiers]:
        differing = _count_differing_ports(draft, draft.cluster, fabric, tier.name)
        ways = {(n, gbps) for cage in tier.profile.cages for n, speeds in cage.breakouts.items() for gbps in speeds}
        best = list[Setting]()
        for number, gbps in sorted(way for way in ways if way[1] in tier.speeds) if any(differing) else ():
            setting = Setting(("fabrics", fabric, "tiers", tier.name, "breakout"), f"{number} x {gbps}G")
            with suppress(InputError):
                cluster = draft.build(edit_page(draft.page, [setting]))
                counts = _count_differing_ports(draft, cluster, fabric, tier.name)
                if sum(counts) < sum(differing):
                    best, differing = [setting._replace(facts=counts.count(0))], counts
        draft.add_settings(best)


def _count_differing_ports(draft: Draft, cluster: Cluster, fabric: str, tier: str) -> list[int]:
    """Return by switch of a tier how many ports only the page has, or only the running switch; switches whose
    configurations do not list unused ports are passed over.
    """
    return [
        len({*planned.interfaces, *planned.unused} ^ {*switch.running.interfaces, *switch.running.unused})
        for switch in draft.iterate_switches(cluster, MAX_SAMPLE_OF_TIER)
        if (switch.fabric, switch.view.tier.name) == (fabric, tier) and switch.running.unused
        for planned in (model_switch(switch.view, cluster.design.catalog),)
    ]


MAX_NAMED = 6
"""The most differing switches that a note names."""

Stage = Callable[[Draft], Iterable[Setting]]
"""Infers some settings from the switches of a draft."""

STAGES: tuple[tuple[Stage, ...], ...] = (
    (infer_nos, infer_protocols),
    (infer_links, infer_hosts, infer_pairs),
    (infer_carried,),
    (infer_vlans,),
    (infer_tenants, infer_exits),
    (infer_vlans, infer_subnets, infer_vnis, infer_leaks),
)
"""The stages: settings of a later one follow from those of the ones before it."""

LAST_STAGE: tuple[Stage, ...] = (infer_services, infer_management, infer_qos, infer_balancing, infer_sessions)
"""Settings that need all other ones, apart from numbers."""


class InferredSettings(NamedTuple):
    """The settings that running configurations give a page.

    `page` is the page with all settings, `sections` has the settings alone. `lock` has the numbers that no rule of the
    page gives, as rows of a list for `lock --import`. `inferences` say from how many switches each setting was
    inferred, `remarks` what could not be inferred and why.
    """

    page: dict[str, Any]
    sections: dict[str, Any]
    lock: list[dict[str, str]]
    inferences: list[Inference]
    remarks: list[Remark]


def infer_settings(switches: Mapping[str, ReadSwitch], page: Mapping[str, Any], path: str) -> InferredSettings:
    """Infer the settings of `page`, which has the topology, from `switches`: what was read of each, by its name.

    `path` is where the page stands or will stand: the lock, inventory and catalogue beside it are read. Raises
    InputError if the page without settings cannot be built.
    """
    draft = Draft(dict(page), path, switches)
    for stages in STAGES:
        draft.add_settings([setting for infer in stages for setting in infer(draft)])
    infer_splits(draft)
    infer_reserves(draft)
    infer_asns(draft)
    for _ in range(2):  # limits of sessions follow from the other settings that make FRR write them
        draft.add_settings([setting for infer in LAST_STAGE for setting in infer(draft)])
    infer_pools(draft)
    lock = list_exceptions(draft)
    draft.remarks += list_differences(draft)
    inferences = [_write_inference(setting) for setting in draft.settings.values() if setting.value is not None]
    unplanned = switches.keys() - {draft.cluster.names[row] for row in draft.cluster.switch_rows()}
    unread = [(name, "the page has no Ethernet switch of this name") for name in sorted(unplanned)]
    unread += [(name, text) for name, read in sorted(switches.items()) for text in read.unread]
    remarks = [*dict.fromkeys(draft.remarks), *(Remark("unread", "", text, 1, name) for name, text in unread)]
    return InferredSettings(draft.page, edit_page({}, draft.settings.values()), lock, inferences, remarks)


def _write_inference(setting: Setting) -> Inference:
    """Return the row of the report on a setting, whose note names the first switches that differ."""
    unnamed = len(setting.against) - MAX_NAMED
    names = ", ".join(setting.against[:MAX_NAMED]) + (f" and {unnamed} more" if unnamed > 0 else "")
    value = json.dumps(setting.value, ensure_ascii=False).strip('"')
    note = f"not so on {names}" if names else ""
    return Inference(setting.path, value, setting.facts, setting.facts + len(setting.against), note)
