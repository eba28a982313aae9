"""A page that is completed setting by setting: what was read of switches, and the cluster that the page comes to.

What is inferred is a value at a path of the page, with the switches that say so and those that say otherwise. A value
with which the page could not be built is left out, and told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import Any, NamedTuple

from fabricgen.adopt.words import edit_words, get, write_page
from fabricgen.blueprint.base import Model
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_design
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Peer
from fabricgen.views.switch import SwitchPort, SwitchView

MOST_OF_A_LINK = 16
"""A subnet of more addresses is none of a link to one far device."""


class FarEnd(NamedTuple):
    """What is beyond a port: the far address, the session with it, if any, and static routes over it.

    `loopback` is that of the far device, where the session is with that.
    """

    vrf: str
    far: str
    peer: Peer | None
    prefixes: tuple[str, ...]
    loopback: str = ""


def index_far_ends(running: Switch) -> dict[str, list[FarEnd]]:
    """By port, what is beyond it, by VRF and far address; ports of hosts are not there."""
    port_of = {far: name for name, port in running.interfaces.items() for far in _list_far(port.addresses)}
    prefixes: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (vrf, prefix), route in running.routes.items():
        for port, far in route.hops:
            prefixes[vrf, port, far].append(prefix)
    over = {(v, p.rpartition("/")[0]): (port, far) for (v, port, far), ps in prefixes.items() for p in ps}
    ends: dict[str, list[FarEnd]] = defaultdict(list)
    spoken = set[tuple[str, str, str]]()
    for vrf, bgp in running.bgp.items():
        for key, peer in bgp.peers.items():
            if key in port_of:
                ends[port_of[key]].append(FarEnd(vrf, key, peer, ()))
                spoken.add((vrf, port_of[key], key))
            elif (vrf, key) in over:
                for (v, port, far), of_port in prefixes.items():
                    if v == vrf and any(p.rpartition("/")[0] == key for p in of_port):
                        ends[port].append(FarEnd(vrf, far, peer, (), key))
                        spoken.add((vrf, port, far))
    for (vrf, port, far), of_port in prefixes.items():
        if (vrf, port, far) not in spoken:
            ends[port].append(FarEnd(vrf, far, None, tuple(of_port)))
    return dict(ends)


def _list_far(addresses: Iterable[str]) -> Iterator[str]:
    """The other addresses of the subnets of a link."""
    for address in addresses:
        own = ip_interface(address)
        if own.network.num_addresses <= MOST_OF_A_LINK:
            yield from (str(far) for far in own.network if far != own.ip)


Page = dict[str, Any]
Keys = tuple[str, ...]

MOST_OF_A_TIER = 24
"""So many switches of a tier are asked for what all of them share; numbers are compared on every switch."""


EVERY = 1 << 30
"""All switches of a tier."""


class ReadSwitch(NamedTuple):
    """What was read of one switch: its files by name, what of these was not read, and what is beyond its ports."""

    nos: str
    model: Switch
    files: Mapping[str, str]
    unread: tuple[str, ...] = ()
    far_ends: Mapping[str, list[FarEnd]] = {}


class Pair(NamedTuple):
    """A switch as the page has it so far, and as it runs."""

    view: SwitchView
    running: Switch
    far_ends: Mapping[str, list[FarEnd]]

    @property
    def fabric(self) -> str:
        """The fabric that owns it."""
        return self.view.fabric.name

    def list_hosts(self, fabric: str) -> Iterator[SwitchPort]:
        """Its ports of nodes and extra devices of a fabric that were read, but for those that lead outside."""
        ports = (port for port in self.view.ports if port.role == "host" and port.service == fabric)
        return (p for p in ports if p.name in self.running.interfaces and p.name not in self.far_ends)

    def list_links(self) -> Iterator[SwitchPort]:
        """Its routed ports to other switches."""
        return (port for port in self.view.ports if port.role in ("up", "down", "peer") and not port.bond)


class Vote(NamedTuple):
    """What most switches say, how many these are, and which say otherwise."""

    value: Any
    facts: int
    against: tuple[str, ...]


class Stated(NamedTuple):
    """A value of the page that was inferred; None takes the key away. `note` says what is not sure of it."""

    path: Keys
    value: Any
    facts: int = 0
    against: tuple[str, ...] = ()
    note: str = ""


class Evidence(NamedTuple):
    """A row of what could not be inferred, or contradicts it.

    `kind`: "unsure", where inputs do not decide; "refused", a value that the page cannot have; "unexplained", what many
    switches have and no section says; "drifted", what one switch has otherwise than its like; "kept", a number that no
    rule gives; "unread", what of a switch could not be read. `line` is that of the file, 0 for none.
    """

    kind: str
    where: str
    text: str
    facts: int = 0
    device: str = ""
    file: str = ""
    line: int = 0

    @property
    def sentence(self) -> str:
        """The row in words: FILE:LINE: device: where: text."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (self.device, place, self.where, self.text) if part)


def find_majority(votes: Iterable[tuple[str, Any]]) -> Vote | None:
    """The value of most of (switch, value); of equally many the one that is met first. None where nobody votes."""
    ballots = [(name, value, repr(value)) for name, value in votes]  # mappings and lists count by their text
    if not ballots:
        return None
    text, facts = Counter(text for _, _, text in ballots).most_common(1)[0]
    against = tuple(dict.fromkeys(name for name, _, other in ballots if other != text))
    return Vote(next(value for _, value, other in ballots if other == text), facts, against)


