"""FRR's configuration as statements in one spelling, and statements as text that FRR accepts.

The section of a line follows from its words, as in vtysh, never from its indentation. All spellings of which FRR's
`show running-config` prints one have the same path and value: the order of lines, `exit` and `!`, addresses and
prefixes, AS numbers in dots, names of communities, sequence numbers that FRR chooses, and options of a neighbour that
repeat those of its peer group.

Words: docs.frrouting.org, user guide (bgp, routemap, filter, static, basic). Spellings of FRR: what its daemons print
(bgpd/bgp_vty.c, bgp_config_write), and tools/frr-reload.py, which compares texts of both kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from ipaddress import ip_address, ip_interface, ip_network
from typing import NamedTuple

from fabricgen.running.statements import MOST_DEEP, Path, Statements

NOT = "no"
"""The value of a line that begins with `no`; any other value follows it."""

OVERRIDES = "no, unlike "
"""The value of a `no` line of a neighbour whose peer group has the option; the name of the group follows."""

_VTYSH_OUTPUT = re.compile(
    r"Building configuration\.\.\.|Current configuration:|[\w.-]+[#>](?: (?:vtysh|sho?w? run).*)?"
)
"""Output around a configuration: vtysh's own lines, and a terminal's prompts."""

_OPENERS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "": r"router \S+.*|interface \S+.*|vrf \S+|route-map \S+ (?:permit|deny) \d+|line vty|key chain \S+|bfd"
        r"|segment-routing|nexthop-group \S+|pbr-map \S+ seq \d+|rpki|mpls ldp|pseudowire \S+",
        "router": r"address-family .+|segment-routing srv6|bmp targets \S+|vnc \S+.*|vrf-policy \S+",
        "address-family": r"vni \d+",
        "bfd": r"(?:peer|profile) .+",
        "key": r"key \d+",
    }.items()
}
"""Lines that open a section, by the first word of the section that contains them; those of "" end all others
(tools/frr-reload.py, ctx_keywords)."""

_TOP_LEVEL = re.compile(
    r"(?:no )?(?:(?:ip|ipv6) (?:prefix-list|access-list|as-path|community-list|forwarding)\b.*"
    r"|bgp (?:as-path access-list|(?:large-|ext)?community-list) .*"
    r"|(?:hostname|log|frr|service|debug|password|enable|access-list|banner|fpm|zebra) .*|agentx)"
)
"""Lines that end all sections that they are in: FRR 7 prints no `exit` after route-maps and BGP."""

_ROUTE = re.compile(r"(ip(?:v6)? route \S+) (.+?)(?: vrf (\S+))?")

_CLOSERS = {"exit-address-family": "address-family", "exit-vni": "vni", "exit-vrf": "vrf"}

_EMPTY_SECTIONS = ("address-family", "interface", "vrf", "line", "bfd")
"""Sections that have no effect if they are empty: FRR prints them for objects of the kernel."""

_LIST_RULE = re.compile(
    r"((?:ip|ipv6) prefix-list|bgp as-path access-list|(?:ipv6 )?access-list"
    r"|bgp (?:large-|ext)?community-list(?: standard| expanded)?) (\S+) (?:seq (\d{1,10}) )?((?:permit|deny)\b.*)"
)

_NEIGHBOR_OPTION = re.compile(
    r"(remote-as|peer-group|password|timers(?: connect| delayopen)?|bfd profile|bfd strict|bfd(?= \d|$)|update-source"
    r"|ebgp-multihop|local-as|local-role|weight|maximum-prefix|maximum-prefix-out|allowas-in|ttl-security hops"
    r"|advertisement-interval|interface|attribute-unchanged|shutdown|default-originate|port|tcp-mss|soo"
    r"|unsuppress-map|capability orf prefix-list|path-attribute \S+|remove-private-AS"
    r"|addpath-tx-\S+|description)(?: (.+))?"
)
"""Options of a neighbour with their values; other options have no value."""

_NEIGHBOR_FILTER = re.compile(r"(route-map|prefix-list|filter-list|distribute-list) (\S+) (in|out)")

_OPTION = re.compile(
    r"(hostname|frr (?:defaults|version)|log (?:syslog|file|stdout|facility|record-priority|timestamp precision)"
    r"|bgp (?:router-id|cluster-id|default local-preference|suppress-fib-pending|graceful-restart \S+-time)|timers bgp"
    r"|maximum-paths ibgp|maximum-paths(?! ibgp)|redistribute (?:connected|static|kernel|local)|rd|vni"
    r"|(?:network|aggregate-address) \S+"
    r"|import vrf route-map|match (?:ip|ipv6) (?:address|next-hop)(?: prefix-list)?"
    r"|match (?:as-path|interface|source-vrf|tag|community|metric|local-preference|peer|evpn \S+)"
    r"|set (?:as-path prepend last-as|as-path prepend(?! last-as)|community|large-community|metric|weight|tag|src"
    r"|local-preference|extcommunity \S+|ip next-hop|ipv6 next-hop \S+)"
    r"|(?:password|enable password|evpn mh (?:es-id|es-sys-mac|startup-delay|mac-holdtime|neigh-holdtime|es-df-pref)"
    r"|description|on-match|call|continue))(?: (.+))?"
)
"""Other options with their values."""

_COMMUNITIES = {
    "internet": "0:0",
    "graceful-shutdown": "65535:0",
    "accept-own": "65535:1",
    "route-filter-translated-v4": "65535:2",
    "route-filter-v4": "65535:3",
    "route-filter-translated-v6": "65535:4",
    "route-filter-v6": "65535:5",
    "llgr-stale": "65535:6",
    "no-llgr": "65535:7",
    "accept-own-nexthop": "65535:8",
    "blackhole": "65535:666",
    "no-export": "65535:65281",
    "no-advertise": "65535:65282",
    "local-AS": "65535:65283",
    "no-peer": "65535:65284",
}
"""Names that FRR prints in place of numbers (bgpd/bgp_community.h)."""

_DEFAULTS = {"ebgp-multihop": "255", "allowas-in": "3"}
"""Numbers that FRR leaves out: MAXTTL and BGP_ALLOWAS_IN_DEFAULT (bgpd/bgp_vty.c, bgp_config_write_peer_*)."""

_PLAIN = ("description", "remark", "password", "message")
"""Words after which text is kept as it is."""


def read_statements(files: Mapping[str, str]) -> Statements:
    """Return the statements of `frr.conf`, which may be what `vtysh -c 'show running-config'` prints.

    A path has the sections above a line, `neighbor NAME` if it is of a neighbour or peer group, and what is set; the
    value is what it is set to: `("router bgp", "neighbor UP", "timers connect")` is "10". Raises nothing for any text:
    a line that is not known is a statement of its own.
    """
    reader = _FrrReader()
    for line in files["frr.conf"].splitlines():
        reader.read(line)
    return _drop_redundant(reader.stated)


class _FrrStatement(NamedTuple):
    """What a line states: its path is the first `depth` steps of the current section, followed by `steps`."""

    steps: Path
    value: str
    depth: int = MOST_DEEP


class _FrrLine(NamedTuple):
    """What a line says by itself, before it is known in which section it stands."""

    closes: str = ""
    """The first word of the section that it ends: `exit` for the innermost one, `end` for all."""
    opens: tuple[str, ...] = ()
    """First words of the sections in which it opens another; "" for a section that ends all others."""
    section: str = ""
    """The path step of the section that it opens."""
    header: tuple[_FrrStatement, ...] = ()
    """The statements of a line that opens a section."""
    leaves: bool = False
    """Whether it ends all sections."""
    is_route: bool = False
    """Whether it ends all sections except that of a VRF."""
    stated: tuple[_FrrStatement, ...] = ()
    """The statements of a line that opens no section."""
    list_name: str = ""
    number: int = 0
    """Its number in the list `list_name`, 0 for the next one."""


class _FrrReader:
    """The statements of the lines read so far, and the section that the next line stands in."""

    def __init__(self) -> None:
        self.stated: Statements = {}
        self._section: Path = ()
        self._last: dict[str, int] = {}

    def read(self, text: str) -> None:
        """Take a line: it closes sections, opens one, or states something in the section that it stands in."""
        line = _read_line(text)
        if line.closes:
            self._section = self._section[: self._depth_without(line.closes)]
        elif line.opens and (depth := self._depth_for(line.opens)) is not None:
            self._section = self._section[:depth]
            self._add_statements(line.header)
            self._section += (line.section,)
        else:
            if line.leaves or (line.is_route and not "".join(self._section[:1]).startswith("vrf ")):
                self._section = ()
            self._add_statements(line.stated, f" seq {self._number_entry(line)}" if line.list_name else "")

    def _add_statements(self, statements: tuple[_FrrStatement, ...], ending: str = "") -> None:
        """Add statements in the current section; `ending` is added to the last step of each path."""
        for steps, value, depth in statements:
            self.stated[(*self._section[:depth], *steps[:-1], steps[-1] + ending)] = value

    def _depth_without(self, kind: str) -> int:
        """Return how many steps of the section stay after one of a kind ends; `end` ends all, `exit` the innermost."""
        if kind == "end":
            return 0
        depths = [depth for depth, step in enumerate(self._section) if kind == "exit" or step.startswith(kind)]
        return depths[-1] if depths else len(self._section)

    def _depth_for(self, kinds: tuple[str, ...]) -> int | None:
        """Return how many steps of the section stay open where a line opens one below a section of some kinds (first
        words, "" for the top); None if none of these is open. An address family, for example, ends the one before it.
        """
        depths = range(len(self._section), 0, -1)
        below = next((depth for depth in depths if self._section[depth - 1].partition(" ")[0] in kinds), None)
        # "" in `kinds`: it may open at the top, too
        return 0 if below is None and "" in kinds else below

    def _number_entry(self, line: _FrrLine) -> int:
        """Return the number of a list's entry; without one FRR counts on in fives.

        Lists of BGP go on at the next multiple of five (bgpd/bgp_filter.c, bgp_alist_new_seq_get), others five behind
        the last number (lib/filter_cli.c, acl_get_seq).
        """
        last = self._last.get(line.list_name, 0)
        number = line.number or (last // 5 * 5 if line.list_name.startswith("bgp") else last) + 5
        self._last[line.list_name] = max(last, number)
        return number


@lru_cache(maxsize=1 << 14)
def _read_line(line: str) -> _FrrLine:
    """Return what a line says by itself, whatever section it stands in."""
    words = line.split()
    if not words or words[0][0] in "!#" or _VTYSH_OUTPUT.fullmatch(" ".join(words)):
        return _FrrLine()
    if words in (["end"], ["exit"], ["quit"]):
        return _FrrLine(closes=words[0].replace("quit", "exit"))
    if kind := _CLOSERS.get(words[0]):
        return _FrrLine(closes=kind)
    text = _normalize_words(words)
    denied, positive = text.startswith("no "), text.removeprefix("no ")
    # a line is read wherever it stands, since `read` alone knows its section and this is remembered
    section, *header = _list_opening_statements(text)
    statements = [
        (steps, f"{NOT} {value}".rstrip() if denied else value, depth)
        for steps, value, depth in _list_line_statements(positive)
    ]
    listed = _LIST_RULE.fullmatch(_rename_ip_list(positive))
    return _FrrLine(
        opens=tuple(kind for kind, pattern in _OPENERS.items() if pattern.fullmatch(text)),
        section=section.steps[-1],
        header=tuple(header),
        leaves=_TOP_LEVEL.fullmatch(text) is not None,
        is_route=_ROUTE.fullmatch(positive) is not None,
        stated=tuple(_FrrStatement(*statement) for statement in statements),
        list_name=f"{listed[1]} {listed[2]}" if listed else "",
        number=int(listed[3] or 0) if listed else 0,
    )


def _list_opening_statements(text: str) -> Iterator[_FrrStatement]:
    """Yield a statement for the step of the section that a line opens, then those that the line makes by itself."""
    step, value = text, ""
    if match := re.fullmatch(r"router bgp (\d+)((?: (?:vrf|view) \S+)?)(?: as-notation (\S+))?", text):
        step, value = f"router bgp{match[2]}", match[1]
    elif match := re.fullmatch(r"route-map (\S+) (permit|deny) (\d+)", text):
        step, value = f"route-map {match[1]} {match[3]}", match[2]
    elif match := re.fullmatch(r"address-family (?:(ipv[46])|evpn)", text):
        step = f"address-family {match[1]} unicast" if match[1] else "address-family l2vpn evpn"
    elif text.startswith("interface "):
        step = text.partition(" vrf ")[0]
    yield _FrrStatement((step,), value)
    if not step.startswith(_EMPTY_SECTIONS):  # else it says nothing while it is empty
        yield _FrrStatement((step,), value)
    if step.startswith("router bgp") and " as-notation " in text:
        yield _FrrStatement((step, "as-notation"), text.rpartition(" ")[2])


def _rename_ip_list(text: str) -> str:
    """Return the line of a list under its present name: lists of BGP were once called IP's."""
    return re.sub(r"^ip (as-path|community-list)", r"bgp \1", text)


