"""What devices call their ports besides the planned names, by what their NOS is known to do.

- SONiC tells the alias of a port as its LLDP port id, not its name (sonic-buildimage, dockers/docker-lldp/lldpmgrd:
  `configure ports Ethernet0 lldp portidsubtype local etp1`), so that both are known here, from the port table.
- EOS writes Ethernet1/1 as Et1/1 in its tables.
- InfiniBand numbers ports over the face, cage by cage, where labels are CAGE/PORT (see views/fabric.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.nos_facts import DumpFacts
from fabricgen.catalog.sonic_models import PlatformCage, SonicPlatform
from fabricgen.kernel.diagnostics import InputError

_MANAGEMENT = re.compile(r"eth0|mgmt\d*|management[\d/]*")
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"^[a-z]+(?=\d)")


@dataclass(frozen=True)
class PortSynonyms:
    """The names of the ports of one kind of devices: `planned` ones, others by their folded text, and their shapes."""

    spoken: DumpFacts
    planned: frozenset[str]
    known: dict[str, str] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()

    def find(self, text: str) -> str:
        """The name of a port by what a dump calls it; of a port that no plan uses, too. "" where it is not known."""
        if text in self.planned:
            return text
        folded = _folded(text, self.spoken)
        if name := self.known.get(folded):
            return name
        return text if _MANAGEMENT.fullmatch(folded) or _shape(folded) in self.shapes else ""


def synonyms_of(
    model: str, nos: str, planned: Iterable[str], catalog: Catalog, legs: Mapping[str, int] | None = None
) -> PortSynonyms:
    """The names of ports of a model with a NOS of which the plan uses some; `legs` are those of splitters by connector
    (`9/1`), or by cage (`9`) where one takes a whole cage.
    """
    names = frozenset(planned)
    naming = catalog.naming(nos)
    spoken, known = naming.dumps, dict[str, str]()
    if naming.has_tables and (platform := _sonic_platform(model, catalog)):
        known |= _aliases(platform, names)
    if spoken.in_subnet:
        known |= _numbers(model, names, catalog, legs or {})
    if spoken.cage_alone:
        known |= _cages_alone(names)
    known |= {_folded(name, spoken): name for name in sorted(names, reverse=True)}
    shapes = frozenset(_shape(_folded(name, spoken)) for name in names)
    return PortSynonyms(spoken, names, known, shapes)


def _folded(text: str, spoken: DumpFacts) -> str:
    """A name in small letters, its first word written out."""
    folded = text.strip().lower()
    first = next(iter(_LETTERS.findall(folded)), "")
    return next((word for word, short in spoken.abbreviations.items() if first in short), first) + folded[len(first) :]


def _shape(folded: str) -> str:
    """A name with its numbers left out: `ethernet#/#`."""
    return _DIGITS.sub("#", folded)


def _sonic_platform(model: str, catalog: Catalog) -> SonicPlatform | None:
    try:
        return catalog.sonic_platform(model)
    except InputError:
        return None


def _aliases(platform: SonicPlatform, names: frozenset[str]) -> dict[str, str]:
    """Names by alias. How a cage is split is read from the planned names; unused cages are taken as whole."""
    found = {}
    for cage in platform.cages:
        ways = _ways(cage, platform, names)
        each = len(cage.lanes) // ways
        for part in range(ways):
            found[platform.alias(cage, ways, part).lower()] = f"Ethernet{cage.port + part * each}"
    return found


def _ways(cage: PlatformCage, platform: SonicPlatform, names: frozenset[str]) -> int:
    used = [offset for offset in range(len(cage.lanes)) if f"Ethernet{cage.port + offset}" in names]
    fits = (w for w in range(1, len(cage.lanes) + 1) if len(cage.lanes) % w == 0 and platform.splits(w))
    return next((w for w in fits if all(offset % (len(cage.lanes) // w) == 0 for offset in used)), 1)


def _cages_alone(names: frozenset[str]) -> dict[str, str]:
    """Ethernet5 for Ethernet5/1, where no other port of that cage is used."""
    cages: dict[str, list[str]] = {}
    for name in names:
        cages.setdefault(name.rpartition("/")[0], []).append(name)
    return {cage.lower(): own[0] for cage, own in cages.items() if cage and own == [f"{cage}/1"]}


def _numbers(model: str, names: frozenset[str], catalog: Catalog, legs: Mapping[str, int]) -> dict[str, str]:
    """Names by number over the face: every cage has the numbers of the one that is split most.

    A connector with a splitter is split in two or more even where the plan uses one of its legs, or none of the other
    connector of its cage.
    """
    places = {name: (int(cage), int(sub)) for name in names for cage, _, sub in [name.partition("/")] if _plain(name)}
    connectors, cages = 1, max((cage for cage, _ in places.values()), default=0)
    try:
        profile = catalog.switch(model)
        connectors = max(cage.connectors for cage in profile.cages)
        cages = max(cages, profile.cage_count)
    except InputError:
        pass
    ways = dict.fromkeys(range(1, cages + 1), connectors)
    for cage, sub in places.values():
        if sub > ways[cage]:
            ways[cage] = 1 << (sub - 1).bit_length()
    for place, count in legs.items():
        number, _, connector = place.partition("/")
        each = max(2, 1 << (count - 1).bit_length())
        if number.isdigit() and int(number) in ways:
            ways[int(number)] = max(ways[int(number)], each * (connectors if connector else 1))
    stride = max(ways.values(), default=1)
    return {
        str((cage - 1) * stride + sub * (stride // split) + 1): f"{cage}/{sub + 1}"
        for cage, split in ways.items()
        for sub in range(split)
    }


def _plain(name: str) -> bool:
    return re.fullmatch(r"\d{1,4}/\d{1,2}", name) is not None
