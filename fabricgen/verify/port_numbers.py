"""Planned ports by their device and the name that a dump has for them, looked up for millions of rows at once."""

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
"""A port whose text is not understood. Lower values stand for ports that the plan does not use: see `spare_names`."""


def is_mac(text: str) -> bool:
    """Whether the text for a port is a MAC (aa:bb:cc:dd:ee:ff) and not a name."""
    return len(text) == 17 and text[2] == ":"


@dataclass
class PortNumbers:
    """Finds the numbers of ports. Devices of one `kind` (int32 by device) name their ports alike.

    A kind is a combination of model, NOS, fabric and tier. `renamed` has, by (kind, text), the planned name of
    interface names that were inferred. `by_address` has the planned port of each known MAC and GUID.
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
        _, first_devices, kind = np.unique(key, return_index=True, return_inverse=True)
        self.kind: Ints = kind.astype(np.int32)
        self._examples: list[int] = first_devices.tolist()
        self._synonyms: dict[int, PortSynonyms] = {}
        self._spare: dict[str, int] = {}
        self._index_ports(len(first_devices))

    def _index_ports(self, kinds: int) -> None:
        """Build the table of ports: a device has one slot for each port name that its kind uses.

        The port of a name on a device is `_slots[_start[device] + _local[kind, name]]`, UNKNOWN if it has none.
        """
        cabling, names = self.cabling, max(len(self.cabling.port_texts), 1)
        kind = self.kind[cabling.device].astype(np.int64)
        used = np.bincount(kind * names + cabling.name, minlength=kinds * names).reshape(kinds, names) > 0
        # by kind and name: the number of the name among those that the kind uses. A table of all devices by all names
        # would not fit into memory.
        self._local = np.cumsum(used, axis=1, dtype=np.int32) - 1
        self._used = used
        # how many slots each device has, and where its first one is
        size = used.sum(axis=1).astype(np.int64)[self.kind]
        self._start: Ints64 = np.cumsum(size) - size
        self._slots = np.full(int(size.sum()), UNKNOWN, dtype=np.int32)
        slot_of_port = self._start[cabling.device] + self._local[kind, cabling.name]
        self._slots[slot_of_port] = np.arange(cabling.ports, dtype=np.int32)
        self._name_codes = {str(text): code for code, text in enumerate(cabling.port_texts.tolist())}

    def find_synonyms(self, kind: int) -> PortSynonyms:
        """Return the names that devices of a kind have for their ports."""
        if kind not in self._synonyms:
            device = self._examples[kind]
            names = self.cabling.port_texts[self._used[kind]].tolist()
            model, nos = (str(self.cabling.read_device(column, device)) for column in ("model", "nos"))
            self._synonyms[kind] = list_synonyms(model, nos, names, self.catalog, self._count_legs(kind))
        return self._synonyms[kind]

    def _count_legs(self, kind: int) -> dict[str, int]:
        """Return the most legs that a splitter has on devices of a kind, by connector (or cage) as printed."""
        cabling, most_legs = self.cabling, dict[str, int]()
        ports = np.flatnonzero(cabling.split & (self.kind[cabling.device] == kind))
        _, first_of_plug, counts = np.unique(cabling.plug[ports], return_index=True, return_counts=True)
        for port, count in zip(ports[first_of_plug].tolist(), counts.tolist(), strict=True):
            text = cabling.connector_text(port)
            most_legs[text] = max(most_legs.get(text, 0), count)
        return most_legs

    def spare_names(self) -> tuple[str, ...]:
        """Return the names of all spare ports found so far: value v < -1 of `find_ports` has its name at -2 - v."""
        return tuple(self._spare)

    def find_ports(self, device: Ints, text: Ints, texts: Sequence[str]) -> Ints:
        """Find ports by device (int32; -1: none) and by text (int32, an index into `texts`; 0: none).

        Returns int32: a planned port, UNKNOWN, or a value below -1 for a port that the plan does not use (see
        `spare_names`).
        """
        ports = np.full(len(device), UNKNOWN, dtype=np.int32)
        rows = np.flatnonzero((device >= 0) & (text > 0))
        if not len(rows):
            return ports
        kinds = self.kind[device[rows]].astype(np.int16)
        # kind by kind, since the meaning of a text depends on the kind; numpy sorts int16 by radix, which is fast
        rows = rows[np.argsort(kinds, kind="stable")]
        device_of_row, text_of_row = device[rows], text[rows]
        kind_bounds = np.cumsum(np.bincount(kinds)).tolist()
        for kind, (start, end) in enumerate(zip([0, *kind_bounds], kind_bounds, strict=False)):
            if start < end:
                codes_of_kind = text_of_row[start:end]
                slot_of_text, spare_value = self._number_texts(kind, codes_of_kind, texts)
                slot_of_row, port_of_row = slot_of_text[codes_of_kind], spare_value[codes_of_kind]
                rows_with_slot = np.flatnonzero(slot_of_row >= 0)
                planned = self._slots[
                    self._start[device_of_row[start:end][rows_with_slot]] + slot_of_row[rows_with_slot]
                ]
                port_of_row[rows_with_slot] = np.where(planned >= 0, planned, port_of_row[rows_with_slot])
                ports[rows[start:end]] = port_of_row
        if self.by_address:
            self._find_addresses(ports, rows, device_of_row, text_of_row, texts)
        return ports

    def _number_texts(self, kind: int, codes: Ints, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """Return two int32 columns by text: its number among the names of a kind, and its value as a spare port.

        Only texts that occur in `codes`, the texts of devices of this kind, are looked up; all others are UNKNOWN.
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
        # fill `ports` where a text is the known MAC or GUID of a port of the same device and no name was understood
        port = self.find_by_address(texts)[codes]
        right = (port >= 0) & (self.cabling.device[port] == owners) & (ports[rows] < 0)
        ports[rows[right]] = port[right]

    def find_by_address(self, texts: Sequence[str]) -> Ints:
        """Return the port of each text that is a known MAC or GUID, -1 for other texts; int32."""
        get = self.by_address.get
        return np.array([get(text, -1) for text in texts], dtype=np.int32)