def _list_line_statements(text: str) -> Iterator[_FrrStatement]:
    """Yield what a line that opens no section states; `text` is without a leading `no`."""
    if match := _LIST_RULE.fullmatch(_rename_ip_list(text)):
        yield _FrrStatement((f"{match[1]} {match[2]}",), _normalize_rule(match[1], match[4]))
    elif text.startswith("neighbor ") and text.count(" ") > 1:
        yield from _list_neighbor_statements(*text.split(" ", 2)[1:])
    elif match := re.fullmatch(r"route-target (both|import|export) (.+)", text):
        for direction in ("import", "export") if match[1] == "both" else (match[1],):
            yield from (_FrrStatement((f"route-target {direction} {target}",), "") for target in match[2].split())
    elif match := _ROUTE.fullmatch(text):
        hops, value = _split_hops(match[2])
        vrf = (f"vrf {match[3]}",) if match[3] not in (None, "default") else ()
        # a route that names its VRF stands at the top (depth 0), whatever section is open
        yield _FrrStatement((*vrf, f"{match[1]} {hops}"), value, 0 if match[3] else MOST_DEEP)
    elif match := _OPTION.fullmatch(text):
        yield _FrrStatement((match[1],), _normalize_value(match[1], match[2] or ""))
    else:
        yield _FrrStatement((text,), "")


