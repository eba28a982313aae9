"""Cumulus Linux as a blueprint asks for it: management, profiles, ports of their own, and the user's trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cumulus_trees import HOSTILE, LEAF, SN5600, switch_of, text_of, tree_of
from ruamel.yaml import YAML

from fabricgen.blueprint.sections.management import Management
from fabricgen.kernel.diagnostics import InputError
from fabricgen.render.engine import RenderOptions, render_configs
from fabricgen.render.safety import find_lost_safety_lines
from fabricgen.render.secrets import mask_secrets
from fabricgen.views.switch import PlacedSnippet, SwitchView
from tests.conftest import Ran
from tests.render.rendered import BLUEPRINTS, CUMULUS, cluster_of, startup

QUOTES = 'Keep out: "you" \\ {{ x }} {% y %}\n- set: {} # &a *a !b %C'
HASH = "$6$abcdefgh$" + "a" * 86


def managed(switch: SwitchView, **asked: Any) -> SwitchView:
    return replace(switch, fabric=switch.fabric._replace(management=Management.model_validate(asked)))


def test_asked_changes_of_lossless_profiles() -> None:
    sets = (
        "qos={roce_dscp: 29, cnp_dscp: 43, roce_class: 4, cnp_class: 5, roce_percent: 83, cnp_max_percent: 7}",
        "qos.ecn={400G: 311-907}",
        "qos.mark_percent=43",
        "qos.watchdog={detect_ms: 341, restore_ms: 772, poll_ms: 130}",
    )
    tree = tree_of(switch_of("leaf-spine", LEAF, *sets))
    asked = tree["qos"]
    assert asked["egress-shaper"]["ROCE-400G"] == {"traffic-class": {"5": {"max-rate": 28_000_000}}}
    assert tree["interface"]["swp29"]["qos"]["egress-shaper"] == {"profile": "ROCE-400G"}
    marking = {"ecn": "enable", "min-threshold": 311_000, "max-threshold": 907_000, "probability": 43}
    assert asked["congestion-control"]["ROCE-400G"] == {"traffic-class": {"4": marking}}
    assert asked["egress-scheduler"]["ROCE"]["traffic-class"] == {
        "0": {"bw-percent": 17, "mode": "dwrr"},
        "4": {"bw-percent": 83, "mode": "dwrr"},
        "5": {"mode": "strict"},
    }
    classes = {dscp: row["switch-priority"] for dscp, row in asked["mapping"]["ROCE"]["dscp"].items()}
    assert {dscp: n for dscp, n in classes.items() if n} == {"29": 4, "43": 5}
    queues = asked["egress-queue-mapping"]["default-global"]["switch-priority"]
    assert {n: row["traffic-class"] for n, row in queues.items() if row["traffic-class"]} == {"4": 4, "5": 5}
    assert asked["pfc"]["ROCE"]["switch-priority"] == {"4": {}}
    # 341 ms are more than two polls of 130 ms.
    assert asked["pfc-watchdog"] == {"polling-interval": 130, "robustness": 3}


def test_notifications_that_share_the_queue_of_data_have_its_share() -> None:
    tree = tree_of(switch_of("leaf-spine", LEAF, "qos.cnp_class=3"))  # which FG702 reports
    assert tree["qos"]["egress-scheduler"]["ROCE"]["traffic-class"] == {
        "0": {"bw-percent": 50, "mode": "dwrr"},
        "3": {"bw-percent": 50, "mode": "dwrr"},
    }


def test_balance_by_load_where_the_chip_does_it() -> None:
    asked = ("routing.load_balance=dynamic",)
    tree = tree_of(switch_of("leaf-spine", LEAF, *SN5600, *asked))
    assert tree["router"]["adaptive-routing"] == {"state": "enabled"}
    ports = tree["interface"]
    between = next(p for p in switch_of("leaf-spine", LEAF, *SN5600).ports if p.role == "up")
    assert ports[between.name]["router"] == {"adaptive-routing": {"state": "enabled"}}
    assert "router" not in ports["swp1s0"]
    older = tree_of(switch_of("leaf-spine", LEAF, *asked))
    assert "adaptive-routing" not in older["router"]
    assert all("router" not in row for row in older["interface"].values())


def test_what_ports_have_of_their_own() -> None:
    asked = f"config_of={{{LEAF}: {{ports: {{swp29: {{mtu: 4200, fec: fc}}, swp30: {{shutdown: true, fec: none}}}}}}}}"
    ports = tree_of(switch_of("leaf-spine", LEAF, asked))["interface"]
    assert ports["swp29"]["link"] == {"fec": "baser", "mtu": 4200, "speed": "400G", "state": {"up": {}}}
    assert ports["swp30"]["link"] == {"fec": "off", "mtu": 9216, "speed": "400G", "state": {"down": {}}}
    assert ports["swp31"]["link"]["mtu"] == 9216


def test_management() -> None:
    asked = managed(
        switch_of("leaf-spine", LEAF),
        users={
            "ops": {"password": "env:FABRICGEN_A", "ssh_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO8 ops"]},
            "see": {"role": "operator", "ssh_keys": ["ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB see"]},
        },
        aaa={"servers": ["10.9.0.5", "fd00::5"], "key": "env:FABRICGEN_B"},
        ntp=["10.9.0.6", "ntp.example.net"],
        dns={"servers": ["10.9.0.7"], "domain": "example.net"},
        syslog={"servers": ["10.9.0.8"], "level": "warning"},
        gnmi={},
        tls={"certificate": "switch.pem", "key": "switch.key"},
        timezone="Europe/Berlin",
    )
    system = tree_of(asked)["system"]
    aaa = system["aaa"]
    assert aaa["authentication"] == {"order": ["tacacs", "local"]}
    assert list(aaa["tacacs"]["server"]) == ["10.9.0.5", "fd00::5"]
    assert aaa["tacacs"]["server"]["10.9.0.5"]["priority"] == 1
    assert aaa["tacacs"]["vrf"] == "mgmt"
    assert aaa["user"]["ops"]["role"] == "system-admin"
    assert aaa["user"]["see"] == {
        "role": "nvue-monitor",
        "ssh": {"authorized-key": {"key1": {"key": "AAAAB3NzaC1yc2EAAAADAQAB", "type": "ssh-rsa"}}},
    }
    assert aaa["role"]["system-admin"] == {"class": {"nvapply": {}, "sudo": {}}}
    assert system["ntp"] == {
        "server": {"10.9.0.6": {"iburst": "enabled"}, "ntp.example.net": {"iburst": "enabled"}},
        "state": "enabled",
        "vrf": "mgmt",
    }
    assert system["dns"] == {"domain": "example.net", "server": {"10.9.0.7": {"priority": 1, "vrf": "mgmt"}}}
    assert system["syslog"] == {"server": {"10.9.0.8": {"vrf": "mgmt"}}, "severity": "warn"}
    assert system["gnmi-server"] == {
        "certificate": "switch",
        "listening-address": {"10.16.0.2": {}},
        "port": 9339,
        "state": "enabled",
    }
    assert system["api"] == {"certificate": "switch", "state": "enabled"}
    assert system["date-time"] == {"timezone": "Europe/Berlin"}
    assert system["ssh-server"] == {"state": "enabled", "vrf": {"mgmt": {}}}


def with_secrets(switch: SwitchView, secret: str, phrase: str) -> SwitchView:
    """A switch as the engine has it once secrets are looked up."""
    asked = Management.model_validate(
        {
            "users": {"ops": {"password": "env:FABRICGEN_A"}},
            "aaa": {"servers": ["10.9.0.5"], "key": "env:FABRICGEN_B", "protocol": "radius"},
            "snmp": {
                "users": {"nms": {"auth": "env:FABRICGEN_C", "privacy": "env:FABRICGEN_D"}},
                "contact": QUOTES.replace("\n", " "),
            },
            "banner": {"login": QUOTES, "motd": "- set: x"},
        }
    )
    user, nms = asked.users["ops"], asked.snmp.users["nms"]  # type: ignore[union-attr]
    looked = asked.model_copy(
        update={
            "users": {"ops": user.model_copy(update={"password": HASH})},
            "aaa": asked.aaa.model_copy(update={"key": secret}),  # type: ignore[union-attr]
            "snmp": asked.snmp.model_copy(  # type: ignore[union-attr]
                update={"users": {"nms": nms.model_copy(update={"auth": phrase, "privacy": phrase + "2"})}}
            ),
        }
    )
    return replace(switch, fabric=switch.fabric._replace(management=looked))


@pytest.mark.parametrize("snippets", [(), (PlacedSnippet("wjh", "set", tree={"system": {}}),)])
@pytest.mark.parametrize(("secret", "phrase"), [("hush-hush", "phrase-phrase"), ('a"b\\c: {d}#', 'e"f\\g: {h}#"')])
def test_secrets_stand_where_they_belong_and_can_be_masked(
    secret: str, phrase: str, snippets: tuple[PlacedSnippet, ...]
) -> None:
    switch = replace(with_secrets(switch_of("leaf-spine", LEAF), secret, phrase), snippets=snippets)
    tree = startup({"configs/x/startup.yaml": text_of(switch)}, "x")
    system = tree["system"]
    assert system["aaa"]["radius"]["server"]["10.9.0.5"] == {"priority": 1, "secret": secret}
    assert system["aaa"]["user"]["ops"]["hashed-password"] == HASH
    assert system["snmp-server"]["username"] == {"nms": {"auth-sha": {phrase: {"encrypt-aes": {phrase + "2": {}}}}}}
    assert system["message"] == {"post-login": "- set: x", "pre-login": QUOTES}
    masked = mask_secrets(text_of(switch).encode()).decode()
    assert masked.count("<secret>") == 4
    assert HASH not in masked
    assert not any(shown in masked for shown in ("hush", "phrase-phrase", 'a\\"b', 'e\\"f'))


def test_trees_of_the_user_are_merged() -> None:
    switch = switch_of("leaf-spine", LEAF)
    tree = {
        "system": {"wjh": {"state": "enabled"}, "api": {"port": 8765}, "lldp": {"state": "disabled"}},
        "bridge": {"domain": {"br_default": {"vlan": {100: {"vni": {"1:2": {}}}}}}},
        "qos": {"mapping": {"ROCE": {"dscp": {26: {"switch-priority": 4}}}}},
    }
    first = PlacedSnippet("first", "set", tree=tree)
    second = PlacedSnippet("second", "set", tree={"system": {"api": {"port": 8766, "x": ["on", HOSTILE]}}})
    text = text_of(replace(switch, snippets=(first, second)))
    assert YAML(typ="safe").load(text) == YAML(typ="safe", pure=True).load(text)
    found, plain = startup({"configs/x/startup.yaml": text}, "x"), tree_of(switch)
    assert found["system"]["wjh"] == {"state": "enabled"}
    assert found["system"]["api"] == {"port": 8766, "state": "enabled", "x": ["on", HOSTILE]}
    assert found["system"]["lldp"] == {"state": "disabled"}
    assert found["bridge"]["domain"]["br_default"]["vlan"] == {100: {"vni": {"1:2": {}}}}
    assert found["qos"]["mapping"]["ROCE"]["dscp"]["26"] == {"switch-priority": 4}
    assert len(found["qos"]["mapping"]["ROCE"]["dscp"]) == 64
    assert found["interface"] == plain["interface"]
    assert found["vrf"] == plain["vrf"]


@pytest.mark.parametrize(
    ("tree", "place"),
    [({"system": "none"}, "system"), ({"system": {"hostname": {"a": 1}}}, "system/hostname")],
)
def test_a_tree_that_does_not_fit_is_a_fault(tree: dict[str, Any], place: str) -> None:
    switch = replace(switch_of("leaf-spine", LEAF), snippets=(PlacedSnippet("odd", "set", tree=tree),))
    with pytest.raises(InputError, match=f"'odd' puts .* at {place}"):
        text_of(switch)


def own_template(folder: Path, text: str) -> RenderOptions:
    (folder / "cumulus").mkdir(parents=True)
    (folder / "cumulus" / "startup.yaml.j2").write_text('{% extends "builtin/cumulus/startup.yaml.j2" %}\n' + text)
    return RenderOptions(folder)


def test_a_template_may_change_a_block(tmp_path: Path) -> None:
    cluster = cluster_of("leaf-spine", *CUMULUS)
    text = "{% block system %}{{ super() }}      wjh: {state: enabled}\n{% endblock %}"
    options = own_template(tmp_path, text)
    files = {path: content.decode() for path, content in render_configs(cluster, options=options)}
    plain = tree_of(switch_of("leaf-spine", LEAF))
    assert startup(files, LEAF) == {**plain, "system": {**plain["system"], "wjh": {"state": "enabled"}}}
    assert not list(find_lost_safety_lines(cluster, options))


def test_a_template_that_leaves_out_policy_is_a_finding(tmp_path: Path) -> None:
    options = own_template(tmp_path, "{% block router %}\n{% endblock %}")
    found = list(find_lost_safety_lines(cluster_of("leaf-spine", *CUMULUS), options))
    assert [d.path[-1] for d in found] == ["leaf", "spine"]
    assert "leave out 'set/router/policy/" in found[0].message


def test_snippets_that_undo_safety_are_findings(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    tree = "{qos: {pfc-watchdog: {robustness: 9}}, system: {wjh: {state: enabled}}}"
    plain = (BLUEPRINTS / "leaf-spine.yaml").read_text()
    text = f"{plain}\nnos: cumulus\nsnippets: {{odd: {{nos: cumulus, tree: {tree}}}}}\n"
    (tmp_path / "blueprint.yaml").write_text(text)
    ran = fabricgen("build", tmp_path / "blueprint.yaml", "-o", tmp_path / "out")
    assert ran.code == 0
    assert ran.err.count("FG704") == 1
    built = {"configs/x/startup.yaml": (tmp_path / "out" / "configs" / LEAF / "startup.yaml").read_text()}
    assert startup(built, "x")["qos"]["pfc-watchdog"]["robustness"] == 9
