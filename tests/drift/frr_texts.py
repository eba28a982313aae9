"""Every frr.conf of the examples, and what happens to one on a switch: lines lost, changed, added, spelled otherwise.

Nothing here is of the reader that is judged: sections are those of the indentation that a build writes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from ipaddress import ip_network
from typing import NamedTuple

from tests.render.rendered import EXAMPLES, files_of

ENDS = re.compile(r" *(?:!|exit|exit-\S+)")
"""Lines that end a section, or are none."""

Lines = list[str]

PARTS = 8
"""In so many tests are cases parted that are known only once all examples are rendered."""


class Fault(NamedTuple):
    """A text that is not as planned: the line in question, as it was and as it is, and those of the sections above."""

    text: str
    lines: tuple[str, ...]
    above: tuple[str, ...] = ()


SHAPES = (
    "collapsed-pair/compute-leaf-01",
    "colossus-200k/compute-core-r1-spine1-01",
    "colossus-200k/compute-leaf-p1-su01-r1-01",
    "colossus-200k/compute-spine-p1-r1-01",
    "evpn-guests/compute-leaf-p1-su01-01",
    "evpn-guests/compute-spine-01",
    "full-cluster/inband-border-01",
    "full-cluster/inband-leaf-p1-su01-r1-01",
    "full-cluster/inband-spine-01",
    "host-vlans/inband-leaf-01",
    "mixed-speeds/compute-leaf-p1-su01-rg1-01",
    "mixed-speeds/compute-spine-01",
    "monday/compute-leaf-p1-su01-01",
    "monday/compute-spine-01",
    "monday/inband-border-01",
    "monday/inband-leaf-01",
    "monday/inband-spine-01",
    "monday/oob-leaf-p1-su01-01",
    "small-pair/oob-leaf-01",
    "superpod-b300/compute-leaf-p1-su01-r1-pl1-01",
    "tenants/storage-leaf-01",
    "top-of-rack/compute-leaf-p1-su01-rk01-01",
    "top-of-rack/compute-spine-01",
    "two-exits/compute-border-01",
    "two-exits/compute-leaf-p1-su01-r1-01",
    "two-exits/compute-spine-01",
    "two-generations/storage-leaf-01",
)
"""One switch, as EXAMPLE/DEVICE, of those of all examples whose frr.conf differ in numbers alone: stated, so that tests
are collected without rendering all examples; a test holds it to them."""


@cache
def example_texts() -> dict[str, str]:
    """Each different frr.conf of the examples, by EXAMPLE/DEVICE."""
    names: dict[str, str] = {}
    for example in EXAMPLES:
        for path, text in sorted(files_of(example).items()):
            if path.endswith("/frr.conf"):
                names.setdefault(text, f"{example}/{path.split('/')[-2]}")
    return {name: text for text, name in names.items()}


def find_shapes() -> tuple[str, ...]:
    """The first of those frr.conf that differ in numbers alone, by EXAMPLE/DEVICE."""
    shapes: dict[str, str] = {}
    for name, text in example_texts().items():
        shapes.setdefault(re.sub(r"[0-9]+", "0", text), name)
    return tuple(shapes.values())


def shape_text(name: str) -> str:
    """The frr.conf of EXAMPLE/DEVICE."""
    example, device = name.split("/")
    return files_of(example)[f"configs/{device}/frr.conf"]


def lines_above(lines: Sequence[str], at: int) -> tuple[str, ...]:
    """The lines of the sections that a line stands in."""
    above, indent = [], indent_of(lines[at]) + bool(ENDS.fullmatch(lines[at]))
    for line in reversed(lines[:at]):
        if indent_of(line) < indent and not ENDS.fullmatch(line):
            above.append(line)
            indent = indent_of(line)
    return tuple(above)


def indent_of(line: str) -> int:
    """How far in a line is."""
    return len(line) - len(line.lstrip())


def lines_taken_away(text: str) -> Iterator[Fault]:
    """Yield a text without each of its lines."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        yield Fault("\n".join(lines[:at] + lines[at + 1 :]), (line,), lines_above(lines, at))


def words_changed(text: str) -> Iterator[Fault]:
    """Yield a text with each number of it one higher, and each word of it longer by a letter.

    A number that leaves a prefix what it is (10.0.0.0/8, 10.0.0.1/8) is left alone.
    """
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.strip() == "!":
            continue
        for changed in _changes(line):
            yield Fault("\n".join([*lines[:at], changed, *lines[at + 1 :]]), (line, changed), lines_above(lines, at))


