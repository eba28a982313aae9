"""EOS's statements: one spelling for what EOS shows in several, and others for what does something else."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.nos.eos.statements import files_of, read_statements
from fabricgen.running.differences import load_rules
from fabricgen.running.statements import Path, Statements
from fabricgen.verify.drift.collected import recognize_configuration
from tests.render.rendered import ALL_EOS, BFD, BRIDGED, DUAL, LEAKS, MANAGED, PER_RACK, UNNUMBERED
from tests.render.rendered import files_of as rendered

LEAF = "compute-leaf-p1-su01-r1-01"
BGP = "router bgp 65000\n"
GROUP = BGP + "   neighbor UP peer group\n   neighbor 10.0.0.1 peer group UP\n"
PORT = "interface Ethernet1/1\n"


def of(text: str) -> Statements:
    return read_statements({"switch.cfg": text})


def errors(running: str, planned: str) -> list[Path]:
    return [verdict.difference.path for verdict in load_rules("eos").judge(of(running), of(planned)).errors]


@cache
def leaf(*sets: str) -> str:
    return rendered("leaf-spine", *ALL_EOS, *sets)[f"configs/{LEAF}/{LEAF}.cfg"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (PORT + "   mtu 9214\n   no shutdown\n", "int et1/1\n  mtu   9214\n  no shut\n  exit\n!\nend\n"),
        (PORT + "   switchport mode trunk\n", "interface ethernet1/1\n   sw mode trunk\n"),
        ("interface Port-Channel10\ninterface Vlan7\n", "interface Po10\ninterface Vl7\n"),
        ("interface Loopback0\ninterface Management1\n", "interface lo0\ninterface Ma1\n"),
        (PORT + "   mtu 9000\ninterface Ethernet2/1\n   mtu 9000\n", "interface Ethernet1-2/1\n   mtu 9000\n"),
        (PORT + "interface Ethernet1/2\ninterface Ethernet3/1\n", "interface Et1/1-2,3/1\n"),
        (PORT + "   speed 100g\n", PORT + "   speed forced 100gfull\n"),
        (PORT + "   vrf blue\n", PORT + "   vrf forwarding blue\n"),
        (PORT + "   ip address 10.0.0.0/31\n", PORT + "   ip address 10.0.0.0 255.255.255.254\n"),
        (PORT + "   ipv6 address fd00::1/64\n", PORT + "   ipv6 address FD00:0:0::01/64\n"),
        (PORT + "   lacp system-id 001c.7300.0099\n", PORT + "   lacp system-id 00:1C:73:00:00:99\n"),
        (PORT + "   switchport trunk allowed vlan 10-12,20\n", PORT + "   switchport trunk allowed vlan 20,10,11,12\n"),
        ("vlan 10\n   trunk group MLAG\nvlan 11\n   trunk group MLAG\n", "vlan 10-11\n   trunk group MLAG\n"),
        ("vrf instance blue\n", "vrf definition blue\n"),
        ("router bgp 65536\n   neighbor a remote-as 65537\n", "router bgp 1.0\n   neighbor a remote-as 1.1\n"),
        (
            "route-map A permit 10\n   set as-path prepend 65536\n",
            "route-map A permit 10\n   set as-path prepend 1.0\n",
        ),
        (BGP + "   vlan 7\n      rd 65536:7\n", BGP + "   vlan 7\n      rd 1.0:7\n"),
        (GROUP, GROUP.replace("peer group", "peer-group")),
        (GROUP + "   neighbor UP bfd\n", GROUP + "   neighbor UP bfd\n   neighbor 10.0.0.1 bfd\n"),
        (
            GROUP + "   address-family ipv4\n      neighbor UP activate\n",
            GROUP + "   address-family ipv4\n      neighbor UP activate\n      neighbor 10.0.0.1 activate\n",
        ),
        (
            BGP + "   neighbor interface Ethernet1/1,2/1 peer-group UP remote-as 7\n",
            BGP + "   neighbor interface Et1-2/1 peer-group UP remote-as 7\n",
        ),
        ("ip prefix-list A\n   seq 10 permit 10.0.0.0/8 le 24\n", "ip prefix-list A seq 10 permit 10.0.0.0/8 le 24\n"),
        ("ip route 10.0.0.0/8 Null0\n", "ip route 10.0.0.0 255.0.0.0 Null0\n"),
        ("ip name-server vrf default 10.0.0.1\n", "ip name-server 10.0.0.1\n"),
        ("dns domain example.net\n", "ip domain-name example.net\n"),
        ("no spanning-tree vlan-id 4094\n", "no spanning-tree vlan 4094\n"),
        (
            "qos map dscp 0 1 2 3 to traffic-class 1\n",
            "qos map dscp 3 to traffic-class 1\nqos map dscp 0-2 to traffic-class 1\n",
        ),
        (
            "interface Vxlan1\n   vxlan vlan 10 vni 1010\n   vxlan vlan 11 vni 1011\n",
            "interface Vxlan1\n   vxlan vlan 10-11 vni 1010-1011\n",
        ),
        (
            "route-map A permit 10\n   set community 65535:0 7:7\n",
            "route-map A permit 10\n   set community 7:7 GSHUT\n",
        ),
        (
            "hostname a\n",
            "! Command: show running-config\n! device: a (DCS-7060X6, EOS-4.34.1F)\n!\nhostname a\n!\nend\n",
        ),
        (
            "management ssh\n   vrf MGMT\n      no shutdown\n",
            "management ssh\n   !\n   vrf MGMT\n      no shutdown\n   exit\n",
        ),
        ("hostname a\n", "a#term len 0\na#sh run | no-more\nhostname a\n!\nend\na(config)#exit\na>\n"),
        ("logging vrf MGMT host 10.0.0.1\n", "logging vrf MGMT host 10.0.0.1 514 protocol udp\n"),
        ("banner motd\n! a\n  b\nEOF\nhostname a\n", "hostname a\n!\nbanner motd\n! a\n  b\nEOF\n!\n"),
    ],
)
def test_what_eos_shows_in_several_ways_has_one_spelling(written: str, shown: str) -> None:
    assert of(shown) == of(written)
    assert of(files_of(of(shown))["switch.cfg"]) == of(written)


@pytest.mark.parametrize(
    ("planned", "added", "path"),
    [
        (PORT, "   shutdown\n", ("interface Ethernet1/1", "shutdown")),
        (PORT, "   no lldp transmit\n", ("interface Ethernet1/1", "no lldp transmit")),
        (PORT + "   mtu 9214\n", "   mtu 1500\n", ("interface Ethernet1/1", "mtu")),
        (PORT, "   no priority-flow-control\n", ("interface Ethernet1/1", "no priority-flow-control")),
        (PORT, "   ip access-group BLOCK in\n", ("interface Ethernet1/1", "ip access-group … in")),
        (GROUP, "   neighbor UP shutdown\n", ("router bgp", "neighbor UP shutdown")),
        (GROUP, "   neighbor 10.0.0.1 shutdown\n", ("router bgp", "neighbor 10.0.0.1 shutdown")),
        (GROUP, "   shutdown\n", ("router bgp", "shutdown")),
        (GROUP, "   no neighbor 10.0.0.1 bfd\n", ("router bgp", "neighbor 10.0.0.1 bfd")),
        (GROUP, "   neighbor UP weight 100\n", ("router bgp", "neighbor UP weight 100")),
        (GROUP, "   neighbor UP ttl maximum-hops 1\n", ("router bgp", "neighbor UP ttl maximum-hops 1")),
        (GROUP, "   neighbor 10.0.0.1 timers 30 90\n", ("router bgp", "neighbor 10.0.0.1 timers")),
        (GROUP, "   neighbor 10.0.0.1 password 7 0822\n", ("router bgp", "neighbor 10.0.0.1 password")),
        (
            GROUP + "   neighbor UP route-map A in\n",
            "   neighbor UP route-map B in\n",
            ("router bgp", "neighbor UP route-map … in"),
        ),
        (
            GROUP + "   address-family ipv4\n      neighbor UP activate\n",
            "      no neighbor 10.0.0.1 activate\n",
            ("router bgp", "address-family ipv4", "neighbor 10.0.0.1 activate"),
        ),
        ("", "maintenance\n   unit ALL\n      quiesce\n", ("maintenance", "unit ALL", "quiesce")),
        ("", "ip route 203.0.113.0/24 Null0\n", ("ip route 203.0.113.0/24 Null0",)),
        ("", "agent Bfd shutdown\n", ("agent Bfd shutdown",)),
        ("", "vlan 77\n", ("vlan 77",)),
        ("", "vrf instance red\n", ("vrf instance red",)),
        ("", "no lldp run\n", ("no lldp run",)),
        ("", "ip access-list BLOCK\n   10 deny ip any any\n", ("ip access-list BLOCK", "10")),
        ("", "ip load-sharing trident fields ip source-ip\n", ("ip load-sharing trident fields ip source-ip",)),
        ("", "daemon Mine\n   exec /mnt/flash/mine\n", ("daemon Mine", "exec /mnt/flash/mine")),
        (
            "username a privilege 1 role network-operator nopassword\n",
            "username a ssh-key ssh-rsa A\n",
            ("username a ssh-key",),
        ),
        (
            "tacacs-server host 10.0.0.1\ntacacs-server host 10.0.0.2\n",
            "tacacs-server host 10.0.0.3\n",
            ("tacacs-server host 10.0.0.3",),
        ),
    ],
)
def test_what_does_something_is_an_error_at_its_place(planned: str, added: str, path: Path) -> None:
    assert path in errors(planned + added, planned)
    assert not errors(planned, planned)


def test_the_order_of_servers_and_of_sequence_numbers_is_compared() -> None:
    servers = ["tacacs-server host 10.0.0.1\n", "tacacs-server host 10.0.0.2\n"]
    assert errors("".join(servers[::-1]), "".join(servers)) == [("order of tacacs-server host",)]
    rules = "ip prefix-list A\n   seq 10 permit 10.0.0.0/8\n   seq 20 permit 11.0.0.0/8\n"
    swapped = rules.replace("seq 10", "seq 30").replace("seq 20", "seq 10").replace("seq 30", "seq 20")
    assert len(errors(swapped, rules)) == 2


def test_secrets_are_no_part_of_a_path_or_a_value() -> None:
    text = leaf(*MANAGED).replace("<env:FABRICGEN_OPS>", "$6$hush$hush").replace("<env:FABRICGEN_TACACS>", "hush")
    stated = of(text)
    assert {path[-1] for path, value in stated.items() if "hush" in value} == {"secret of secret", "secret of key"}
    assert not any("hush" in step for path in stated for step in path)
    assert not errors(text, leaf(*MANAGED))
    assert errors(re.sub(r" key 0 hush", "", text), leaf(*MANAGED))


def test_several_values_of_one_line_are_all_stated() -> None:
    """EOS has the last one; text that has both is no export of it, and is not taken for the plan."""
    assert of(PORT + "   mtu 9214\n   mtu 1500\n")["interface Ethernet1/1", "mtu"] == "9214; 1500"


def test_banners_that_never_end_are_lines() -> None:
    assert of("EOF\n" + "banner motd\n" * 20_000) == {("EOF",): "", ("banner motd",): ""}


@pytest.mark.parametrize("line", ["interface Et1-99999999", "vlan 1-99999999999", "router bgp 1.2.3"])
def test_a_range_that_cannot_be_is_a_line_in_its_own_words(line: str) -> None:
    assert of(line) == {(line,): ""}


def test_lines_that_name_too_much_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fabricgen.nos.eos.statements.MOST_STATEMENTS", 5000)
    with pytest.raises(ValueError, match="more than 5000 statements"):
        of("interface Ethernet1-4096\n   mtu 9000\n   shutdown\n")


@given(st.text(alphabet="interface Et1/-,vlan nobgp\n 0=…:;", max_size=80))
def test_any_text_is_read_and_nothing_of_it_is_lost(text: str) -> None:
    lines = {line.split()[-1] for line in text.splitlines() if line.split()}
    try:
        stated = of(text)
    except ValueError:
        return
    assert bool(stated) or lines <= {"exit", "end"}


SHOWN_BESIDE = """\
! Command: show running-config
! device: a (DCS-7060DX5-64S, EOS-4.34.1F)
!
! boot system flash:/EOS.swi
!
transceiver qsfp default-mode 4x10G
!
no service interface inactive port-id allocation disabled
!
agent KernelFib environment KERNELFIB_PROGRAM_ALL_ECMP=1
!
system l1
   unsupported speed action error
   unsupported error-correction action error
