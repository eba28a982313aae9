"""Find which devices are switches, the profile of each device in the catalogue, and the NOS that names its ports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain
from os.path import commonprefix
from typing import NamedTuple

from fabricgen.adopt.facts import DeviceFacts, Facts, Inference, Question
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.catalog.naming import NosNaming
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.nos_rooms import list_nos

IN_SUBNET = re.compile(r"\d{1,4}(?:/\d{1,2}){0,2}")
"""Names of ports of an InfiniBand switch: a number over its face (65), or CAGE/CONNECTOR or CAGE/CONNECTOR/LEG."""
LEG = re.compile(r"(.+?)/(\d{1,2})")
"""The name of a leg of a NIC port that is split: OSFP1/2."""
_WORDS = re.compile(r"[^a-z0-9]+")
_FIELD = re.compile(r"\\\{\w+\\\}")


class NicLeg(NamedTuple):
    """A port of a node by its NIC role, rail, and port of the NIC; `part` is the leg of a split port, 0 for all
    of it.
    """

    role: str
    rail: int
    port: int
    part: int


@dataclass(frozen=True)
class Models:
    """What each device is, by its name: the profiles of switches and of nodes, and the NOS of each switch.

    Devices whose profile no fact decides are in neither; `questions` ask for them.
    """

    switches: Mapping[str, SwitchProfile]
    nodes: Mapping[str, NodeProfile]
    nos: Mapping[str, str]
    legs: Mapping[str, Mapping[str, NicLeg]]
    """The ports of nodes by profile, then by name."""
    inferences: Sequence[Inference]
    questions: Sequence[Question]
    list_cages: Callable[[str, str], Mapping[str, int]]
    """`list_cages(profile, nos)` is the number of the cage, from 1, of each name that a port of a switch can have."""
    trays: Mapping[str, str]
    """The models of scale-up switch trays by name, also of trays that no link leads to."""
    silent: frozenset[str] = frozenset()
    """Names of switches and nodes that a list has and that no link leads to; they may be off."""

    @property
    def profiles(self) -> Sequence[NodeProfile]:
        """The profiles of all nodes, each once."""
        return tuple({profile.id: profile for profile in self.nodes.values()}.values())

    def find_leg(self, device: str, port: str) -> NicLeg | None:
        """Return what a port of a node is by its profile, None if the profile has no such port."""
        return _find_leg(self.legs[self.nodes[device].id], port)


_MANAGEMENT = re.compile(r"eth0|e?mgmt\d*|management[\d/]*|ma[\d/]+|re\d:mgmt-\d|(?:em|me|fxp)\d", re.IGNORECASE)


@cache
def is_management(port: str) -> bool:
    """Whether a port of a switch is its management port, by its name in any NOS: eth0, Management1, fxp0."""
    return _MANAGEMENT.fullmatch(port) is not None


def find_models(facts: Facts, catalog: Catalog, stated: Sequence[tuple[str, str]] = ()) -> Models:
    """Find what each device is: by `stated` (pattern of names, profile), by the model that is told, else by its ports.

    The pattern is one of the shell, as in `leaf-*`. A device without links is left out unless its model is a profile.
    """
    ports: dict[str, set[str]] = defaultdict(set)
    for end in chain(facts.unlinked, chain.from_iterable(link[:2] for link in facts.links)):
        ports[end.device].add(end.port)
    index = _Profiles(catalog)
    switches: dict[str, SwitchProfile] = {}
    nodes: dict[str, NodeProfile] = {}
    nos: dict[str, str] = {}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    undecided: dict[tuple[tuple[str, ...], bool, str], list[str]] = defaultdict(list)
    tray_models = {catalog.scale_up(name).tray for name in catalog.ids("scale_up")}
    trays: dict[str, str] = {}
    for name, device in facts.devices.items():
        names = frozenset(ports.get(name, ()))
        profile, how = index.identify(device, stated)
        if profile in tray_models:
            trays[name] = profile
        if not names and (profile in tray_models or profile not in (*index.switch_ids, *index.node_ids)):
            continue
        is_switch = profile in index.switch_ids if profile else bool(index.list_nos(names))
        system = index.choose_nos(device.nos, names, profile) if is_switch else ""
        if not profile:
            candidates = index.list_candidates(names, system)
            if len(candidates) != 1:
                undecided[candidates, is_switch, device.model].append(name)
                continue
            profile, how = candidates[0], "by the names of its ports"
        counts[profile, how] += 1
        if is_switch:
            switches[name], nos[name] = catalog.switch(profile), system
        else:
            nodes[name] = catalog.node(profile)
    inferences = [Inference(("devices", profile), profile, n, n, how) for (profile, how), n in sorted(counts.items())]
    questions = [_make_question(*kind, names) for kind, names in undecided.items()]
    silent = frozenset((switches.keys() | nodes.keys()) - ports.keys())
    return Models(switches, nodes, nos, index.legs, inferences, questions, index.list_cages, trays, silent)


def _make_question(candidates: tuple[str, ...], is_switch: bool, model: str, names: Sequence[str]) -> Question:
    """Return the question for the profile of devices `names`, with an option of `--model` that answers it.

    `candidates` are the profiles with their ports, `model` is what sources call them, "" if nothing.
    """
    kind = "switch" if is_switch else "node"
    devices_text = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
    model_text = f", called '{model}'" if model else ""
    fits_text = f"its ports are those of {len(candidates)} profiles" if candidates else "no profile has its ports"
    pattern = names[0] if len(names) == 1 else _find_pattern(names)
    hint = f"--model '{pattern}={candidates[0] if candidates else 'PROFILE'}'"
    return Question(f"which {kind} {devices_text} is{model_text}: {fits_text}", candidates, hint)


def _find_pattern(names: Sequence[str]) -> str:
    """Return a shell pattern that fits all names: the letters that they begin with, without digits at the end,
    and `*`; else a word that all have; else the first name, as `*` would be all devices.
    """
    if start := re.sub(r"\d+$", "", find_common_start(names)):
        return f"{start}*"
    words = [word for word in re.findall(r"[A-Za-z]{3,}", names[0]) if all(word in name for name in names)]
    return f"*{max(words, key=len)}*" if words else names[0]


def find_common_start(names: Sequence[str]) -> str:
    """Return the letters that all names begin with."""
    return commonprefix(names)  # noqa: RUF071 - letters, not parts of a path


def _index_legs(profile: NodeProfile) -> dict[str, NicLeg]:
    """Return the ports of a node by their names on the chassis, and by those of their network interfaces."""
    legs: dict[str, NicLeg] = {}
    for role, nic in profile.roles.items():
        for port in nic.ports:
            leg = NicLeg(role, port.rail, port.port, 0)
            legs.setdefault(port.name, leg)
            if port.interface:
                legs.setdefault(port.interface, leg)
    return legs


def name_adapter(port: str) -> str:
    """Return the name of an adapter, mlx5_0, that older drivers call HCA-1: they count from 1. Other names stay."""
    adapter = re.fullmatch(r"HCA-(\d{1,3})", port)
    return f"mlx5_{int(adapter[1]) - 1}" if adapter else port


def _find_leg(legs: Mapping[str, NicLeg], port: str) -> NicLeg | None:
    """Return the leg of a port by its name, which may be that of a leg of a split port; None if there is no
    such port.
    """
    if port in legs:
        return legs[port]
    if (adapter := name_adapter(port)) != port:
        return legs.get(adapter)
    match = LEG.fullmatch(port)
    leg = legs.get(match[1]) if match else None
    return leg._replace(part=int(match[2])) if leg and match else None


class _Profiles:
    """Looks up the profiles of a catalogue by what devices are called, and by the names of their ports."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.switch_ids, self.node_ids = catalog.ids("switches"), catalog.ids("nodes")
        self.legs = {name: _index_legs(catalog.node(name)) for name in self.node_ids}
        self._by_word = {_fold_words(name): name for name in (*self.switch_ids, *self.node_ids)}
        self._systems = list_nos("dumps")
        self._in_subnet = tuple(nos for nos in catalog.list_known_nos() if catalog.naming(nos).dumps.in_subnet)
        self._patterns = {name: _make_pattern(catalog.naming(name)) for name in self._systems}

    def identify(self, device: DeviceFacts, stated: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Return (profile, how it is known) of a device; the profile is "" if no source tells one of the catalogue."""
        for pattern, name in stated:
            if fnmatchcase(device.name, pattern):
                return name, f"--model '{pattern}={name}'"
        return self._find_profile(device.model), f"told as {device.model}"

    @cache  # noqa: B019 - one object a run
    def _find_profile(self, model: str) -> str:
        """Return the profile with the letters and digits of a model, or the longest whose letters are part of it, else
        "".
        """
        if not (letters := _fold_words(model)):
            return ""
        parts = (profile for word, profile in self._by_word.items() if len(word) > 4 and word in letters)
        return self._by_word.get(letters) or max(parts, key=len, default="")

    @cache  # noqa: B019 - one object a run
    def list_nos(self, names: frozenset[str]) -> tuple[str, ...]:
        """Return the NOSes whose names for ports fit all of `names` but management ports; none fits those of a node."""
        others = [name for name in names if not is_management(name)]
        if others and all(IN_SUBNET.fullmatch(name) for name in others):
            return self._in_subnet
        return tuple(s for s in self._systems if others and all(self._patterns[s].fullmatch(name) for name in others))

    @cache  # noqa: B019 - one object a run, and many switches with the same names of ports
    def choose_nos(self, told_nos: str, names: frozenset[str], profile: str) -> str:
        """Return the NOS of a switch: the one that sources tell, "" if none does, else the first of its profile that
        fits its port names.
        """
        told = _fold_words(told_nos)
        fits = self.list_nos(names)
        for nos in (*self._systems, *self._in_subnet):
            if told and nos in told:
                return nos
        runs = self._catalog.switch(profile).nos if profile else ()
        # a port with number 0 is of a NOS whose ports are named by a table of the platform
        if any(re.fullmatch(r"[A-Za-z]+0", name) for name in names if not is_management(name)):
            fits = tuple(nos for nos in fits if self._catalog.naming(nos).has_tables) or fits
        return next((nos for nos in runs if nos in fits), fits[0] if fits else next(iter(runs), ""))

    @cache  # noqa: B019 - one object a run
    def list_candidates(self, names: frozenset[str], nos: str) -> tuple[str, ...]:
        """Return the profiles with all these ports: of switches that run `nos`, or of nodes if `nos` is ""."""
        if not nos:
            return tuple(profile for profile, legs in self.legs.items() if all(_find_leg(legs, n) for n in names))
        others = {name for name in names if not is_management(name)}
        return tuple(name for name in self.switch_ids if others <= self.list_cages(name, nos).keys())

    @cache  # noqa: B019 - one object a run
    def list_cages(self, switch: str, nos: str) -> Mapping[str, int]:
        """Return the cage, from 1, of each name that a port of a switch can have; {} if the switch does not run the
        NOS.
        """
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
            # ports are also told by their number over the face: a port a connector, or two if connectors are split
            sockets = sum(c.count * c.connectors for c in profile.cages)
            connectors = profile.cages[0].connectors
            names |= {str(number + 1): min(number // connectors + 1, cage) for number in range(sockets * 2)}
        return names


def _fold_words(text: str) -> str:
    return _WORDS.sub("", text.lower())


def _make_pattern(naming: NosNaming) -> re.Pattern[str]:
    """Return the pattern of the port names of a NOS, also abbreviated ones; they begin with a capital, unlike
    `eth1`.
    """
    texts = [naming.single_lane, naming.unsplit, naming.split]
    if naming.card_cage:
        texts += [text.replace("{cage}", naming.card_cage) for text in texts]
    pattern = "|".join(_FIELD.sub(r"\\d{1,4}", re.escape(text)) for text in texts)
    for word, abbreviations in naming.dumps.abbreviations.items():
        spellings = "|".join(text.capitalize() for text in (word, *abbreviations))
        pattern = pattern.replace(word.capitalize(), f"(?:{spellings})")
    return re.compile(pattern)
