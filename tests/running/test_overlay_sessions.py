"""Sessions for EVPN as readers gather them: what does not fit is told by the neighbour's address alone."""

from __future__ import annotations

import pytest

from fabricgen.running.bgp import Instance, Neighbor, make_overlay
from fabricgen.running.policy import Policies
from fabricgen.running.tree import UnknownTextError
from fabricgen.switch.routing import EVPN


def test_a_session_that_carries_more_is_told_without_its_password() -> None:
    neighbor = Neighbor(remote_asn=65001, password="correct-horse", active={EVPN, "v4"}, source="10.0.0.1")
    with pytest.raises(UnknownTextError, match=r"carries more: 10\.0\.0\.9$"):
        make_overlay(Instance(65000, neighbors={"10.0.0.9": neighbor}), Policies(), {}, "")
    neighbor.active = {EVPN}
    overlay = make_overlay(Instance(65000, neighbors={"10.0.0.9": neighbor}), Policies(), {}, "")
    assert overlay is not None
    assert overlay.peers["10.0.0.9"].remote_asn == 65001