def _list_neighbor_statements(name: str, text: str) -> Iterator[_FrrStatement]:
    """Yield what a line says of a neighbour; `NAME interface remote-as N` says two things."""
    neighbor = f"neighbor {name}"
    if match := re.fullmatch(r"interface(?: (v6only))?(?: ((?:peer-group|remote-as) \S+))?", text):
        yield _FrrStatement((neighbor, "interface"), match[1] or "")
        text = match[2] or ""  # the rest is read as a line of its own
    if match := _NEIGHBOR_FILTER.fullmatch(text):
        yield _FrrStatement((neighbor, f"{match[1]} {match[3]}"), match[2])
    elif match := _NEIGHBOR_OPTION.fullmatch(text):
        # A member of a peer group is so in all families, also where FRR 7 and bgpcfgd say it in one.
        depth = 1 if match[1] == "peer-group" else MOST_DEEP
        yield _FrrStatement((neighbor, match[1]), _normalize_value(match[1], match[2] or ""), depth)
    elif text:
        yield _FrrStatement((neighbor, text), "")


def _normalize_words(words: list[str]) -> str:
    """Return the words of a line in one spelling; free text, such as a description, stays as it is."""
    if words[0] == "frr":
        return " ".join(words)
    text_start = next((position + 1 for position, word in enumerate(words) if word in _PLAIN), len(words))
    has_addresses = words[0] in ("ip", "ipv6") and words[1:2] == ["address"]
    return " ".join(
        [
            *(_normalize_host(word) if has_addresses else _normalize_word(word) for word in words[:text_start]),
            *words[text_start:],
        ]
    )