def _changes(line: str) -> Iterator[str]:
    for word in re.finditer(r"\S+", line):
        numbers = list(re.finditer(r"[0-9]+", word[0]))
        for number in numbers:
            new = f"{word[0][: number.start()]}{int(number[0]) + 1}{word[0][number.end() :]}"
            if _network(new) is None or _network(new) != _network(word[0]):
                yield f"{line[: word.start()]}{new}{line[word.end() :]}"
        if not numbers or re.search("[A-Za-z]", word[0]):
            yield f"{line[: word.end()]}x{line[word.end() :]}"


def _network(word: str) -> object:
    try:
        return ip_network(word, strict=False) if "/" in word else None
    except ValueError:
        return None


ADDED = {
    "": (
        "interface Ethernet232\n shutdown\nexit",
        "interface Ethernet0\n ip address 10.0.0.9/31\nexit",
        "ip route 203.0.113.0/24 Null0",
        "ipv6 route 2001:db8::/32 blackhole",
        "ip route 203.0.113.0/24 10.64.0.0 vrf Vrf_elsewhere",
        "vrf Vrf_elsewhere\n ip route 203.0.113.0/24 10.64.0.0 Ethernet0\nexit-vrf",
        "vrf Vrf_elsewhere\n vni 999\nexit-vrf",
        "ip prefix-list HOSTS seq 1 deny any",
        "ip prefix-list HOSTS seq 4000 permit any",
        "bgp as-path access-list OWN seq 1 deny .*",
        "bgp community-list standard DRAINED seq 5 permit 65535:0",
        "route-map FABRIC-IN deny 1\nexit",
        "route-map FABRIC-OUT permit 1\n set as-path prepend 65000\nexit",
        "bgp graceful-shutdown",
        "bgp suppress-fib-pending",
        "no ip forwarding",
        "no ipv6 forwarding",
        "router ospf\n ospf router-id 10.0.0.1\nexit",
        "router bgp 65000 vrf Vrf_elsewhere\nexit",
        "ip protocol bgp route-map SOURCE",
        "ip nht resolve-via-default",
        "access-list ALL seq 5 deny any",
        "evpn mh startup-delay 3600",
        "bfd\n peer 10.64.0.0\n  shutdown\n exit\nexit",
        "some daemon of tomorrow",
    ),
    "router bgp": (
        "bgp shutdown",
        "bgp graceful-shutdown",
        "bgp bestpath as-path ignore",
        "bgp default shutdown",
        "bgp fast-convergence",
        "bgp listen range 10.0.0.0/8 peer-group UP",
        "bgp max-med administrative",
        "no bgp fast-external-failover",
        "neighbor 192.0.2.99 remote-as 65099",
        "neighbor {peer} shutdown",
        "neighbor {peer} shutdown message gone for lunch",
        "no neighbor {peer} capability fqdn",
        "neighbor {peer} passive",
        "neighbor {peer} timers 60 180",
        "neighbor {peer} timers connect 77",
        "neighbor {peer} ttl-security hops 1",
        "neighbor {peer} password hunter2",
        "neighbor {peer} ebgp-multihop 9",
        "neighbor {peer} update-source Loopback9",
        "neighbor {peer} graceful-shutdown",
        "neighbor {peer} local-as 65098",
        "neighbor {peer} bfd profile slow",
        "neighbor {peer} port 1179",
        "neighbor {peer} weight 100",
        "neighbor {peer} some option of tomorrow",
    ),
    "address-family": (
        "neighbor {peer} weight 100",
        "neighbor {peer} maximum-prefix 1",
        "neighbor {peer} allowas-in 1",
        "neighbor {peer} route-map NOTHING in",
        "neighbor {peer} prefix-list NOTHING out",
        "neighbor {peer} next-hop-self",
        "neighbor {peer} default-originate",
        "neighbor {peer} remove-private-AS",
        "no neighbor {peer} send-community",
        "network 203.0.113.0/24",
        "aggregate-address 203.0.113.0/24 summary-only",
        "redistribute kernel",
        "import vrf Vrf_elsewhere",
        "distance bgp 200 200 200",
    ),
}
"""Lines that a person adds by hand, by the section that they are added to; `{peer}` is each kind of neighbour."""