!
daemon TerminAttr
   exec /usr/bin/TerminAttr -cvaddr=10.0.0.9:9910 -taillogs
   no shutdown
!
enable password sha512 $6$a$b
!
username probe privilege 1 role network-operator secret sha512 $6$a$b
!
alias routes show ip route
!
management api http-commands
   no shutdown
   !
   vrf MGMT
      no shutdown
!
ip access-list SAFE
   10 permit icmp any any
   20 deny tcp any any eq ssh
   30 permit ip any any
!
system control-plane
   ip access-group SAFE in
!
"""
"""Lines of EOS's own, and of other people."""


def as_shown(text: str) -> str:
    """As EOS shows it: with its head, lines of its own and other people's, without defaults."""
    text = re.sub(r"^ +(?:switchport mode access|priority strict)\n|^   no shutdown\n", "", text, flags=re.M)
    text = re.sub(r"^qos map (?:dscp 0 .*|traffic-class .*)\n", "", text, flags=re.M)
    text = re.sub(r"^(interface Ethernet(\d+)/1\n(?: .*\n)*)", r"\1!\ninterface Ethernet\2/2\n", text, flags=re.M)
    return f"{SHOWN_BESIDE}{text}"


def in_dots(text: str) -> str:
    """With AS numbers in dots, and the line that has EOS show them so."""

    def dotted(match: re.Match[str]) -> str:
        return re.sub(r"\d{6,}", lambda number: f"{int(number[0]) >> 16}.{int(number[0]) & 65535}", match[0])

    text = re.sub(
        r"^.*(?:router bgp|remote-as|as-path prepend|rt|route-target \S+ \S+|rd) .*$", dotted, text, flags=re.M
    )
    return re.sub(r"^(router bgp .*)$", r"\1\n   bgp asn notation asdot", text, flags=re.M)