def _normalize_host(word: str) -> str:
    """Return an address with its length, /32 or /128 if it has none; any other word as it is."""
    try:
        return str(ip_interface(word))
    except ValueError:
        return word


@lru_cache(maxsize=1 << 16)
def _normalize_word(word: str) -> str:
    """Return a word in one spelling: addresses and prefixes as FRR prints them, AS numbers and targets without dots."""
    if match := re.fullmatch(r"(\d{1,5})\.(\d{1,5})(:\d+)?", word):
        # the upper and the lower 16 bits of an AS number (RFC 5396, asdot); `:N` behind it is a community's or target's
        return f"{int(match[1]) << 16 | int(match[2])}{match[3] or ''}"
    # neither an address nor a MAC: nearly all words, which need no parsing
    if not word[0].isdigit() and ":" not in word:
        return word
    try:
        return str(ip_network(word, strict=False) if "/" in word else ip_address(word))
    except ValueError:
        return word.lower() if re.fullmatch(r"(?:[\da-fA-F]{2}:)+[\da-fA-F]{2}", word) else word


def _normalize_value(step: str, value: str) -> str:
    """Return the value of an option (`step`) in one spelling."""
    words = value.split()
    if step in ("set community", "set large-community"):
        numbers = {_COMMUNITIES.get(word, word) for word in words} - {"additive"}
        ordered = sorted(numbers, key=_make_sort_key)
        return " ".join([*ordered, *(["additive"] if "additive" in words else [])])
    if step == "maximum-prefix" and words[1:2] == ["75"]:  # MAXIMUM_PREFIX_THRESHOLD_DEFAULT
        return " ".join([*words[:1], *words[2:]])
    return "" if value and _DEFAULTS.get(step) == value else value