# Names that devices have for their ports besides the planned ones, depending on the NOS.
# SONiC tells the alias of a port as its LLDP port id, not its name (sonic-buildimage, dockers/docker-lldp/lldpmgrd:
# `configure ports Ethernet0 lldp portidsubtype local etp1`); both are known here, from the port table. EOS writes
# Ethernet1/1 as Et1/1 in its tables. InfiniBand numbers ports over the face, cage by cage, while labels read CAGE/PORT
# (see views/fabric.py).

_MANAGEMENT = re.compile(r"eth0|mgmt\d*|management[\d/]*")
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"^[a-z]+(?=\d)")


@dataclass(frozen=True)
class PortSynonyms:
    """The names of the ports of one kind of device.

    `planned` are the planned names, `by_text` maps other (folded) names to planned ones, and `shapes` are planned names
    with `#` in place of their numbers, by which names of unused ports are recognised. `spoken` says how dumps of
    the NOS call ports other than by their names.
    """

    spoken: DumpFacts
    planned: frozenset[str]
    by_text: dict[str, str] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()

    def find_name(self, text: str) -> str:
        """Return the name of a port, even of one that the plan does not use, from the text in a dump; "" if unknown."""
        if text in self.planned:
            return text
        folded = _fold_name(text, self.spoken)
        if name := self.by_text.get(folded):
            return name
        return text if _MANAGEMENT.fullmatch(folded) or _mask_numbers(folded) in self.shapes else ""


