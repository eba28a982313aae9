"""What route maps of a switch permit on a session: what a Policy cannot say is told, never left out."""

from __future__ import annotations

import pytest

from fabricgen.running.policy import Policies
from fabricgen.running.tree import UnknownTextError, tolerate_unknown_text
from fabricgen.switch.routing import Permit, Policy, RouteMapEntry

V4 = frozenset({"v4"})


def make_policies(*entries: RouteMapEntry) -> Policies:
    """A route map M of some entries, with the lists INNER and OUTER."""
    policies = Policies()
    policies.add_permit("INNER", "10.1.0.0/16", "")
    policies.add_permit("OUTER", "10.0.0.0/8", "le 32")
    policies.maps["M"] = dict(enumerate(entries, 1))
    return policies


def test_prefixes_are_kept_out_of_others() -> None:
    policies = make_policies(RouteMapEntry(False, prefix_list="INNER"), RouteMapEntry(True, prefix_list="OUTER"))
    inner, outer = Permit("10.1.0.0/16", 16, 16), Permit("10.0.0.0/8", 8, 32)
    assert policies.find_policy(["M"], V4) == Policy(frozenset({outer}), denies=frozenset({inner}))


def test_everything_is_no_policy() -> None:
    assert make_policies(RouteMapEntry(True)).find_policy(["M"], V4) is None


def test_everything_but_some_prefixes_is_told() -> None:
    policies = make_policies(RouteMapEntry(False, prefix_list="INNER"), RouteMapEntry(True))
    with pytest.raises(UnknownTextError, match="route-map M is no list of prefixes"):
        policies.find_policy(["M"], V4)
    with tolerate_unknown_text() as notes:
        policies.find_policy(["M"], V4)
    assert notes.unfit == ["route-map M is no list of prefixes"]