def _make_sort_key(community: str) -> list[tuple[int, str]]:
    """Return the key by which FRR sorts communities: their numbers."""
    return [(int(part), "") if re.fullmatch("[0-9]{1,10}", part) else (-1, part) for part in community.split(":")]


def _normalize_rule(kind: str, rule: str) -> str:
    """Return a rule of a list: `ge` before `le`, `any` as its prefix, no `le` that all prefixes meet, communities as
    numbers.
    """
    if "community-list" in kind:
        return " ".join(_COMMUNITIES.get(word, word) for word in rule.split())
    if "prefix-list" not in kind:
        return rule
    v6 = kind.startswith("ipv6")
    words = rule.replace(" any", f" {'::/0 le 128' if v6 else '0.0.0.0/0 le 32'}").split()
    bounds = {words[n]: words[n + 1] for n in range(2, len(words) - 1, 2)}  # behind action and prefix
    if len(words) % 2 or not set(bounds) <= {"ge", "le"}:
        return rule
    # the longest prefix there is: `le` says nothing beside `ge` then
    if "ge" in bounds and bounds.get("le") == ("128" if v6 else "32"):
        del bounds["le"]
    return " ".join([*words[:2], *(f"{word} {bounds[word]}" for word in ("ge", "le") if word in bounds)])


def _split_hops(text: str) -> tuple[str, str]:
    """Return (next hops, options) of a static route as FRR prints them: `tag` comes before the distance, and a distance
    of 1 is left out.
    """
    route_words = text.split()
    hops_end = next(
        (position for position, word in enumerate(route_words) if word == "tag" or (position and word.isdigit())),
        len(route_words),
    )
    option_words = route_words[hops_end:]
    tag = next(
        (option_words[position : position + 2] for position, word in enumerate(option_words) if word == "tag"), []
    )
    for word in tag:
        option_words.remove(word)
    # 1 is FRR's distance of static routes where none is stated
    return " ".join(route_words[:hops_end]), " ".join(
        [*tag, *(option_words[1:] if option_words[:1] == ["1"] else option_words)]
    )


def _drop_redundant(statements: Statements) -> Statements:
    """Return statements with the AS number of a peer group at its members, and other shared options at the group."""
    group_of = {
        (path[0], path[1]): (path[0], f"neighbor {value}")
        for path, value in statements.items()
        if len(path) == 3 and path[2] == "peer-group" and value and path[0].startswith("router bgp")
    }
    if not group_of:
        return statements
    _give_members_their_as(statements, group_of)
    effective: Statements = {}
    for path, value in statements.items():
        # path[-2] is `neighbor NAME`, in a family or outside of one; path[0] the BGP of its VRF
        group = group_of.get((path[0], path[-2])) if len(path) > 2 and path[-1] != "peer-group" else None
        group_value = statements.get((*path[:-2], group[1], path[-1])) if group else None
        if group is None or group_value is None:
            effective[path] = value
        # `no X` against a group that has X is no absence: it takes effect, and is told with what it denies
        elif value.startswith(NOT) and not group_value.startswith(NOT):
            effective[path] = f"{OVERRIDES}{group[1].partition(' ')[2]}"
        elif value != group_value:
            effective[path] = value
    return effective


