"""What a lab is made of, read from a build's files alone: links.csv, devices.csv, addresses.csv and configs."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.nos_rooms import list_nos, load_part
from fabricgen.lab.as_frr import as_frr
from fabricgen.running.tree import STUMBLES, Notes, reason_of, tolerant
from fabricgen.switch.model import Switch

LOWEST = "lowest.txt"
"""A list that a lab has beside those of a build: the switches that hosts are cabled to."""


def kernel(port: str) -> str:
    """A port's name as Linux takes it."""
    return port.replace("/", "_")


@dataclass(frozen=True, slots=True)
class End:
    """One end of a link."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclass(frozen=True, slots=True)
class Link:
    """A row of links.csv."""

    a: End
    b: End


@dataclass(frozen=True)
class Build:
    """A build's files, understood; nothing in it comes from the plan."""

    files: Mapping[str, str]

    @cached_property
    def devices(self) -> dict[str, dict[str, str]]:
        """Rows of devices.csv by name."""
        return {row["device"]: row for row in _rows(self.files["devices.csv"])}

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Rows of links.csv."""
        rows = _rows(self.files["links.csv"])
        return tuple(Link(End(r["a_device"], r["a_port"]), End(r["b_device"], r["b_port"])) for r in rows)

    @cached_property
    def far(self) -> dict[End, End]:
        """The far end of every port, by links.csv."""
        return {near: far for link in self.links for near, far in ((link.a, link.b), (link.b, link.a))}

    @cached_property
    def addresses(self) -> dict[End, tuple[str, ...]]:
        """Addresses of each port and loopback, with prefix lengths (addresses.csv)."""
        found: dict[End, tuple[str, ...]] = defaultdict(tuple)
        for row in _rows(self.files["addresses.csv"]):
            found[End(row["device"], row["port"])] += (row["prefix"],)
        return found

    def own(self, end: End) -> tuple[str, ...]:
        """The addresses that a port has in a lab: a switch's by its configuration, a host's by addresses.csv."""
        if end.device not in self.forms:
            return self.addresses.get(end, ())
        port = self.forms[end.device].interfaces.get(end.port)
        return tuple(sorted(port.addresses)) if port and not port.vrf else ()

    @cached_property
    def tables(self) -> dict[End, int]:
        """The number of the routing table of each port of a host: above those that Linux keeps (253 to 255)."""
        counts: dict[str, int] = defaultdict(int)
        found = {}
        for near in self.far:
            if near.device not in self.forms:
                found[near] = 1000 + counts[near.device]
                counts[near.device] += 1
        return found

    @cached_property
    def kinds(self) -> dict[End, str]:
        """The kind of the first address of each port and loopback (addresses.csv)."""
        rows = reversed(list(_rows(self.files["addresses.csv"])))
        return {End(row["device"], row["port"]): row["kind"] for row in rows}

    @cached_property
    def names(self) -> dict[str, tuple[Link, ...]]:
        """Links by what they are called: DEVICE:PORT of either end, and the cable or link of links.csv."""
        found: dict[str, tuple[Link, ...]] = {}
        for column in ("cable", "link"):
            groups: dict[str, tuple[Link, ...]] = defaultdict(tuple)
            for link, row in zip(self.links, _rows(self.files["links.csv"]), strict=True):
                groups[row[column]] += (link,)
            found |= groups
        return found | {str(end): (link,) for link in self.links for end in (link.a, link.b)}

    @cached_property
    def switches(self) -> tuple[str, ...]:
        """Names of the switches, in the order of devices.csv."""
        return tuple(name for name, row in self.devices.items() if row["tier"] != "node")

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Names of everything else that a link ends at."""
        ends = (end.device for link in self.links for end in (link.a, link.b))
        return tuple(dict.fromkeys(device for device in ends if device not in self.switches))

    @cached_property
    def lowest(self) -> frozenset[str]:
        """Switches that hosts are cabled to: those of a list, where links to hosts were left out (`inside`)."""
        if LOWEST in self.files:
            return frozenset(self.files[LOWEST].split())
        switches = set(self.switches)
        return frozenset(far.device for near, far in self.far.items() if near.device not in switches) & switches

    @property
    def forms(self) -> dict[str, Switch]:
        """What the files of each switch say, as far as readers know their words; see `notes`.

        Raises KeyError for a NOS whose files nothing reads, and InputError (FG175) for files that are in
        pieces.
        """
        return self._readings[0]

    @property
    def notes(self) -> dict[str, Notes]:
        """What no reader knows of the files of each switch, such as snippets; switches without any are left out."""
        return self._readings[1]

    @cached_property
    def _readings(self) -> tuple[dict[str, Switch], dict[str, Notes]]:
        forms, notes = {}, {}
        for name in self.switches:
            reader = load_part(self.devices[name]["nos"], "reader")
            try:
                with tolerant() as passed_over:
                    forms[name] = reader.read(self.of(name))
            except STUMBLES as error:
                why = f"configurations of {name} cannot be read: {reason_of(error)}"
                raise fault("FG175", why, hint="take away the snippet or template that breaks them") from error
            if passed_over != Notes():
                notes[name] = passed_over
        return forms, notes

    def of(self, name: str) -> dict[str, str]:
        """The files of a switch by name."""
        folder = f"configs/{name}/"
        return {path.removeprefix(folder): text for path, text in self.files.items() if path.startswith(folder)}

    def frr(self, name: str) -> str:
        """What FRR runs on a switch: what its NOS gives it, or what its files of another NOS come to."""
        nos = self.devices[name]["nos"]
        if nos in list_nos("routing_daemon"):
            text: str = load_part(nos, "routing_daemon").read_frr_text(self.of(name))
            return text
        return as_frr(self.forms[name], kernel)


def _rows(text: str) -> Iterable[dict[str, str]]:
    return csv.DictReader(io.StringIO(text))