@dataclass
class Draft:
    """A page under way; `path` is where it stands or will, so that its lock and tables beside it count."""

    page: Page
    path: str
    switches: Mapping[str, ReadSwitch]
    evidence: list[Evidence] = field(default_factory=list)
    stated: dict[Keys, Stated] = field(default_factory=dict)
    catalog: Catalog | None = None
    cluster: Cluster = field(init=False)
    _sample: tuple[Cluster, list[Pair]] | None = None

    def __post_init__(self) -> None:
        self.cluster = self.build(self.page)
        self.catalog = self.cluster.design.catalog

    def build(self, page: Page) -> Cluster:
        """The cluster of a page; raises InputError where it is none."""
        unsaved = {self.path: write_page(page).encode()}
        return build_cluster(compile_design(self.path, unsaved=unsaved, advise=False, catalog=self.catalog))

    def state(self, values: Iterable[Stated]) -> None:
        """Put values into the page, all together or, where they cannot be, those that can; the others are told."""
        fresh = [stated for stated in values if get(self.page, stated.path) != stated.value]
        if fresh and self._take(fresh):
            for stated in fresh:
                if why := self._take([stated]):
                    self.tell("refused", ".".join(stated.path), f"{stated.value!r}: {why}", stated.facts)

    def _take(self, values: Sequence[Stated]) -> str:
        """Put values into the page; why it could not be built with them, else ""."""
        page = edit_page(self.page, values)
        try:
            self.cluster = self.build(page)
        except InputError as error:
            return error.diagnostics[0].message
        self.page, self.stated = page, self.stated | {stated.path: stated for stated in values}
        return ""

    def tell(self, kind: str, where: str, text: str, facts: int = 0) -> None:
        """Add a row of evidence of no single switch."""
        self.evidence.append(Evidence(kind, where, text, facts))

    def list_pairs(self) -> Sequence[Pair]:
        """Some switches of each tier that were read, in the order of devices."""
        if self._sample is None or self._sample[0] is not self.cluster:
            self._sample = self.cluster, list(self.iterate_pairs(self.cluster, MOST_OF_A_TIER))
        return self._sample[1]

    def iterate_pairs(self, cluster: Cluster, most: int) -> Iterator[Pair]:
        """Yield switches of a cluster that were read, up to so many of each tier, evenly."""
        for cls in cluster.plan.devices.classes:
            rows = [row for row in range(cls.first, cls.first + cls.count) if cluster.names[row] in self.switches]
            for row in rows[:: max(1, -(-len(rows) // most))]:
                read = self.switches[cluster.names[row]]
                yield Pair(cluster.switch(row), read.model, read.far_ends)

    def list_fabrics(self) -> list[FabricDesign]:
        """The Ethernet fabrics in the order of the page."""
        return [fabric for fabric in self.cluster.design.fabrics if fabric.protocol != "infiniband"]

    def find_owner(self, fabric: str) -> str:
        """The fabric that owns the switches of one: itself, or its carrier."""
        return self.cluster.design.fabric(fabric).carrier or fabric

    def count_votes(self, fabrics: Iterable[str], ask: Callable[[str, Pair], Iterable[Any]]) -> dict[str, Vote]:
        """By fabric, what most of its switches say to a question; a fabric of which none answers is left out."""
        pairs, votes = self.list_pairs(), dict[str, Vote]()
        for fabric in fabrics:
            answers = ((pair.view.name, answer) for pair in pairs for answer in ask(fabric, pair))
            if vote := find_majority(answers):
                votes[fabric] = vote
        return votes


def edit_page(page: Page, values: Iterable[Stated]) -> Page:
    """A page with values at their paths, and the keys of the cluster and of fabrics in the order of the language."""
    edited = edit_words(page, [tuple((stated.path, stated.value) for stated in values)])
    ordered = _sort_keys(edited, Blueprint)
    fabrics = {name: _sort_keys(fabric, Fabric) for name, fabric in ordered.get("fabrics", {}).items()}
    return ordered | ({"fabrics": fabrics} if fabrics else {})


def _sort_keys(section: Page, model: type[Model]) -> Page:
    places = list(model.model_fields)
    return dict(
        sorted(section.items(), key=lambda entry: places.index(entry[0]) if entry[0] in places else len(places))
    )


def state_by_fabric(votes: Mapping[str, Vote], keys: Keys, usual: Any = None, *, together: bool = True) -> list[Stated]:
    """Values of a setting that the cluster states for all fabrics, or a fabric for itself.

    `votes` by fabric, `usual` what holds where nothing is stated. What most fabrics have is the cluster's, unless all
    of them are not to be put `together`; fabrics that have something else state it.
    """
    if not votes:
        return []
    counts = Counter[str]()  # values may be mappings, which cannot be counted but as text
    for vote in votes.values():
        counts[repr(vote.value)] += vote.facts
    top = counts.most_common(1)[0][0]
    shared = [vote for vote in votes.values() if repr(vote.value) == top]
    is_shared = together and (len(shared) > 1 or len(votes) == 1) and repr(usual) != top
    common = shared[0].value if is_shared else usual
    stated = [
        Stated(("fabrics", fabric, *keys), vote.value, vote.facts, vote.against)
        for fabric, vote in votes.items()
        if vote.value != common
    ]
    if is_shared:
        against = tuple(name for vote in shared for name in vote.against)
        stated.insert(0, Stated(keys, common, sum(vote.facts for vote in shared), against))
    return stated
