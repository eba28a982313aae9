"""The page that is completed setting by setting, what was read of its switches, and the cluster that it describes.

A setting is a value at a path of the page, with the number of switches that have it and the names of those that differ.
A setting with which the page could not be built is left out, and a remark says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import Any, NamedTuple

from fabricgen.adopt.networks import T
from fabricgen.adopt.words import edit_words, get, write_files
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

MAX_ADDRESSES_OF_LINK = 16
"""A subnet with more addresses is taken for one of hosts, not for that of a link to one far device."""


class FarEnd(NamedTuple):
    """What a switch knows of the device at the other end of a port, in one VRF.

    `address` is the far one; `peer` the BGP session with that device, if there is one; `prefixes` are those of static
    routes through it. `loopback` is that of the far device if the session is with its loopback, else "".
    """

    vrf: str
    address: str
    peer: Peer | None
    prefixes: tuple[str, ...]
    loopback: str = ""


def index_far_ends(running: Switch) -> dict[str, list[FarEnd]]:
    """Return the far ends of each port, by the name of the port. Ports without a session or a static route have none.

    A session is either with an address in the subnet of a port, or with a loopback to which static routes lead.
    """
    port_of = {
        far_address: name
        for name, port in running.interfaces.items()
        for far_address in _list_far_addresses(port.addresses)
    }
    prefixes_by_hop: dict[tuple[str, str, str], list[str]] = defaultdict(list)  # by VRF, port and far address
    for (vrf, prefix), route in running.routes.items():
        for port, address in route.hops:
            prefixes_by_hop[vrf, port, address].append(prefix)
    far_ends: dict[str, list[FarEnd]] = defaultdict(list)
    hops_with_session = set[tuple[str, str, str]]()
    for vrf, bgp in running.bgp.items():
        for neighbor, peer in bgp.peers.items():
            if neighbor in port_of:
                far_ends[port_of[neighbor]].append(FarEnd(vrf, neighbor, peer, ()))
                hops_with_session.add((vrf, port_of[neighbor], neighbor))
                continue
            for (route_vrf, port, address), prefixes in prefixes_by_hop.items():
                if route_vrf == vrf and any(prefix.rpartition("/")[0] == neighbor for prefix in prefixes):
                    far_ends[port].append(FarEnd(vrf, address, peer, (), neighbor))
                    hops_with_session.add((vrf, port, address))
    for (vrf, port, address), prefixes in prefixes_by_hop.items():
        if (vrf, port, address) not in hops_with_session:
            far_ends[port].append(FarEnd(vrf, address, None, tuple(prefixes)))
    return dict(far_ends)


def _list_far_addresses(addresses: Iterable[str]) -> Iterator[str]:
    """Yield the addresses that a far device may have, given those of a port: all others of the same subnets.

    `addresses` are like `10.0.0.0/31`, for which `10.0.0.1` is yielded. A subnet with more than MAX_ADDRESSES_OF_LINK
    addresses yields none: it is not that of a link.
    """
    for interface in map(ip_interface, addresses):
        if interface.network.num_addresses <= MAX_ADDRESSES_OF_LINK:
            yield from (str(far) for far in interface.network if far != interface.ip)


Page = dict[str, Any]
Keys = tuple[str, ...]

MAX_SAMPLE_OF_TIER = 24
"""The most switches of a tier that are asked for a setting that all of them share."""

ALL_SWITCHES = 1 << 30
"""In place of MAX_SAMPLE_OF_TIER: numbers are compared on every switch."""


class ReadSwitch(NamedTuple):
    """What was read of one switch: its model, its files by name, sentences on what was passed over, far ends by
    port.
    """

    nos: str
    model: Switch
    files: Mapping[str, str]
    unread: tuple[str, ...] = ()
    far_ends: Mapping[str, list[FarEnd]] = {}


class ComparedSwitch(NamedTuple):
    """A switch as the page has it so far (`view`), as it runs (`running`), and the far ends of its ports."""

    view: SwitchView
    running: Switch
    far_ends: Mapping[str, list[FarEnd]]

    @property
    def fabric(self) -> str:
        """The name of the fabric that owns this switch."""
        return self.view.fabric.name

    def list_hosts(self, fabric: str) -> Iterator[SwitchPort]:
        """Return the ports to nodes and extra devices of a fabric that were read; ports with far ends lead outside."""
        ports = (port for port in self.view.ports if port.role == "host" and port.service == fabric)
        return (p for p in ports if p.name in self.running.interfaces and p.name not in self.far_ends)

    def list_links(self) -> Iterator[SwitchPort]:
        """Return the routed ports to other switches."""
        return (port for port in self.view.ports if port.role in ("up", "down", "peer") and not port.bond)


class Vote(NamedTuple):
    """What most switches have, how many have it, and the names of those that have something else."""

    value: Any
    facts: int
    against: tuple[str, ...]


class Setting(NamedTuple):
    """A value at a path of the page; None removes the key. `facts` counts switches that have it, `against` names
    others.
    """

    path: Keys
    value: Any
    facts: int = 0
    against: tuple[str, ...] = ()


class Remark(NamedTuple):
    """What could not be inferred, or what contradicts a setting.

    The kinds are "unsure": the inputs do not decide; "refused": the page cannot have that value; "unexplained": many
    switches of a tier have it and no word of a page says it; "drifted": one switch differs from its tier; "kept": a
    number that no rule of the page gives; "unread": a part of a configuration that could not be read.
    `line` is the line of `file`, 0 if it is not known.
    """

    kind: str
    where: str
    text: str
    facts: int = 0
    device: str = ""
    file: str = ""
    line: int = 0


def find_majority(votes: Iterable[tuple[str, Any]]) -> Vote | None:
    """Return the most frequent value of (name of a switch, value) pairs, the first of equals; None without any vote."""
    ballots = [(name, value, repr(value)) for name, value in votes]  # mappings and lists are counted by their text
    if not ballots:
        return None
    winner, facts = Counter(text for _, _, text in ballots).most_common(1)[0]
    against = tuple(dict.fromkeys(name for name, _, text in ballots if text != winner))
    return Vote(next(value for _, value, text in ballots if text == winner), facts, against)


def count_votes(ballots: Iterable[tuple[T, tuple[str, Any]]]) -> dict[T, Vote]:
    """Return the most frequent value by subject, from (subject, (name of a switch, value)) pairs."""
    by_subject: dict[T, list[tuple[str, Any]]] = defaultdict(list)
    for subject, ballot in ballots:
        by_subject[subject].append(ballot)
    return {subject: vote for subject, of_subject in by_subject.items() if (vote := find_majority(of_subject))}


@dataclass
class Draft:
    """A page to which settings are added; its lock and the tables beside `path`, where it will stand, are read."""

    page: Page
    path: str
    switches: Mapping[str, ReadSwitch]
    remarks: list[Remark] = field(default_factory=list)
    settings: dict[Keys, Setting] = field(default_factory=dict)
    catalog: Catalog | None = None
    cluster: Cluster = field(init=False)
    _sample: tuple[Cluster, list[ComparedSwitch]] | None = None

    def __post_init__(self) -> None:
        self.cluster = self.build(self.page)
        self.catalog = self.cluster.design.catalog

    def build(self, page: Page) -> Cluster:
        """Return the cluster that a page describes; raises InputError if the page cannot be built."""
        unsaved = write_files(page, self.path)
        return build_cluster(compile_design(self.path, unsaved=unsaved, advise=False, catalog=self.catalog))

    def add_settings(self, settings: Iterable[Setting]) -> None:
        """Put settings into the page: all at once or, if it cannot be built with all, one by one with remarks."""
        changed = [setting for setting in settings if get(self.page, setting.path) != setting.value]
        if changed and self._try_settings(changed):
            for setting in changed:
                if reason := self._try_settings([setting]):
                    self.add_remark("refused", ".".join(setting.path), f"{setting.value!r}: {reason}", setting.facts)

    def _try_settings(self, settings: Sequence[Setting]) -> str:
        """Put settings into the page and return ""; or leave it, and return why it cannot be built with them."""
        page = edit_page(self.page, settings)
        try:
            self.cluster = self.build(page)
        except InputError as error:
            return error.diagnostics[0].message
        self.page, self.settings = page, self.settings | {setting.path: setting for setting in settings}
        return ""

    def add_remark(self, kind: str, where: str, text: str, facts: int = 0) -> None:
        """Add a remark on a place of the page or a part of a switch, which `where` names."""
        self.remarks.append(Remark(kind, where, text, facts))

    def list_switches(self) -> Sequence[ComparedSwitch]:
        """Return a sample of the switches of each tier that were read, in the order of devices."""
        if self._sample is None or self._sample[0] is not self.cluster:
            self._sample = self.cluster, list(self.iterate_switches(self.cluster, MAX_SAMPLE_OF_TIER))
        return self._sample[1]

    def iterate_switches(self, cluster: Cluster, most: int) -> Iterator[ComparedSwitch]:
        """Yield switches of a cluster that were read: at most `most` of each tier, spread evenly over it."""
        for cls in cluster.plan.devices.classes:
            rows = [row for row in range(cls.first, cls.first + cls.count) if cluster.names[row] in self.switches]
            for row in rows[:: max(1, -(-len(rows) // most))]:
                read = self.switches[cluster.names[row]]
                yield ComparedSwitch(cluster.switch(row), read.model, read.far_ends)

    def list_fabrics(self) -> list[FabricDesign]:
        """Return the Ethernet fabrics in the order of the page."""
        return [fabric for fabric in self.cluster.design.fabrics if fabric.protocol != "infiniband"]

    def find_owner(self, fabric: str) -> str:
        """Return the fabric that owns the switches of a fabric: the one that carries it, or itself."""
        return self.cluster.design.fabric(fabric).carrier or fabric

    def collect_votes(
        self, fabrics: Iterable[str], ask: Callable[[str, ComparedSwitch], Iterable[Any]]
    ) -> dict[str, Vote]:
        """Return by fabric what most switches answer to `ask(fabric, switch)`; fabrics without an answer are
        left out.
        """
        switches = self.list_switches()
        return count_votes((f, (s.view.name, answer)) for f in fabrics for s in switches for answer in ask(f, s))


def edit_page(page: Page, settings: Iterable[Setting]) -> Page:
    """Return a page with settings put in; keys of the cluster and of fabrics stand in the order of the language."""
    edited = edit_words(page, [tuple((setting.path, setting.value) for setting in settings)])
    ordered = _sort_keys(edited, Blueprint)
    fabrics = {name: _sort_keys(fabric, Fabric) for name, fabric in ordered.get("fabrics", {}).items()}
    return ordered | ({"fabrics": fabrics} if fabrics else {})


def _sort_keys(section: Page, model: type[Model]) -> Page:
    return {key: section[key] for key in (*model.model_fields, *section) if key in section}


def make_settings_by_fabric(
    votes: Mapping[str, Vote], keys: Keys, default: Any = None, *, per_fabric: bool = False
) -> list[Setting]:
    """Return settings of the key at `keys`: one for the whole cluster, and one for each fabric that differs from it.

    `votes` has what most switches of each fabric have, `default` is what a page means that says nothing. The value of
    most switches becomes the cluster's if several fabrics have it, or the only one. With `per_fabric`, each fabric gets
    a setting of its own instead.
    """
    if not votes:
        return []
    counts = Counter[str]()  # values may be mappings, which are counted by their text
    for vote in votes.values():
        counts[repr(vote.value)] += vote.facts
    most_frequent = counts.most_common(1)[0][0]
    sharing = [vote for vote in votes.values() if repr(vote.value) == most_frequent]
    is_shared = not per_fabric and (len(sharing) > 1 or len(votes) == 1) and repr(default) != most_frequent
    common = sharing[0].value if is_shared else default
    settings = [
        Setting(("fabrics", fabric, *keys), vote.value, vote.facts, vote.against)
        for fabric, vote in votes.items()
        if vote.value != common
    ]
    if is_shared:
        against = tuple(name for vote in sharing for name in vote.against)
        settings.insert(0, Setting(keys, common, sum(vote.facts for vote in sharing), against))
    return settings
