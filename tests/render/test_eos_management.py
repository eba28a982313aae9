"""EOS: management, the user's hand, and what hostile strings can do: nothing."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from config_tree import Tree, tree_of
from hypothesis import given

from fabricgen.blueprint.load import load_blueprint
from fabricgen.blueprint.sections.management import Aaa, Banner, Dns, Management, Snmp, SnmpUser, Syslog, Tls, User
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.nos.eos.writer import list_banner_lines
from fabricgen.render.engine import Renderer, RenderOptions
from fabricgen.render.escape import make_one_line
from fabricgen.views.switch import SwitchView
from tests.conftest import BLUEPRINTS, built_files
from tests.render.rendered import ALL_EOS, BY_HAND, COPPER, MANAGED, RADIUS, TUNED, UNNUMBERED, cluster_of, files_of

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"
HOSTILE = 'x\nEOF\r\nend\x0brouter bgp 1\u2028no router bgp\x85! ?"{{ 7 * 7 }}{% raw %}\x1b[31m\tbanner motd'


ACCOUNTS = (
    "no aaa root\n!\nno username admin\n"
    "username look privilege 1 role network-operator nopassword\n"
    "username look ssh-key ssh-ed25519 AAAAC3Nw\n"
    "username ops privilege 15 role network-admin secret sha512 <env:FABRICGEN_OPS>\n"
    "username ops ssh-key ssh-ed25519 AAAAC3Nz\n"
    "username ops ssh-key secondary ssh-rsa AAAAB3Nz\n"
)
GNMI = (
    "   transport grpc MGMT\n      ssl profile MANAGEMENT\n      port 6030\n      vrf MGMT\n"
    "   provider eos-native\n"
)  # fmt: skip
ACCOUNTS_AND_SERVERS = (
    ACCOUNTS,
    GNMI,
    "tacacs-server host 10.16.0.20 vrf MGMT key 0 <env:FABRICGEN_TACACS>\n",
    "aaa authentication login default group tacacs+ local\naaa authorization exec default group tacacs+ local\n",
    "clock timezone Europe/Berlin\n",
    "ip name-server vrf MGMT 10.16.0.40\nip name-server vrf MGMT 10.16.0.41 priority 1\n",
    "ntp server vrf MGMT 10.16.0.30 prefer\nntp server vrf MGMT ntp.example.net\n",
    "logging trap warnings\nlogging vrf MGMT host 10.16.0.50\n",
    "snmp-server user poller READERS v3 auth sha <env:FABRICGEN_AUTH> priv aes <env:FABRICGEN_PRIVACY>\n",
    "no snmp-server vrf default\nsnmp-server vrf MGMT\n",
    "   ssl profile MANAGEMENT\n      certificate switch.crt key switch.key\n",
)


def config(device: str, *sets: str, name: str = "leaf-spine") -> str:
    return files_of(name, *sets)[f"configs/{device}/{device}.cfg"]


def render(switch: SwitchView) -> str:
    (text,) = (c.decode() for _, c in Renderer(RenderOptions()).files(switch, cluster_of("leaf-spine").design.catalog))
    return text


def leaf(*sets: str) -> SwitchView:
    return next(s for s in cluster_of("leaf-spine", *ALL_EOS, *sets).switches() if s.is_lowest)


def managed(management: Management) -> SwitchView:
    switch = leaf()
    return replace(switch, fabric=switch.fabric._replace(management=management))


def test_accounts_and_servers() -> None:
    text = config(LEAF, *ALL_EOS, *MANAGED)
    for lines in ACCOUNTS_AND_SERVERS:
        assert f"\n{lines}" in text


def test_in_band_switches_reach_servers_in_the_default_vrf() -> None:
    text = config("oob-spine-01", *COPPER, *MANAGED, name="mi300x-roce")
    assert "MGMT" not in text
    assert "\nntp server 10.16.0.30 prefer\n" in text
    assert "\nip name-server vrf default 10.16.0.40\n" in text
    assert "\ntacacs-server host 10.16.0.20 key 0 <env:FABRICGEN_TACACS>\n" in text
    assert "snmp-server vrf" not in text


def test_radius_and_the_admin_that_is_given() -> None:
    text = config(LEAF, *ALL_EOS, *RADIUS)
    assert "\nusername admin privilege 15 role network-admin secret sha512 <env:FABRICGEN_OPS>\n" in text
    assert "no username admin" not in text
    assert "\nradius-server host 10.16.0.20 vrf MGMT key 0 <env:FABRICGEN_RADIUS>\n" in text
    assert "\naaa authentication login default group radius local\n" in text


def test_local_accounts_get_their_privilege() -> None:
    text = render(managed(Management(users={"ops": User(password="env:FABRICGEN_OPS")})))
    assert "\naaa authorization exec default local\n" in text
    assert "aaa authentication" not in text


def test_nothing_asked_is_nothing_said() -> None:
    text = config(LEAF, *ALL_EOS, "management={ntp: [], syslog: {servers: []}}")
    for word in (
        "username",
        "aaa auth",
        "server host",
        "ntp",
        "name-server",
        "logging",
        "snmp",
        "banner",
        "gnmi",
        "ssl",
    ):
        assert word not in text


def test_a_banner_ends_where_it_ends() -> None:
    text = config(LEAF, *ALL_EOS, *MANAGED)
    assert "\nbanner login\nKeep out!\n[EOF]\nrouter bgp 1\nEOF\n!\nbanner motd\n  {{ hostname }}\nEOF\n!\n" in text
    tree = tree_of(text)
    assert "router bgp 1" not in tree
    assert list_banner_lines("a\r\n EOF \x0bEOF\x1c\tEOF\u2028EOF\x85b") == [
        "a",
        "[EOF]",
        "[EOF]",
        "[EOF]",
        "[EOF]",
        "b",
    ]


@given(st.text())
@pytest.mark.slow
def test_no_text_ends_a_banner_or_leaves_its_line(text: str) -> None:
    for line in list_banner_lines(text):
        assert line.strip() != "EOF"
        assert line.isascii()
        assert line.isprintable()
    assert len(make_one_line(text).splitlines()) == 1
    assert make_one_line(text).isprintable()


def hostile_switch() -> SwitchView:
    """Every free text that a configuration takes, hostile at once."""
    asked = Management(
        snmp=Snmp.model_construct(users={}, location=HOSTILE, contact=HOSTILE),
        banner=Banner.model_construct(login=HOSTILE, motd=HOSTILE),
    )
    switch = managed(asked)
    settings = switch.ports[0].settings.model_copy(update={"description": HOSTILE})
    ports = tuple(replace(p, peer=HOSTILE, peer_port=HOSTILE, cable=HOSTILE) for p in switch.ports)
    return replace(switch, site=HOSTILE, rack=HOSTILE, ports=(replace(ports[0], settings=settings), *ports[1:]))


def outline(tree: Tree) -> list[object]:
    """A tree without its free texts."""
    free = ("description ", "snmp-server location ", "snmp-server contact ", "banner login\n", "banner motd\n")
    found: list[object] = []
    for line, below in tree.items():
        kind = next((word for word in free if line.startswith(word)), "")
        if not kind and line.startswith("neighbor "):
            kind = line.partition(" description ")[0]
        found.append((kind or line, outline(below)))
    return found


def test_hostile_strings_stay_in_their_place() -> None:
    evil = hostile_switch()
    tame = managed(Management(snmp=Snmp(location="hall", contact="noc"), banner=Banner(login="hello", motd="hello")))
    text = render(evil)
    assert outline(tree_of(text)) == outline(tree_of(render(tame)))
    assert text.isascii()
    assert all(line.isprintable() for line in text.splitlines())
    assert text.count("{{ 7 * 7 }}") == text.count("7 * 7") > len(evil.ports)


def snmp(name: str, auth: str) -> Snmp:
    return Snmp.model_construct(users={name: SnmpUser.model_construct(auth=auth, privacy="p")}, location="", contact="")


WORDS = {
    "user": Management.model_construct(users={HOSTILE: User.model_construct()}),
    "hash": Management(users={"ops": User.model_construct(role="admin", password=HOSTILE, ssh_keys=())}),
    "key": Management(users={"ops": User.model_construct(role="admin", password=None, ssh_keys=(f"rsa {HOSTILE}",))}),
    "aaa-host": Management(aaa=Aaa.model_construct(protocol="tacacs", servers=(HOSTILE,), key=None)),
    "aaa-key": Management(aaa=Aaa.model_construct(protocol="radius", servers=("10.0.0.1",), key=HOSTILE)),
    "ntp": Management.model_construct(ntp=(HOSTILE,)),
    "dns": Management(dns=Dns.model_construct(servers=(HOSTILE,), domain=None)),
    "domain": Management(dns=Dns.model_construct(servers=(), domain=HOSTILE)),
    "syslog": Management(syslog=Syslog.model_construct(servers=(HOSTILE,), level="error")),
    "snmp-user": Management(snmp=snmp(HOSTILE, "a")),
    "snmp-secret": Management(snmp=snmp("a", HOSTILE)),
    "tls": Management(tls=Tls.model_construct(certificate=HOSTILE, key="b")),
    "timezone": Management.model_construct(timezone=HOSTILE),
}


@pytest.mark.parametrize("management", WORDS.values(), ids=WORDS)
def test_hostile_words_are_refused(management: Management) -> None:
    with pytest.raises(ValueError, match="cannot be a"):
        render(managed(management))


def test_what_is_asked_of_routing_and_qos() -> None:
    text = config(LEAF, *ALL_EOS, *TUNED)
    assert "\nrouter bfd\n   interval 100 min-rx 100 multiplier 5 default\n" in text
    assert "   neighbor UP maximum-routes 0\n" in text
    assert "\nip hardware fib load-balance distribution dynamic\n" in text
    assert "   priority-flow-control priority 4 no-drop\n" in text
    assert "   uc-tx-queue 1\n      no priority\n      bandwidth percent 17\n" in text
    assert "   uc-tx-queue 4\n      no priority\n      bandwidth percent 83\n" in text
    assert "   uc-tx-queue 5\n      priority strict\n      shape rate 7 percent\n" in text
    assert "minimum-threshold 311 kbytes maximum-threshold 907 kbytes max-mark-probability 43 weight 0\n" in text
    assert "minimum-threshold 64 kbytes maximum-threshold 128 kbytes max-mark-probability 43 weight 0\n" in text
    assert "qos map dscp 24 25 26 27 28 30 31 to traffic-class 1\n" in text
    assert "\nqos map dscp 29 to traffic-class 4\nqos map dscp 43 to traffic-class 5\n" in text


@pytest.mark.parametrize(
    ("detect_ms", "restore_ms", "poll_ms", "action", "timeout", "recovery", "interval", "word"),
    [
        (341, 772, 130, "forward", "0.35", "0.78", "0.13", "notify-only"),
        (350, 1001, 117, "drop", "0.35", "1.01", "0.117", "drop"),
        (201, 60000, 100, "drop", "0.21", "60.00", "0.10", "drop"),
    ],
)
def test_the_watchdog_waits_no_shorter_than_asked(
    detect_ms: int, restore_ms: int, poll_ms: int, action: str, timeout: str, recovery: str, interval: str, word: str
) -> None:
    """EOS takes times in hundredths of a second, which are rounded up, and the interval in thousandths."""
    watchdog = f"{{detect_ms: {detect_ms}, restore_ms: {restore_ms}, poll_ms: {poll_ms}, action: {action}}}"
    assert (
        f"\npriority-flow-control pause watchdog default timeout {timeout}\n"
        f"priority-flow-control pause watchdog default recovery-time {recovery}\n"
        f"priority-flow-control pause watchdog default polling-interval {interval}\n"
        f"priority-flow-control pause watchdog action {word}\n"
    ) in config(LEAF, *ALL_EOS, f"qos.watchdog={watchdog}")


def test_chips_without_dynamic_load_balancing_are_spared_it() -> None:
    assert "load-balance" in config(LEAF, *TUNED, name="modular-spine")
    assert "load-balance" not in config(SPINE, *TUNED, name="modular-spine")


def test_the_users_hand_has_its_places() -> None:
    text = config(LEAF, *ALL_EOS, *BY_HAND)
    tree = tree_of(text)
    port = tree["interface Ethernet1/1"]
    assert {"description spare", "mtu 9214", "shutdown", "error-correction encoding fire-code"} <= port.keys()
    assert "no shutdown" not in port
    assert {"mtu 9000", "no error-correction encoding", "no shutdown"} <= tree["interface Ethernet1/5"].keys()
    assert "neighbor UP weight 10" in tree["router bgp 4200000001"]
    assert text.startswith("service routing protocols model multi-agent\n!\nhostname " + LEAF + "\n!\nalias first")
    assert (
        text.index("interface Ethernet64/1")
        < text.index("interface Loopback9\n   shutdown\n")
        < text.index("ip routing")
    )
    assert text.endswith("alias a show arp\nmonitor twamp\n   delay 5\nend\n")
    other = config(SPINE, *ALL_EOS, *BY_HAND)
    assert "alias first" in other
    assert "alias a " not in other


def test_secrets_stand_in_configurations_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {
        "FABRICGEN_OPS": "$6$salt$" + "a" * 86,
        "FABRICGEN_TACACS": "tacacs-key-1",
        "FABRICGEN_AUTH": "auth-phrase-1",
        "FABRICGEN_PRIVACY": "privacy-phrase-1",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    blueprint = load_blueprint(str(BLUEPRINTS / "leaf-spine.yaml"), (*ALL_EOS, *MANAGED))
    for path, content in built_files(build_cluster(build_design(blueprint))).items():
        for value in secrets.values():
            assert (value.encode() in content) == path.startswith("configs/"), path


def test_unnumbered_bgp_takes_snippets_too() -> None:
    text = config(LEAF, *ALL_EOS, *UNNUMBERED, *BY_HAND)
    assert "neighbor UP weight 10" in tree_of(text)["router bgp 4200000001"]
