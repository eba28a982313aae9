"""The law of drift for NVUE: every leaf that goes or changes is told at its place, and other spellings are the same.

Each configuration is held against itself with one leaf taken away, and with one number or word of it changed. What may
go unsaid are the defaults of `UNSAID`; both error kinds are counted by `pytest --whole -s`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import yaml

from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.nos.cumulus.reading.spelling import load_spellings, make_tree, read_settings
from fabricgen.nos.cumulus.statements import inherit_settings, read_statements
from fabricgen.running.differences import load_rules
from fabricgen.running.statements import Difference, Path, Statements, compare_statements
from tests.conftest import BLUEPRINTS, SMALLER, example_design
from tests.drift.nvue_shown import as_shown, before_5_15, commands, defaults_unsaid, groups_written_out, in_ranges
from tests.laws import law_cases
from tests.parity.switches import switches_of
from tests.render.rendered import EVPN_PAIRS_CUMULUS, EXAMPLES, MANAGED, UNNUMBERED


def on_cumulus(name: str) -> tuple[str, ...]:
    """What puts Cumulus Linux on each tier of an example whose switches run it."""
    sets = []
    for fabric in example_design(name).fabrics:
        runs = {t.name: "cumulus" if "cumulus" in t.profile.nos else t.nos for t in fabric.tiers}
        if "cumulus" in runs.values() and fabric.protocol != "infiniband":
            sets.append(f"fabrics.{fabric.name}.nos={{{', '.join(f'{tier}: {nos}' for tier, nos in runs.items())}}}")
    return (*SMALLER.get(name, ()), *sets) if sets else ()


def can_run_cumulus(name: str) -> bool:
    """Whether an Ethernet fabric of an example has switches that run Cumulus Linux, by the page alone: tests are listed
    often, and to size every example for it takes a tenth of that.
    """
    fabrics = load_blueprint(str(BLUEPRINTS / f"{name}.yaml"), SMALLER.get(name, ())).blueprint.fabrics.values()
    switches = {tier.switch for fabric in fabrics if fabric.protocol != "infiniband" for tier in fabric.tiers.values()}
    return any("cumulus" in Catalog().switch(switch).nos for switch in switches)


CASES: list[tuple[str, tuple[str, ...] | None]] = [
    *((name, None) for name in EXAMPLES if can_run_cumulus(name)),
    ("leaf-spine", ("nos=cumulus", *MANAGED, *UNNUMBERED)),
    ("evpn-guests", EVPN_PAIRS_CUMULUS),
]
"""Every example with switches that run Cumulus Linux, and what is asked beside; None: Cumulus Linux on these."""

UNSAID = {
    "interface * type": {"swp", "sub", "bond", "svi", "eth", "loopback", "peerlink"},
    "interface * link state": {"up"},
    "interface * link mtu": {"9216"},
    "interface * bond lacp-rate": {"fast"},
    "interface * bond mode": {"lacp"},
    "router policy prefix-list * type": {"ipv4"},
    "system lldp state": {"enabled"},
    "vrf * router bgp timers hold": {"9"},
    "vrf * router bgp timers keepalive": {"3"},
    "vrf * router bgp timers connection-retry": {"10"},
    "vrf * router bgp neighbor * timers hold": {"9"},
    "vrf * router bgp neighbor * timers keepalive": {"3"},
    "vrf * router bgp neighbor * timers connection-retry": {"10"},
    "vrf * router bgp neighbor * local-as prepend": {"disabled"},
    "vrf * router bgp peer-group * capabilities extended-nexthop": {"enabled"},
}
"""Leaves that say what NVUE does without them, with their values, and why that may be is said by the rules."""

NAMED = ("interface", "prefix-list", "vrf", "neighbor", "peer-group")
OTHER = {"enabled": "disabled", "disabled": "enabled", "up": "down", "down": "up"}


@cache
def configurations(name: str, sets: tuple[str, ...] | None) -> list[str]:
    """The distinct startup.yaml of the first and the last switch of each tier, or a tenth of them."""
    sets = on_cumulus(name) if sets is None else sets
    texts = {files["startup.yaml"]: "" for _, files in switches_of(name, sets, 2) if "startup.yaml" in files}
    return law_cases(f"configurations of {name}", texts)


def leaves(stated: Statements) -> Iterator[Path]:
    """Settings with none below them."""
    above = {path[:depth] for path in stated for depth in range(1, len(path))}
    return (path for path in stated if path not in above)


def kind(path: Path) -> str:
    """A place with `*` for the names in it."""
    steps = ["*" if n and path[n - 1] in NAMED and n < len(path) else step for n, step in enumerate(path)]
    return " ".join(steps)


def changed(path: Path, value: str) -> tuple[Path, str]:
    """The same setting with another number or word: of its value, or of its name where it has none."""
    word = value or path[-1]
    other = OTHER.get(word) or (str(int(word) + 1) if word.isdecimal() else f"{word}x")
    return (path, other) if value else ((*path[:-1], other), "")


def places(path: Path, stated: Statements) -> set[Path]:
    """Where a setting takes effect: of a peer group, at its neighbours; of the router, in its VRFs as well."""
    if path[:1] == ("vrf",) and path[4:5] == ("peer-group",) and len(path) > 6:
        members = {
            p[:6]
            for p, v in stated.items()
            if p[:5] == (*path[:4], "neighbor") and p[6:] == ("peer-group",) and v == path[5]
        }
        return {(*member, *path[6:]) for member in members} or {path}
    return {path}


def is_told(difference: Difference, running: Statements, planned: Statements) -> bool:
    return load_rules("cumulus").judge_difference(difference, running, planned).kind in ("error", "description")


def untold(path: Path, new: tuple[Path, str] | None, stated: Statements, planned: Statements) -> set[Path]:
    """Of the places where a leaf takes effect, those at which nothing is told when it is gone, or is `new`.

    A setting outside of BGP is its own effect; those of BGP are taken from each other.
    """
    if path[0] not in ("vrf", "router"):
        running = {at: value for at, value in planned.items() if at != path} | ({new[0]: new[1]} if new else {})
        here = Difference(path, running.get(path), planned[path])
        return set() if is_told(here, running, planned) else {path}
    running = inherit_settings(
        {at: value for at, value in stated.items() if at != path} | ({new[0]: new[1]} if new else {})
    )
    told = {each.path for each in compare_statements(running, planned) if is_told(each, running, planned)}
    return places(path, stated) - told


def is_unsaid(path: Path, value: str, stated: Statements) -> bool:
    """Whether a leaf says what NVUE does without it: a default, or the same that is said above."""
    above = path[0] == "vrf" and stated.get(("router", "bgp", path[-1])) == value
    return above or value in UNSAID.get(kind(path), set())


def judge(text: str, counts: Counter[str]) -> Iterator[str]:
    """Yield what is not told of a configuration with one leaf gone or changed."""
    stated = read_settings(text)
    planned = inherit_settings(stated)
    for path in leaves(stated):
        value = stated[path]
        for what, new in (("gone", None), ("changed", changed(path, value))):
            counts[what] += 1
            if not untold(path, new, stated, planned):
                continue
            if what == "gone" and is_unsaid(path, value, stated):
                counts["default, or the same above"] += 1
            elif what == "changed" and value.startswith("<env:"):
                counts["secret not in the plan"] += 1
            else:
                counts["untold"] += 1
                yield f"{what}: {kind(path)} = {value!r}"


@pytest.mark.slow
@pytest.mark.law
@pytest.mark.parametrize(
    ("name", "sets"), law_cases("drift of nvue", CASES), ids=lambda v: v if isinstance(v, str) else ""
)
def test_every_leaf_that_goes_or_changes_is_told(
    name: str, sets: tuple[str, ...] | None, record_property: Callable[[str, object], None]
) -> None:
    counts: Counter[str] = Counter()
    missed = Counter(line for text in configurations(name, sets) for line in judge(text, counts))
    record_property("configurations", len(configurations(name, sets)))
    record_property("leaves", dict(counts))
    assert not missed, missed.most_common(20)


def _of_tree(change: Callable[[dict[str, Any]], Any]) -> Callable[[str], str]:
    """A spelling of the tree of a configuration."""
    return lambda text: yaml.safe_dump(change(yaml.safe_load(text)[0]["set"]))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "json": lambda text: json.dumps(yaml.safe_load(text)),
    "commands": lambda text: "\n".join(commands(yaml.safe_load(text)[0]["set"])),
    "as a switch shows it": _of_tree(as_shown),
    "ranges": _of_tree(in_ranges),
    "without defaults": _of_tree(defaults_unsaid),
    "before 5.15": _of_tree(before_5_15),
    "without groups": _of_tree(groups_written_out),
    "written by fabricgen": lambda text: yaml.safe_dump([{"set": make_tree(read_settings(text))}]),
}


@pytest.mark.slow
@pytest.mark.law
@pytest.mark.parametrize(
    ("name", "sets"), law_cases("nvue spelled", CASES), ids=lambda v: v if isinstance(v, str) else ""
)
def test_other_spellings_are_no_drift(name: str, sets: tuple[str, ...] | None) -> None:
    for text in configurations(name, sets):
        planned = read_statements({"startup.yaml": text})
        for spelling, spell in SPELLINGS.items():
            running = read_statements({"startup.yaml": spell(text)})
            verdicts = load_rules("cumulus").judge(running, planned)
            told = [(each.difference.path, each.difference.running) for each in verdicts.errors + verdicts.descriptions]
            assert not told, (spelling, told[:8])


def test_spellings_know_what_is_secret() -> None:
    assert load_spellings().secrets | load_spellings().secret_keys <= {
        step for rule in load_rules("cumulus")._secrets for part in rule.rule.path for step in part.split("|")
    }