def lines_added(text: str) -> Iterator[Fault]:
    """Yield a text with one more line that does something, in each section where it may stand."""
    lines = text.splitlines()
    for line in ADDED[""]:
        yield Fault("\n".join([*lines, line]), tuple(line.splitlines()))
    for at, header in enumerate(lines):
        kind = next((kind for kind in ("router bgp", "address-family") if header.strip().startswith(kind)), None)
        if kind is None:
            continue
        end = next(
            n for n in range(at + 1, len(lines)) if indent_of(lines[n]) <= indent_of(header) and lines[n].strip() != "!"
        )
        peers = _peers("\n".join(_instance(lines, at)))
        for form in ADDED[kind]:
            for peer in peers if "{peer}" in form else peers[:1]:
                line = f"{' ' * (indent_of(header) + 1)}{form.format(peer=peer)}"
                if line not in lines[at:end]:
                    yield Fault(
                        "\n".join([*lines[:end], line, *lines[end:]]), (line,), (header, *lines_above(lines, at))
                    )


def _instance(lines: Sequence[str], at: int) -> Sequence[str]:
    """The lines of the instance of BGP that a line stands in."""
    starts = [n for n, line in enumerate(lines[: at + 1]) if line.startswith("router bgp")]
    return lines[starts[-1] : lines.index("exit", starts[-1])] if starts else ()


def _members(lines: Sequence[str]) -> dict[str, Lines]:
    """The members of each peer group of an instance."""
    members: dict[str, Lines] = {}
    for line in lines:
        if match := re.fullmatch(r" neighbor (\S+)(?: interface)? peer-group (\S+)", line):
            members.setdefault(match[2], []).append(match[1])
    return members


def _peers(text: str) -> list[str]:
    """The peer groups of an instance, one neighbour of each, and one that is in none."""
    members = _members(text.splitlines())
    every = re.findall(r"^ neighbor (\S+) remote-as", text, re.M)
    alone = sorted(set(every) - {peer for peers in members.values() for peer in peers})
    return [*members, *(peers[0] for peers in members.values()), *alone[:1]]


def session_lines_denied(text: str) -> Iterator[Fault]:
    """Yield a text in which a member of a peer group is denied what the group has: `no neighbor 10.0.0.1 activate`."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        words = line.split()
        if words[:1] == ["neighbor"] and words[2] != "peer-group":
            members = _members(_instance(lines, at))
            if words[1] in members:
                denied = f"{' ' * indent_of(line)}no neighbor {members[words[1]][0]} {' '.join(words[2:])}"
                yield Fault("\n".join([*lines[: at + 1], denied, *lines[at + 1 :]]), (denied,), lines_above(lines, at))


def one_of_each_shape(faults: Iterable[Fault]) -> list[Fault]:
    """Those faults whose lines, and what is done to them, differ in more than numbers."""
    shapes: dict[tuple[str, int], Fault] = {}
    before, number = "", 0
    for fault in faults:
        number = number + 1 if fault.lines[0] == before else 0
        before = fault.lines[0]
        shapes.setdefault((re.sub("[0-9]+", "0", "\n".join([before, *fault.above])), number), fault)
    return list(shapes.values())


def spellings(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the same configuration in other spellings, with what each is called."""
    lines = text.splitlines()
    yield "without indentation and comments", "\n".join(line.strip() for line in lines if line.strip() != "!")
    yield "without exit, as FRR 7 prints", "\n".join(line for line in lines if line.strip() not in ("exit", "exit-vni"))
    yield "as vtysh prints", _printed(text)
    yield "in another order", _shuffled(lines, random.Random(name))
    yield "in families of one line", _families_of_one_line(lines)
    yield "members repeat their group", _repeated(lines)
    yield "AS number of the group", _group_numbers(text)
    yield "AS numbers in dots", re.sub(r"(router bgp|remote-as|local-as) ([0-9]+)", _dotted, text)
    yield "host bits in prefixes", re.sub(r"(prefix-list .* )([0-9.]+)/([0-9]|[12][0-9]|3[01])\b", _host_bits, text)
    yield "names of communities", text.replace("65535:0", "graceful-shutdown")
    yield "defaults said", _with_defaults(lines)
    yield "what is nobody's of the plan", text + NOT_OF_THE_PLAN