def _give_members_their_as(statements: Statements, group_of: Mapping[tuple[str, str], tuple[str, str]]) -> None:
    """State the AS number of a peer group at its members, and not at the group unless a member has another one.

    `group_of` maps the path of a member to that of its group; `statements` are changed in place.
    """
    groups_with_others = set()
    for member, group in group_of.items():
        asn = statements.get((*group, "remote-as"))
        if asn is not None and statements.setdefault((*member, "remote-as"), asn) != asn:
            groups_with_others.add(group)
    for group in set(group_of.values()) - groups_with_others:
        statements.pop((*group, "remote-as"), None)


def files_of(statements: Statements) -> dict[str, str]:
    """Return `frr.conf` with these statements, as FRR takes it."""
    lines: dict[Path, list[str]] = {(): []}
    for path, value in statements.items():
        section = tuple(step for step in path[:-1] if not step.startswith("neighbor "))  # no section of the text
        if _is_section(path):
            section = path
        for depth in range(len(section) + 1):
            lines.setdefault(section[:depth], [])
        if section != path and path[-1] != "as-notation":
            lines[section].append(_write_line(path, value))
    return {"frr.conf": "".join(f"{line}\n" for line in _write_sections(lines, statements, ()))}


def _is_section(path: Path) -> bool:
    """Whether lines may stand below a path, as below `router bgp`, route maps and address families."""
    if len(path) == 1:
        return _OPENERS[""].fullmatch(path[0]) is not None or path[0].startswith(("router bgp", "route-map "))
    pattern = _OPENERS.get(path[-2].partition(" ")[0])
    return pattern is not None and pattern.fullmatch(path[-1]) is not None


def _write_sections(lines: Mapping[Path, list[str]], statements: Statements, section: Path) -> Iterator[str]:
    """Yield the lines of a section and of those inside it, indented by depth and closed by FRR's words."""
    indent = " " * len(section)
    yield from (f"{indent}{line}" for line in lines[section])
    for below in [path for path in lines if len(path) == len(section) + 1 and path[:-1] == section]:
        yield f"{indent}{_write_header(below, statements)}"
        yield from _write_sections(lines, statements, below)
        kind = below[-1].partition(" ")[0]
        yield f"{indent}{next((word for word, closed in _CLOSERS.items() if closed == kind), 'exit')}"


def _write_header(section: Path, statements: Statements) -> str:
    """Return the line that opens a section, with the value of its statement, such as the AS number."""
    step, value = section[-1], statements.get(section, "")
    if step.startswith("router bgp"):
        notation = statements.get((*section, "as-notation"))
        return f"router bgp {value}{step.removeprefix('router bgp')}" + (f" as-notation {notation}" if notation else "")
    if step.startswith("route-map "):
        name, _, number = step.rpartition(" ")
        return f"{name} {value} {number}"
    return step


def _write_line(path: Path, value: str) -> str:
    """Return the line of a statement: its value stands last, or before the last word: `route-map NAME in`."""
    step = path[-1]
    denied = re.match(rf"{NOT}\b", value) is not None
    if denied:
        # without `no `, under which the statement is kept
        value = "" if value.startswith(OVERRIDES) else value[3:]
    if len(path) > 1 and path[-2].startswith("neighbor "):
        # `route-map in` with the value NAME is written `route-map NAME in`
        words = step.split()
        line = (
            f"{words[0]} {value} {words[1]}"
            if _NEIGHBOR_FILTER.fullmatch(f"{words[0]} x {words[-1]}")
            else f"{step} {value}"
        )
        return f"{'no ' if denied else ''}{path[-2]} {line}".rstrip()
    return f"{'no ' if denied else ''}{step} {value}".rstrip()
