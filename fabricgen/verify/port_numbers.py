"""The number of a port of the plan by its device and what a dump calls it, for millions of rows at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.nos_configuration import DumpFacts
from fabricgen.catalog.sonic_models import PlatformCage, SonicPlatform
from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.wiring.arrays import Ints, Ints64

UNKNOWN = -1
"""A port that cannot be told by its text. Lower values stand for ports that the plan does not use: `spare_names`."""


def is_mac(text: str) -> bool:
    """Whether a port is told by its MAC, not by a name."""
    return len(text) == 17 and text[2] == ":"


@dataclass
class PortNumbers:
    """Finds ports. Devices of one `kind` (model, NOS, fabric, tier; int32 by device) name their ports alike.

    `renamed` has what was inferred of interface names: (kind, text) -> planned name. `by_address` has the ports of
    known MACs and GUIDs.
    """

    cabling: PlannedCabling
    catalog: Catalog
    by_address: dict[str, int] = field(default_factory=dict)
    renamed: dict[tuple[int, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # number the kinds of devices and lay out the names that each kind uses
        columns = [self.cabling.devices[name] for name in ("model", "nos", "fabric", "tier")]
        key = np.zeros(len(self.cabling.device_names), dtype=np.int64)
        # model, NOS, fabric and tier as one number
        for column in columns:
            key = key * max(len(column.vocabulary), 1) + column.codes
        _, first, kind = np.unique(key, return_index=True, return_inverse=True)
        self.kind: Ints = kind.astype(np.int32)
        self._examples: list[int] = first.tolist()
        self._synonyms: dict[int, PortSynonyms] = {}
        self._spare: dict[str, int] = {}
        self._lay_out(len(first))

    def _lay_out(self, kinds: int) -> None:
        """Every device has a place for each name that its kind uses: `_places[_start[device] + _local[kind, name]]`."""
        cabling, names = self.cabling, max(len(self.cabling.port_texts), 1)
        kind = self.kind[cabling.device].astype(np.int64)
        used = np.bincount(kind * names + cabling.name, minlength=kinds * names).reshape(kinds, names) > 0
        # by kind and name: which of the names that the kind uses it is. Without this a table of all devices and all
        # names would not fit into memory.
        self._local = np.cumsum(used, axis=1, dtype=np.int32) - 1
        self._used = used
        # how many places each device has, and where its first one is
        size = used.sum(axis=1).astype(np.int64)[self.kind]
        self._start: Ints64 = np.cumsum(size) - size
        self._places = np.full(int(size.sum()), UNKNOWN, dtype=np.int32)
        at = self._start[cabling.device] + self._local[kind, cabling.name]
        self._places[at] = np.arange(cabling.ports, dtype=np.int32)
        self._name_codes = {str(text): code for code, text in enumerate(cabling.port_texts.tolist())}

    def find_synonyms(self, kind: int) -> PortSynonyms:
        """What devices of a kind call their ports."""
        if kind not in self._synonyms:
            device = self._examples[kind]
            names = self.cabling.port_texts[self._used[kind]].tolist()
            model, nos = (str(self.cabling.read_device(column, device)) for column in ("model", "nos"))
            self._synonyms[kind] = list_synonyms(model, nos, names, self.catalog, self._count_legs(kind))
        return self._synonyms[kind]

    def _count_legs(self, kind: int) -> dict[str, int]:
        """The most legs of splitters that devices of a kind have in a connector, or a whole cage, by its text."""
        cabling, most = self.cabling, dict[str, int]()
        ports = np.flatnonzero(cabling.split & (self.kind[cabling.device] == kind))
        _, first, counts = np.unique(cabling.plug[ports], return_index=True, return_counts=True)
        for at, count in zip(ports[first].tolist(), counts.tolist(), strict=True):
            text = cabling.connector_text(at)
            most[text] = max(most.get(text, 0), count)
        return most

    def spare_names(self) -> tuple[str, ...]:
        """The names of all spare ports: where `find_ports` gives a value v below -1, its name is at -2 - v."""
        return tuple(self._spare)

    def find_ports(self, device: Ints, text: Ints, texts: Sequence[str]) -> Ints:
        """Ports by device (-1: none) and index into `texts`; int32: a planned port, UNKNOWN, or one that is spare."""
        ports = np.full(len(device), UNKNOWN, dtype=np.int32)
        rows = np.flatnonzero((device >= 0) & (text > 0))
        if not len(rows):
            return ports
        kinds = self.kind[device[rows]].astype(np.int16)
        # kind by kind, since what a text means depends on the kind; int16 sorts by radix
        rows = rows[np.argsort(kinds, kind="stable")]
        owners, codes = device[rows], text[rows]
        ends = np.cumsum(np.bincount(kinds)).tolist()
        for kind, (first, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if first < end:
                texts_here = codes[first:end]
                local, spare = self._number_texts(kind, texts_here, texts)
                places, port = local[texts_here], spare[texts_here]
                named = np.flatnonzero(places >= 0)
                planned = self._places[self._start[owners[first:end][named]] + places[named]]
                port[named] = np.where(planned >= 0, planned, port[named])
                ports[rows[first:end]] = port
        if self.by_address:
            self._find_addresses(ports, rows, owners, codes, texts)
        return ports

    def _number_texts(self, kind: int, codes: Ints, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """(place among the names of a kind, value of a spare port) of each of `texts` that occurs in `codes`, those of
        its devices; UNKNOWN for the others; int32.
        """
        local = np.full(len(texts), UNKNOWN, dtype=np.int32)
        spare = np.full(len(texts), UNKNOWN, dtype=np.int32)
        synonyms = self.find_synonyms(kind)
        for code in np.flatnonzero(np.bincount(codes, minlength=len(texts))).tolist():
            text = texts[code]
            if is_mac(text):
                continue
            name = self.renamed.get((kind, text)) or synonyms.find_name(text)
            if not name:
                continue
            # spare names count down from -2; -1 is UNKNOWN
            spare[code] = -2 - self._spare.setdefault(name, len(self._spare))
            number = self._name_codes.get(name, -1)
            if number >= 0 and self._used[kind, number]:
                local[code] = self._local[kind, number]
        return local, spare

    def _find_addresses(self, ports: Ints, rows: Ints64, owners: Ints, codes: Ints, texts: Sequence[str]) -> None:
        port = self.find_by_address(texts)[codes]
        right = (port >= 0) & (self.cabling.device[port] == owners) & (ports[rows] < 0)
        ports[rows[right]] = port[right]

    def find_by_address(self, texts: Sequence[str]) -> Ints:
        """The port of each text that is a known MAC or GUID, else -1; int32."""
        get = self.by_address.get
        return np.array([get(text, -1) for text in texts], dtype=np.int32)


# What devices call their ports besides the planned names, by what their NOS is known to do.
# - SONiC tells the alias of a port as its LLDP port id, not its name (sonic-buildimage, dockers/docker-lldp/lldpmgrd:
# `configure ports Ethernet0 lldp portidsubtype local etp1`), so that both are known here, from the port table. - EOS
# writes Ethernet1/1 as Et1/1 in its tables. - InfiniBand numbers ports over the face, cage by cage, where labels are
# CAGE/PORT (see views/fabric.py).

_MANAGEMENT = re.compile(r"eth0|mgmt\d*|management[\d/]*")
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"^[a-z]+(?=\d)")


@dataclass(frozen=True)
class PortSynonyms:
    """The names of the ports of one kind of devices: `planned` ones, others by their folded text, and their shapes."""

    spoken: DumpFacts
    planned: frozenset[str]
    by_text: dict[str, str] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()

    def find_name(self, text: str) -> str:
        """The name of a port by what a dump calls it; of a port that no plan uses, too. "" where it is not known."""
        if text in self.planned:
            return text
        folded = _fold_name(text, self.spoken)
        if name := self.by_text.get(folded):
            return name
        return text if _MANAGEMENT.fullmatch(folded) or _mask_numbers(folded) in self.shapes else ""


def list_synonyms(
    model: str, nos: str, planned: Iterable[str], catalog: Catalog, legs: Mapping[str, int] | None = None
) -> PortSynonyms:
    """The names of ports of a model with a NOS of which the plan uses some; `legs` are those of splitters by connector
    (`9/1`), or by cage (`9`) where one takes a whole cage.
    """
    names = frozenset(planned)
    naming = catalog.naming(nos)
    spoken, by_text = naming.dumps, dict[str, str]()
    if naming.has_tables and (platform := _sonic_platform(model, catalog)):
        by_text |= _list_aliases(platform, names)
    if spoken.in_subnet:
        by_text |= _number_face(model, names, catalog, legs or {})
    if spoken.cage_alone:
        by_text |= _list_lone_cages(names)
    # backwards, so that of two names that fold alike the first one stays
    by_text |= {_fold_name(name, spoken): name for name in sorted(names, reverse=True)}
    shapes = frozenset(_mask_numbers(_fold_name(name, spoken)) for name in names)
    return PortSynonyms(spoken, names, by_text, shapes)


def _fold_name(text: str, spoken: DumpFacts) -> str:
    """A name in small letters, its first word written out."""
    folded = text.strip().lower()
    first = next(iter(_LETTERS.findall(folded)), "")
    return next((word for word, short in spoken.abbreviations.items() if first in short), first) + folded[len(first) :]


def _mask_numbers(folded: str) -> str:
    """A name with its numbers left out: `ethernet#/#`."""
    return _DIGITS.sub("#", folded)


def _sonic_platform(model: str, catalog: Catalog) -> SonicPlatform | None:
    # the SONiC platform of a model; None where it has none
    try:
        return catalog.sonic_platform(model)
    except InputError:
        return None


def _list_aliases(platform: SonicPlatform, names: frozenset[str]) -> dict[str, str]:
    """Names by alias. How a cage is split is read from the planned names; unused cages are taken as whole."""
    names_by_alias = {}
    for cage in platform.cages:
        breakout = _find_breakout(cage, platform, names)
        lanes_per_port = len(cage.lanes) // breakout
        for part in range(breakout):
            names_by_alias[platform.find_alias(cage, breakout, part).lower()] = (
                f"Ethernet{cage.port + part * lanes_per_port}"
            )
    return names_by_alias


def _find_breakout(cage: PlatformCage, platform: SonicPlatform, names: frozenset[str]) -> int:
    # into how many ports a SONiC cage is split, by the names in use; 1 where no split fits them
    used = [offset for offset in range(len(cage.lanes)) if f"Ethernet{cage.port + offset}" in names]
    fits = (
        breakout
        for breakout in range(1, len(cage.lanes) + 1)
        if len(cage.lanes) % breakout == 0 and platform.has_split(breakout)
    )
    # the coarsest split where every name that is used is of the first lane of a part
    return next(
        (breakout for breakout in fits if all(offset % (len(cage.lanes) // breakout) == 0 for offset in used)), 1
    )


def _list_lone_cages(names: frozenset[str]) -> dict[str, str]:
    """Ethernet5 for Ethernet5/1, where no other port of that cage is used."""
    cages: dict[str, list[str]] = {}
    for name in names:
        cages.setdefault(name.rpartition("/")[0], []).append(name)
    return {cage.lower(): cage_ports[0] for cage, cage_ports in cages.items() if cage and cage_ports == [f"{cage}/1"]}


def _number_face(model: str, names: frozenset[str], catalog: Catalog, legs: Mapping[str, int]) -> dict[str, str]:
    """Names by number over the face: every cage has the numbers of the one that is split most.

    A connector with a splitter is split in two or more even where the plan uses one of its legs, or none of the other
    connector of its cage.
    """
    places = {
        name: (int(cage), int(sub)) for name in names for cage, _, sub in [name.partition("/")] if _is_plain(name)
    }
    connectors, cages = 1, max((cage for cage, _ in places.values()), default=0)
    try:
        profile = catalog.switch(model)
        connectors = max(cage.connectors for cage in profile.cages)
        cages = max(cages, profile.cage_count)
    except InputError:
        pass
    splits = dict.fromkeys(range(1, cages + 1), connectors)
    for cage, sub in places.values():
        if sub > splits[cage]:
            # cages split into powers of two: the least that has this port
            splits[cage] = 1 << (sub - 1).bit_length()
    for socket, count in legs.items():
        number, _, connector = socket.partition("/")
        breakout = max(2, 1 << (count - 1).bit_length())
        if number.isdigit() and int(number) in splits:
            splits[int(number)] = max(splits[int(number)], breakout * (connectors if connector else 1))
    stride = max(splits.values(), default=1)
    return {
        # ports of a cage that is split less are spread over its numbers
        str((cage - 1) * stride + sub * (stride // split) + 1): f"{cage}/{sub + 1}"
        for cage, split in splits.items()
        for sub in range(split)
    }


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"\d{1,4}/\d{1,2}", name) is not None