def _printed(text: str) -> str:
    head = "Building configuration...\n\nCurrent configuration:\n!\nfrr version 10.0.1\n"
    return f"{head}{text}!\nvrf Vrf_of_the_kernel\nexit-vrf\n!\nend\n"


def _blocks(lines: Sequence[str], indent: int) -> list[Lines]:
    """Lines of a section, each with those below it and what ends them."""
    blocks: list[Lines] = []
    for line in lines:
        ends = ENDS.fullmatch(line) and line.strip() != "!"
        if line.strip() == "!":
            continue
        if blocks and (indent_of(line) > indent or (ends and indent_of(line) == indent)):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _shuffled(lines: Sequence[str], chance: random.Random, indent: int = 0) -> str:
    texts = []
    for header, *below in _blocks(lines, indent):
        end = [below.pop()] if below and indent_of(below[-1]) == indent else []
        inner = [_shuffled(below, chance, indent + 1)] if below else []
        texts.append("\n".join([header, *inner, *end]))
    chance.shuffle(texts)
    return "\n".join(texts)


def _families_of_one_line(lines: Sequence[str]) -> str:
    """Each line of an address family in a section of its own."""
    out: Lines = []
    family = ""
    for line in lines:
        if line.startswith(" address-family"):
            family = line
        elif line == " exit-address-family":
            family = ""
        elif family and indent_of(line) == 2 and line.strip() != "exit-vni":
            out += [family, line, *([] if re.match("  vni ", line) else [" exit-address-family"])]
        elif line.strip() == "exit-vni":
            out += [line, " exit-address-family"]
        else:
            out.append(line)
    return "\n".join(out)


def _repeated(lines: Sequence[str]) -> str:
    """What peer groups have in families, said of each member again."""
    out: Lines = []
    for at, line in enumerate(lines):
        out.append(line)
        words = line.split()
        if words[:1] == ["neighbor"] and line.startswith("  "):
            members = _members(_instance(lines, at)).get(words[1], [])
            out += [f"  neighbor {peer} {' '.join(words[2:])}" for peer in members]
    return "\n".join(out)


def _group_numbers(text: str) -> str:
    """The AS number at the peer group where all its members have one."""

    def of_instance(match: re.Match[str]) -> str:
        block = match[0]
        asns = dict(re.findall(r"^ neighbor (\S+) remote-as (\d+)$", block, re.M))
        for group, peers in _members(block.splitlines()).items():
            if len({asns[peer] for peer in peers}) == 1:
                header = f" neighbor {group} peer-group\n"
                block = block.replace(header, f"{header} neighbor {group} remote-as {asns[peers[0]]}\n")
                for peer in peers:
                    block = block.replace(f" neighbor {peer} remote-as {asns[peer]}\n", "")
        return block

    return re.sub(r"^router bgp .*?^exit$", of_instance, text, flags=re.M | re.S)


def _dotted(match: re.Match[str]) -> str:
    number = int(match[2])
    return f"{match[1]} {number >> 16}.{number & 0xFFFF}"


def _host_bits(match: re.Match[str]) -> str:
    first, _, last = match[2].rpartition(".")
    return f"{match[1]}{first}.{int(last) | 1}/{match[3]}"


def _with_defaults(lines: Sequence[str]) -> str:
    out: Lines = []
    for line in lines:
        out.append(line)
        if line.startswith("router bgp"):
            out += [" bgp network import-check", " no bgp shutdown", " bgp default local-preference 100"]
        elif line.startswith(" address-family ipv"):
            out += ["  distance bgp 20 200 200", "  no neighbor 192.0.2.1 activate"]
        elif match := re.fullmatch(r" neighbor (\S+) remote-as .*", line):
            out += [f" no neighbor {match[1]} shutdown", f" no neighbor {match[1]} passive"]
    return "\n".join(out)


NOT_OF_THE_PLAN = """log facility local4
log timestamp precision 6
no fpm use-next-hop-groups
fpm address 127.0.0.1
service password-encryption
password 8 tyniBlUdAxYEM
enable password 8 hswtIjERPN9wU
debug bgp updates in
agentx
!
access-list ADMIN seq 5 permit 10.0.0.0/8
line vty
 access-class ADMIN
 exec-timeout 5 0
exit
!
"""
"""Logging, terminals and SNMP of FRR, and what SONiC adds to each frr.conf."""
