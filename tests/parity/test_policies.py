"""What sessions let pass, against policies written by hand: readers and writers have them of the same route maps."""

from __future__ import annotations

import pytest

from fabricgen.switch.routing import ALL_LINKS, ONE_LINK, OWN_ROUTES, Clause, Permit, Policy
from fabricgen.views.model.routing import model_bgp
from tests.parity.test_exit_parity import EXIT, KINDS
from tests.render.rendered import cluster_of

LOOPBACKS, HOSTS = Permit("10.0.0.0/12", 32, 32), Permit("172.16.0.0/16", 16, 31)
DEFAULT, SUMMARY, STATED = (
    Permit("0.0.0.0/0", 0, 0),
    Permit("172.16.0.0/16", 16, 16),
    Permit("203.0.113.0/24", 24, 24),
)
INSIDE = frozenset({LOOPBACKS, HOSTS})


def policies(switch: str, group: str, *sets: str) -> tuple[Policy | None, Policy | None]:
    """What a session of a group takes, and what it is told, in the example of two exits."""
    view = next(view for view in cluster_of("two-exits", *sets).switches() if view.name.startswith(switch))
    peer = next(peer for peer in model_bgp(view)[""].peers.values() if peer.group.startswith(group))
    return peer.policy_in, peer.policy_out


def test_a_leaf_announces_its_own_and_hears_of_what_is_outside() -> None:
    inward, outward = policies("compute-leaf", "UP", EXIT + "{to: wan, asn: 65101}")
    assert inward == Policy(INSIDE | {DEFAULT})
    assert outward == Policy(INSIDE, own_only=True)


def test_a_spine_passes_on_what_is_outside() -> None:
    inward, outward = policies("compute-spine", "DOWN", EXIT + "{to: wan, asn: 65101, accept: [203.0.113.0/24]}")
    assert inward == outward == Policy(INSIDE | {DEFAULT, STATED})


@pytest.mark.parametrize(("kind", "last_as"), [("between-loopbacks", 8), ("drained-backup", 10)])
def test_an_exit_has_its_terms(kind: str, last_as: int) -> None:
    """A backup's routes are longer than any detour, and of one in maintenance longer than a backup's."""
    sets = [text for text in KINDS[kind] if text != "ip=dual"]
    inward, outward = policies("compute-border-01", "EXIT-", *sets)
    taken = frozenset({DEFAULT})
    assert inward == Policy(frozenset(), clauses=frozenset({Clause(taken, last_as=last_as)}))
    assert outward is not None
    (clause,) = outward.clauses
    assert (clause.permits, bool(clause.prepend)) == ({SUMMARY}, True)
    assert clause.communities == ({"65101:1"} if kind == "between-loopbacks" else frozenset())


def test_a_border_sends_up_what_its_exit_gave_it_and_no_aggregate() -> None:
    sets = (EXIT + "{to: wan, asn: 65101, announce: [172.16.0.0/16]}",)
    inward, outward = policies("compute-border-01", "UP", *sets)
    learned = Clause(frozenset({DEFAULT}), frozenset({"^65101_"}))
    assert inward == Policy(INSIDE | {DEFAULT})
    assert outward == Policy(INSIDE, True, frozenset({SUMMARY}), frozenset({learned}))


def test_a_switch_of_a_mesh_passes_on_what_it_learns_over_all_its_links() -> None:
    """Two of the sixteen switches that share no dimension hear of each other from others."""
    view = next(view for view in cluster_of("hyperx", "routing.bfd=true").switches())
    bgp = model_bgp(view)[""]
    assert {peer.group for peer in bgp.peers.values()} == {"PEER"}
    assert not any(peer.policy_out.own_only for peer in bgp.peers.values() if peer.policy_out)
    assert bgp.max_paths == len(bgp.peers) == 2 * (3 + 3)


def test_what_is_passed_on_tells_of_all_links_and_what_is_its_own_of_one() -> None:
    sets = (EXIT + "{to: wan, asn: 65101}", "nos={border: sonic}", "routing.weights=link-bandwidth")
    own = Clause(INSIDE, frozenset({OWN_ROUTES}), bandwidth=ONE_LINK)
    passed_on = Clause(INSIDE, bandwidth=ALL_LINKS)
    assert policies("compute-leaf", "UP", *sets)[1] == Policy(frozenset(), clauses=frozenset({own}))
    spine = policies("compute-spine", "DOWN", *sets)[1]
    assert spine == Policy(frozenset({DEFAULT}), clauses=frozenset({own, passed_on}))
