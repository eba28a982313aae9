"""Which devices are switches, what each device is in the catalogue, and which NOS names its ports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple

from fabricgen.adopt.facts import DeviceFacts, Facts, Inference, Question
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.catalog.naming import NosNaming
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.nos_rooms import list_nos

IN_SUBNET = re.compile(r"\d{1,4}(?:/\d{1,2}){0,2}")
"""The ports of an InfiniBand switch: by number over the face, or by cage."""
LEG = re.compile(r"(.+?)/(\d{1,2})")
"""A part of a NIC port that is split: OSFP1/2."""
_WORDS = re.compile(r"[^a-z0-9]+")
_FIELD = re.compile(r"\\\{\w+\\\}")


class NicLeg(NamedTuple):
    """A port of a node: its NIC role and rail, the port of that NIC, and which part of it; 0 for all of it."""

    role: str
    rail: int
    port: int
    part: int


@dataclass(frozen=True)
class Models:
    """What each device is, by name. `switches` and `nodes` have profiles; `nos` that of each switch.

    `questions` are on devices whose profile no fact decides; these are in neither.
    """

    switches: Mapping[str, SwitchProfile]
    nodes: Mapping[str, NodeProfile]
    nos: Mapping[str, str]
    legs: Mapping[str, Mapping[str, NicLeg]]
    """By profile of a node, then by the names of its ports."""
    inferences: Sequence[Inference]
    questions: Sequence[Question]
    list_cages: Callable[[str, str], Mapping[str, int]]
    """The cages of a switch, by its profile and NOS, by the names of their ports."""
    trays: Mapping[str, str]
    """Models of switch trays of scale-up domains, by name, those that no link leads to among them."""
    silent: frozenset[str] = frozenset()
    """The switches and nodes that a list names and no link leads to: they may be off."""

    @property
    def profiles(self) -> Sequence[NodeProfile]:
        """The profiles that nodes have, each once."""
        return tuple({profile.id: profile for profile in self.nodes.values()}.values())

    def find_leg(self, device: str, port: str) -> NicLeg | None:
        """What a port of a node is by its profile; None for one that the profile does not have."""
        return _find_leg(self.legs[self.nodes[device].id], port)


_MANAGEMENT = re.compile(r"eth0|e?mgmt\d*|management[\d/]*|ma[\d/]+|re\d:mgmt-\d|(?:em|me|fxp)\d", re.IGNORECASE)


@cache
def is_management(port: str) -> bool:
    """Whether a port of a switch is one for management, by the name that its NOS has for it."""
    return _MANAGEMENT.fullmatch(port) is not None


def find_models(facts: Facts, catalog: Catalog, stated: Sequence[tuple[str, str]] = ()) -> Models:
    """What each device is: as `stated` (pattern of names, profile), as sources tell, or by the names of its ports."""
    ports: dict[str, set[str]] = defaultdict(set)
    for joint in facts.joints:
        ports[joint.a.device].add(joint.a.port)
        ports[joint.b.device].add(joint.b.port)
    for end in facts.alone:
        ports[end.device].add(end.port)
    index = _Profiles(catalog)
    switches: dict[str, SwitchProfile] = {}
    nodes: dict[str, NodeProfile] = {}
    nos: dict[str, str] = {}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    open_kinds: dict[tuple[tuple[str, ...], bool, str], list[str]] = defaultdict(list)
    of_trays = {catalog.scale_up(name).tray for name in catalog.ids("scale_up")}
    trays: dict[str, str] = {}
    for name, device in facts.devices.items():
        names = frozenset(ports.get(name, ()))
        told, how = index.find_told(device, stated)
        if told in of_trays:
            trays[name] = told
        if not names and (told in of_trays or told not in (*index.switch_ids, *index.node_ids)):
            continue
        is_switch = told in index.switch_ids if told else bool(index.list_nos(names))
        system = index.choose_nos(device, names, told) if is_switch else ""
        if not told:
            candidates = index.list_candidates(names, system)
            if len(candidates) != 1:
                open_kinds[candidates, is_switch, device.model].append(name)
                continue
            told, how = candidates[0], "by the names of its ports"
        counts[told, how] += 1
        if is_switch:
            switches[name], nos[name] = catalog.switch(told), system
        else:
            nodes[name] = catalog.node(told)
    inferences = [Inference(("devices", told), told, n, n, how) for (told, how), n in sorted(counts.items())]
    questions = [_make_question(*kind, names) for kind, names in open_kinds.items()]
    silent = frozenset((switches.keys() | nodes.keys()) - ports.keys())
    return Models(switches, nodes, nos, index.legs, inferences, questions, index.list_cages, trays, silent)


def _make_question(candidates: tuple[str, ...], is_switch: bool, model: str, names: Sequence[str]) -> Question:
    """What to ask of devices whose profile is not decided."""
    kind = "switch" if is_switch else "node"
    who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
    told = f", called '{model}'" if model else ""
    if candidates:
        what = f"which {kind} {who} is{told}: its ports are those of {len(candidates)} profiles"
    else:
        what = f"which {kind} {who} is{told}: no profile has its ports"
    pattern = names[0] if len(names) == 1 else _find_pattern(names)
    hint = f"--model '{pattern}={candidates[0] if candidates else 'PROFILE'}'"
    return Question(what, candidates, hint)


def _find_pattern(names: Sequence[str]) -> str:
    """A pattern of shell that fits some names: what they begin and end with."""
    first, last = min(names), max(names)
    common = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return re.sub(r"\d+$", "", first[:common]) + "*"


def _index_legs(profile: NodeProfile) -> dict[str, NicLeg]:
    """The legs of a node by the names of its ports, and of their interfaces."""
    legs: dict[str, NicLeg] = {}
    for role, nic in profile.roles.items():
        for port in nic.ports:
            leg = NicLeg(role, port.rail, port.port, 0)
            legs.setdefault(port.name, leg)
            if port.interface:
                legs.setdefault(port.interface, leg)
    return legs


def name_adapter(port: str) -> str:
    """What an adapter is called that older drivers call HCA-1: mlx5_0. They count from 1. All other ports stay."""
    adapter = re.fullmatch(r"HCA-(\d{1,3})", port)
    return f"mlx5_{int(adapter[1]) - 1}" if adapter else port


def _find_leg(legs: Mapping[str, NicLeg], port: str) -> NicLeg | None:
    """The leg of a port, or of a part of one that is split; None for a port that a profile does not have."""
    if port in legs:
        return legs[port]
    if (adapter := name_adapter(port)) != port:
        return legs.get(adapter)
    match = LEG.fullmatch(port)
    leg = legs.get(match[1]) if match else None
    return leg._replace(part=int(match[2])) if leg and match else None


class _Profiles:
    """The profiles of a catalogue by what they are called and how their ports are named."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.switch_ids, self.node_ids = catalog.ids("switches"), catalog.ids("nodes")
        self.legs = {name: _index_legs(catalog.node(name)) for name in self.node_ids}
        self._by_word = {_fold_words(name): name for name in (*self.switch_ids, *self.node_ids)}
        self._systems = list_nos("dumps")
        self._in_subnet = tuple(nos for nos in catalog.list_known_nos() if catalog.naming(nos).dumps.in_subnet)
        self._patterns = {name: _make_pattern(catalog.naming(name)) for name in self._systems}
        self._candidates: dict[tuple[frozenset[str], str], tuple[str, ...]] = {}

    def find_told(self, device: DeviceFacts, stated: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """(profile of a device, how that is known); "" where nobody tells, or what is told is no profile."""
        for pattern, name in stated:
            if fnmatchcase(device.name, pattern):
                return name, f"--model '{pattern}={name}'"
        return self._find_word(device.model), f"told as {device.model}"

    @cache  # noqa: B019 - one object a run
    def _find_word(self, model: str) -> str:
        """The profile that a model is: of the same letters and digits, or the longest that is part of it."""
        told = _fold_words(model)
        if not told:
            return ""
        return self._by_word.get(told) or max(
            (self._by_word[word] for word in self._by_word if len(word) > 4 and word in told), key=len, default=""
        )

    def list_nos(self, names: Iterable[str]) -> tuple[str, ...]:
        """The NOSes that could call all ports so, those for management aside; none of a node."""
        others = [name for name in names if not is_management(name)]
        if others and all(IN_SUBNET.fullmatch(name) for name in others):
            return self._in_subnet
        return tuple(s for s in self._systems if others and all(self._patterns[s].fullmatch(name) for name in others))

    def choose_nos(self, device: DeviceFacts, names: Iterable[str], profile: str) -> str:
        """The NOS of a switch: as told, else the first that its model runs and that calls ports so."""
        told = _fold_words(device.nos)
        fits = self.list_nos(names)
        for nos in (*self._systems, *self._in_subnet):
            if told and nos in told:
                return nos
        runs = self._catalog.switch(profile).nos if profile else ()
        # ports are counted from 0 where a table names them
        if any(re.fullmatch(r"[A-Za-z]+0", name) for name in names if not is_management(name)):
            fits = tuple(nos for nos in fits if self._catalog.naming(nos).has_tables) or fits
        return next((nos for nos in runs if nos in fits), fits[0] if fits else next(iter(runs), ""))

    def list_candidates(self, names: frozenset[str], nos: str) -> tuple[str, ...]:
        """The profiles that have ports of such names: switches that run a NOS, or nodes where that is ""."""
        key = (names, nos)
        if key not in self._candidates:
            list_fitting = self._list_switches if nos else self._list_nodes
            self._candidates[key] = tuple(list_fitting(names, nos))
        return self._candidates[key]

    def _list_nodes(self, names: frozenset[str], _nos: str) -> list[str]:
        return [profile for profile, legs in self.legs.items() if all(_find_leg(legs, name) for name in names)]

    def _list_switches(self, names: frozenset[str], nos: str) -> list[str]:
        others = {name for name in names if not is_management(name)}
        return [name for name in self.switch_ids if others <= self.list_cages(name, nos).keys()]

    @cache  # noqa: B019 - one object a run
    def list_cages(self, switch: str, nos: str) -> Mapping[str, int]:
        """The cages of a switch by all names that ports can have; none where it does not run the NOS."""
        profile, naming = self._catalog.switch(switch), self._catalog.naming(nos)
        in_subnet = nos in self._in_subnet
        if nos not in profile.nos and not (in_subnet and profile.protocol == "infiniband"):
            return {}
        try:
            platform = self._catalog.sonic_platform(switch) if naming.has_tables else None
        except InputError:
            return {}
        names, cage = dict[str, int](), 0
        for kind in profile.cages:
            for _ in range(kind.count):
                cage += 1
                for ways in kind.breakouts:
                    try:
                        names |= {naming.name_port(cage, sub, ways, kind, platform): cage for sub in range(ways)}
                    except LookupError:
                        continue
        if in_subnet:
            # counted over the face, as switches whose connectors are not split say it; by halves of them where they are
            sockets = sum(c.count * c.connectors for c in profile.cages)
            connectors = profile.cages[0].connectors
            names |= {str(number + 1): min(number // connectors + 1, cage) for number in range(sockets * 2)}
        return names


def _fold_words(text: str) -> str:
    return _WORDS.sub("", text.lower())


def _make_pattern(naming: NosNaming) -> re.Pattern[str]:
    """What a NOS can call a port, its abbreviations among it, which begin with a capital: eth1 is no switch's."""
    texts = [naming.single_lane, naming.unsplit, naming.split]
    if naming.card_cage:
        texts += [text.replace("{cage}", naming.card_cage) for text in texts]
    pattern = "|".join(_FIELD.sub(r"\\d{1,4}", re.escape(text)) for text in texts)
    for word, short in naming.dumps.abbreviations.items():
        words = "|".join(text.capitalize() for text in (word, *short))
        pattern = pattern.replace(word.capitalize(), f"(?:{words})")
    return re.compile(pattern)
