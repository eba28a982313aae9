"""The number of a port of the plan by its device and what a dump calls it, for millions of rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.ports.synonyms import PortSynonyms, synonyms_of
from fabricgen.wiring.tables import Ints, Ints64

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
        columns = [self.cabling.devices[name] for name in ("model", "nos", "fabric", "tier")]
        key = np.zeros(len(self.cabling.device_names), dtype=np.int64)
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
        self._local = np.cumsum(used, axis=1, dtype=np.int32) - 1
        self._used = used
        size = used.sum(axis=1).astype(np.int64)[self.kind]
        self._start: Ints64 = np.cumsum(size) - size
        self._places = np.full(int(size.sum()), UNKNOWN, dtype=np.int32)
        at = self._start[cabling.device] + self._local[kind, cabling.name]
        self._places[at] = np.arange(cabling.ports, dtype=np.int32)
        self._name_codes = {str(text): code for code, text in enumerate(cabling.port_texts.tolist())}

    def synonyms(self, kind: int) -> PortSynonyms:
        """What devices of a kind call their ports."""
        if kind not in self._synonyms:
            device = self._examples[kind]
            names = self.cabling.port_texts[self._used[kind]].tolist()
            model, nos = (str(self.cabling.of_device(column, device)) for column in ("model", "nos"))
            self._synonyms[kind] = synonyms_of(model, nos, names, self.catalog, self._count_legs(kind))
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
        """All of those; the one of a value v is at -2 - v."""
        return tuple(self._spare)

    def find(self, device: Ints, text: Ints, texts: Sequence[str]) -> Ints:
        """Ports by device (-1: none) and index into `texts`; int32: a planned port, UNKNOWN, or one that is spare."""
        found = np.full(len(device), UNKNOWN, dtype=np.int32)
        known = np.flatnonzero((device >= 0) & (text > 0))
        if not len(known):
            return found
        kinds = self.kind[device[known]].astype(np.int16)
        known = known[np.argsort(kinds, kind="stable")]
        own, said = device[known], text[known]
        ends = np.cumsum(np.bincount(kinds)).tolist()
        for kind, (first, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if first < end:
                texts_here = said[first:end]
                local, spare = self._table(kind, texts_here, texts)
                place, port = local[texts_here], spare[texts_here]
                named = np.flatnonzero(place >= 0)
                planned = self._places[self._start[own[first:end][named]] + place[named]]
                port[named] = np.where(planned >= 0, planned, port[named])
                found[known[first:end]] = port
        if self.by_address:
            self._find_addresses(found, known, own, said, texts)
        return found

    def _table(self, kind: int, said: Ints, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """(place among the names of a kind, value of a spare port) of every text that its devices have; int32."""
        local = np.full(len(texts), UNKNOWN, dtype=np.int32)
        spare = np.full(len(texts), UNKNOWN, dtype=np.int32)
        synonyms = self.synonyms(kind)
        for code in np.flatnonzero(np.bincount(said, minlength=len(texts))).tolist():
            text = texts[code]
            if is_mac(text):
                continue
            name = self.renamed.get((kind, text)) or synonyms.find(text)
            if not name:
                continue
            spare[code] = -2 - self._spare.setdefault(name, len(self._spare))
            number = self._name_codes.get(name, -1)
            if number >= 0 and self._used[kind, number]:
                local[code] = self._local[kind, number]
        return local, spare

    def _find_addresses(self, found: Ints, known: Ints64, own: Ints, said: Ints, texts: Sequence[str]) -> None:
        port = self.of_addresses(texts)[said]
        right = (port >= 0) & (self.cabling.device[port] == own) & (found[known] < 0)
        found[known[right]] = port[right]

    def of_addresses(self, texts: Sequence[str]) -> Ints:
        """The port of each text that is a known MAC or GUID, else -1; int32."""
        get = self.by_address.get
        return np.array([get(text, -1) for text in texts], dtype=np.int32)
