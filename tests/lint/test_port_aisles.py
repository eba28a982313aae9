"""What FG658 and FG659 say of ports at both aisles: one of them at most asks to turn a tier, and never back again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations, product

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.lint.rule import load_all_rules
from fabricgen.lint.subjects.aisles import AIRFLOW, COLD, HOT, OTHER, Aisles, sum_crossing_cables
from tests.conftest import BLUEPRINTS, EXAMPLES, SMALLER, example_cluster

RULES = [rule for rule in load_all_rules() if rule.id in ("FG658", "FG659")]
KEY = re.compile(r"`airflow: (intake|exhaust)` for (.+)")

Keys = dict[tuple[str, str], str]
"""The airflow of (fabric, tier)."""


def turned(name: str, keys: Keys) -> Cluster:
    """An example whose tiers state these airflows."""
    sets = [f"fabrics.{fabric}.tiers.{tier}.airflow={air}" for (fabric, tier), air in keys.items()]
    return build_cluster(
        build_design(load_blueprint(str(BLUEPRINTS / f"{name}.yaml"), (*SMALLER.get(name, ()), *sets)))
    )


def findings(cluster: Cluster) -> list[Diagnostic]:
    return [found for rule in RULES for found in rule.check(cluster)]


def keys_of(found: Iterable[Diagnostic]) -> Keys:
    """What findings ask for, in the words of their hints; none asks twice for a tier."""
    keys: Keys = {}
    for one in found:
        _, fabric, _, tier, _ = one.path
        if match := KEY.fullmatch(one.hint):
            air, tiers = match.groups()
            for name in [tier] if tiers == "this tier" else re.split(", | and ", tiers):
                assert (fabric, name) not in keys, one.message
                keys[fabric, name] = air
    return keys


def all_turned(cluster: Cluster) -> Keys:
    """Every tier of which another variant is known, ordered as the other one."""
    aisles = Aisles(cluster)
    return {tuple(tier.split(" ")): AIRFLOW[OTHER[aisles.now[n[0]]]] for tier, n in aisles.tiers.items()}


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_followed_is_not_asked_back(name: str) -> None:
    """From the example as it is, and with each tier the other way: all that is asked for, and the first of it alone."""
    usual = example_cluster(name)
    for stated, cluster in (({}, usual), (all_turned(usual), None)):
        keys = keys_of(findings(cluster or turned(name, stated)))
        for followed in [keys, dict([*keys.items()][:1])][: len(keys)]:
            left = keys_of(findings(turned(name, {**stated, **followed})))
            assert left == {tier: air for tier, air in keys.items() if tier not in followed}


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_choice_of_airflows_spares_more_cables(name: str) -> None:
    """Against all choices, one after another."""
    aisles = Aisles(example_cluster(name))

    def cost(faced: list[str]) -> tuple[int, int]:
        beside = [pair for held in aisles.racks.values() for pair in combinations(held, 2)]
        return sum_crossing_cables(aisles.pairs, faced)[0], sum(faced[a] != faced[b] for a, b in beside)

    costs = []
    for choice in product((HOT, COLD), repeat=len(aisles.tiers)):
        faced = list(aisles.now)
        for aisle, numbers in zip(choice, aisles.tiers.values(), strict=True):
            for number in numbers:
                faced[number] = aisle
        costs.append(cost(faced))
    assert cost(list(aisles.best)) == min(costs)


def test_a_tier_beside_switches_of_one_airflow_keeps_that_of_its_nodes() -> None:
    """SN5600 are sold with intake alone, which is told as a fact; SN2201 beside them join servers plugged behind."""
    says = (
        "ports of sn5600 (compute leaf) face the cold aisle, those of dgx-b200 the hot one: "
        "32 cables cross a rack for it, which takes 42 m"
    )
    fact = ("FG659", says, "no variant of sn5600 with its ports at the hot aisle is known")
    told = lambda cluster: [(d.code, d.message, d.hint) for d in findings(cluster)]  # noqa: E731
    # that spines and the switches of the in-band network share a rack is another matter
    assert [finding for finding in told(example_cluster("monday")) if finding[0] != "FG658"] == [fact]
    other = told(turned("monday", {("oob", "leaf"): "intake"}))
    turns = [(code, hint) for code, _, hint in other if code != "FG658"]
    assert turns == [("FG659", fact[2]), ("FG659", "`airflow: exhaust` for leaf")]


def test_what_can_be_turned_is_not_sent_elsewhere() -> None:
    """QM9700 with exhaust beside switches that are right for NVL72 trays: their airflow is the cure, and said once."""
    cluster = turned("nvl72-gb200", {("compute", "leaf"): "exhaust", ("compute", "spine"): "exhaust"})
    assert [(d.code, d.hint) for d in findings(cluster)] == [("FG659", "`airflow: intake` for leaf and spine")]


def test_cables_of_nodes_whose_side_nobody_knows_are_counted() -> None:
    """Each of them is cabled to a switch whose side is known, and the crossing of a rack is not in its length."""
    (rule,) = (rule for rule in load_all_rules() if rule.id == "FG661")
    (found,) = rule.check(example_cluster("leaf-spine"))
    assert found.message == (
        "nobody says at which aisle generic-server (8 cables: hot) has ports: lengths assume that of the switches; at "
        "the other the cables take 11 m more"
    )
    stated = example_cluster("leaf-spine", "floor.trays.cold_ports=[generic-server]")
    assert not list(rule.check(stated))
    runs = [cluster.plan.cables.run_m.sum() for cluster in (stated, example_cluster("leaf-spine"))]
    assert runs[0] - runs[1] == pytest.approx(8 * 1.2 * 1.1), "eight racks of 1.2 m, with a slack of 10 %"