def in_short(text: str) -> str:
    """As people type it, without indented comments."""
    words = {
        "interface Ethernet": "int Et",
        "interface Port-Channel": "int po",
        "no switchport": "no sw",
        "description": "desc",
    }
    words |= {"no shutdown": "no shut", "   ip address": "   ip addr", "neighbor ": "neigh ", "remote-as": "remote"}
    for word, short in words.items():
        text = text.replace(word, short)
    return text


def in_another_order(text: str) -> str:
    """With its sections, and the lines of each port, in a seeded order of no meaning."""
    draw = random.Random(52)
    chunks = re.findall(r"^(?:banner .*\n(?:.*\n)*?EOF\n|[^! \n].*\n(?:[ !]+.*\n)*)", text, flags=re.M)
    kept = [chunk for chunk in chunks if not chunk.startswith("end")]
    servers = [chunk for chunk in kept if re.match("(?:tacacs|radius)-server", chunk)]
    others = [chunk for chunk in kept if chunk not in servers]
    draw.shuffle(others)
    return "".join([*servers, *others])


def as_json(text: str) -> str:
    """`show running-config | json`, as its reader gives it on."""
    root: dict[str, object] = {}
    inside: list[tuple[int, dict[str, object]]] = [(-1, root)]
    for line in text.splitlines():
        words, indent = line.strip(), len(line) - len(line.lstrip())
        if words and words != "!":
            while inside[-1][0] >= indent:
                inside.pop()
            cmds: dict[str, object] = {}
            inside[-1][1][words] = {"cmds": cmds, "comments": []}
            inside.append((indent, cmds))
    told = recognize_configuration(json.dumps({"header": [], "comments": [], "cmds": root}))
    assert told is not None
    return told.files["switch.cfg"]


@pytest.mark.parametrize("spelled", [as_shown, in_dots, in_short, in_another_order, as_json])
@pytest.mark.parametrize(
    "sets",
    [(), MANAGED[:-1], (*DUAL, *LEAKS), (*UNNUMBERED, *BRIDGED, *BFD), PER_RACK],
    ids=["plain", "managed", "leaks", "unnumbered", "per rack"],
)
def test_the_same_configuration_in_another_spelling_has_no_error(
    sets: tuple[str, ...], spelled: Callable[[str], str]
) -> None:
    assert spelled(leaf(*sets)) != leaf(*sets)
    assert errors(spelled(leaf(*sets)), leaf(*sets)) == []
