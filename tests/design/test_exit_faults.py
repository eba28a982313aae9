"""Ways out that cannot be are refused where they are stated, and what would be right is said."""

from __future__ import annotations

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import BLUEPRINTS

WAN = "fabrics.compute.exits.wan="
LINK = "{to: wan, asn: 65101, devices: {wan-1: {links: {port1: %s}}}}"
CASES = [
    ("{to: nobody, asn: 65101}", "FG055", "compute has no extra devices 'nobody'"),
    ("{to: wan}", "FG055", "the AS number of wan-1 is not known"),
    ("{to: wan, routing: static, asn: 1}", "FG055", "`asn` is of BGP sessions"),
    ("{to: wan, routing: static, prefer: backup}", "FG055", "cannot be a backup"),
    ("{to: wan, asn: 65101, default: false}", "FG055", "nothing is reached by wan"),
    (LINK.replace("port1", "port9") % "{own: 192.0.2.1/31}", "FG055", "wan-1 has no cabled port 'port9'"),
    (LINK % "{own: 192.0.2.0/30}", "FG059", "are not two usable addresses of 192.0.2.0/30"),
    (LINK % "{own: 192.0.2.1/29}", "FG059", "which is the far address?"),
    (LINK % "{own: 192.0.2.1/29, far: 198.51.100.1}", "FG059", "are not two usable addresses"),
    (LINK % "{own: '2001:db8::1/127'}", "FG059", "compute has no addresses such as 2001:db8::1/127"),
    (
        "{to: wan, asn: 65101, devices: {wan-1: {loopback: 'fd00::1'}}}",
        "FG059",
        "compute has no addresses such as fd00::1",
    ),
]


def test_two_exits_of_one_name_in_one_vrf_of_a_tier_are_refused() -> None:
    far = "extra.%s={device: external-router, names: [%s-1], ports: 1, speed: 200G}"
    sets = [f"fabrics.{fabric}.{far % (to, to)}" for fabric, to in (("inband", "one"), ("storage", "two"))]
    sets += [f"fabrics.{f}.exits.out={{to: {to}, asn: 65101}}" for f, to in (("inband", "one"), ("storage", "two"))]
    sets += ["tenants={blue: {nodes: [p1/su-1], extra: [one, two]}}"]
    with pytest.raises(InputError, match="are in one VRF, on one tier, with one name"):
        build_design(load_blueprint(str(BLUEPRINTS / "evpn-guests.yaml"), tuple(sets)))


@pytest.mark.parametrize(("exit_", "code", "said"), CASES, ids=[case[2] for case in CASES])
def test_an_exit_that_cannot_be_is_refused(exit_: str, code: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        build_design(load_blueprint(str(BLUEPRINTS / "two-exits.yaml"), (WAN + exit_,)))
    (found,) = [d for d in raised.value.diagnostics if said in d.message]
    assert found.code == code
    assert found.span is not None
    assert found.hint or code == "FG055"