def list_synonyms(
    model: str, nos: str, planned: Iterable[str], catalog: Catalog, legs: Mapping[str, int] | None = None
) -> PortSynonyms:
    """List the port names of a switch model with a NOS; `planned` are the names that the plan uses.

    `legs` has the number of legs of splitters by connector (`9/1`), or by cage (`9`) if a splitter takes a whole cage.
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
    # in reverse order, so that of two names that fold to the same text the first one stays
    by_text |= {_fold_name(name, spoken): name for name in sorted(names, reverse=True)}
    shapes = frozenset(_mask_numbers(_fold_name(name, spoken)) for name in names)
    return PortSynonyms(spoken, names, by_text, shapes)


def _fold_name(text: str, spoken: DumpFacts) -> str:
    """Return a name in lower case with the abbreviation it begins with written out: `ethernet1/1` for `Et1/1`."""
    folded = text.strip().lower()
    letters = next(iter(_LETTERS.findall(folded)), "")
    word = next((word for word, short_forms in spoken.abbreviations.items() if letters in short_forms), letters)
    return word + folded[len(letters) :]


def _mask_numbers(folded: str) -> str:
    """Return a name with `#` in place of each number: `ethernet#/#`."""
    return _DIGITS.sub("#", folded)


def _sonic_platform(model: str, catalog: Catalog) -> SonicPlatform | None:
    # the SONiC platform of a model; None if it has none
    try:
        return catalog.sonic_platform(model)
    except InputError:
        return None


def _list_aliases(platform: SonicPlatform, names: frozenset[str]) -> dict[str, str]:
    """Return names by alias. Splits of cages are inferred from the planned names; unused cages count as not split."""
    names_by_alias = {}
    for cage in platform.cages:
        breakout = _find_breakout(cage, platform, names)
        lanes_per_port = len(cage.lanes) // breakout
        for nth in range(breakout):
            alias = platform.find_alias(cage, breakout, nth).lower()
            names_by_alias[alias] = f"Ethernet{cage.port + nth * lanes_per_port}"
    return names_by_alias


def _find_breakout(cage: PlatformCage, platform: SonicPlatform, names: frozenset[str]) -> int:
    """Return into how many ports a SONiC cage is split, by the names in use; 1 if no split fits these names."""
    used_offsets = [offset for offset in range(len(cage.lanes)) if f"Ethernet{cage.port + offset}" in names]
    possible_breakouts = (
        breakout
        for breakout in range(1, len(cage.lanes) + 1)
        if len(cage.lanes) % breakout == 0 and platform.has_split(breakout)
    )
    # the coarsest split in which each name in use is that of the first lane of a port
    return next(
        (
            breakout
            for breakout in possible_breakouts
            if all(offset % (len(cage.lanes) // breakout) == 0 for offset in used_offsets)
        ),
        1,
    )


def _list_lone_cages(names: frozenset[str]) -> dict[str, str]:
    """Return planned names by cage (`ethernet5` for Ethernet5/1) for cages of which the plan uses port 1 alone."""
    cages: dict[str, list[str]] = {}
    for name in names:
        cages.setdefault(name.rpartition("/")[0], []).append(name)
    return {cage.lower(): cage_ports[0] for cage, cage_ports in cages.items() if cage and cage_ports == [f"{cage}/1"]}


def _number_face(model: str, names: frozenset[str], catalog: Catalog, legs: Mapping[str, int]) -> dict[str, str]:
    """Return planned names (CAGE/PORT) by their number over the face, as InfiniBand counts ports.

    Each cage takes as many numbers as the cage that is split most. A connector with a splitter counts as split in at
    least two, even if the plan uses one leg only, or nothing in the other connector of the cage.
    """
    cage_ports = [
        (int(cage), int(sub)) for name in names for cage, _, sub in [name.partition("/")] if _is_cage_port(name)
    ]
    connectors, cages = 1, max((cage for cage, _ in cage_ports), default=0)
    try:
        profile = catalog.switch(model)
        connectors = max(cage.connectors for cage in profile.cages)
        cages = max(cages, profile.cage_count)
    except InputError:
        pass
    splits = dict.fromkeys(range(1, cages + 1), connectors)
    for cage, sub in cage_ports:
        if sub > splits[cage]:
            # cages are split into powers of two: take the least that has this port
            splits[cage] = 1 << (sub - 1).bit_length()
    for socket, count in legs.items():
        number, _, connector = socket.partition("/")
        breakout = max(2, 1 << (count - 1).bit_length())
        if number.isdigit() and int(number) in splits:
            splits[int(number)] = max(splits[int(number)], breakout * (connectors if connector else 1))
    stride = max(splits.values(), default=1)
    return {
        # ports of a cage that is split less are spread evenly over its numbers
        str((cage - 1) * stride + sub * (stride // split) + 1): f"{cage}/{sub + 1}"
        for cage, split in splits.items()
        for sub in range(split)
    }


def _is_cage_port(name: str) -> bool:
    return re.fullmatch(r"\d{1,4}/\d{1,2}", name) is not None
