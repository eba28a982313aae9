"""Lanes of links: optical lanes on the fibre, which both ends have in common, and electrical lanes in the cage at each
end.

A QSFP-DD 400GBASE-DR4 makes four wavelengths of 100G from eight lanes of 50G (IEEE 802.3bs, clause 124), so that it
meets a module of four lanes of 100G: half of a 2xDR4 OSFP, or the DR4 of a NIC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog.cable_models import CageLanes
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile, CageClass, NicRole
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.media.policy import CablePolicy, is_named, make_policy
from fabricgen.design.ports import PortRun
from fabricgen.design.tiers import TierSpec

if TYPE_CHECKING:
    from fabricgen.catalog.patch_models import PanelProfile, Polarity, TrunkProfile

LinkPort: TypeAlias = Attachment | PortRun
"""The end of a link in the design."""


class UnplacedEnd(NamedTuple):
    """An end of a link before it has a port: a cage of a switch, or a NIC."""

    cage: CageClass | NicRole
    ways: int = 0
    """Into how many ports the cage is stated to be split, 0 if nothing is stated; or the NIC is split."""

    def count_ports(self, speed_gbps: int, lane_gbps: float, *, exactly: bool = False) -> float:
        """Return how many ports of a speed a cage makes over electrical lanes of a rate, both in Gb/s; 0 if it makes
        none.

        With `exactly` a port must use all of its lanes: a port over fewer lanes would run them at another rate. If a
        breakout disables other cages, the ports are divided by the number of cages that it takes. A NIC counts as one
        port if it runs at this speed.
        """
        if isinstance(self.cage, NicRole):
            port_gbps = self.cage.lanes / self.ways * lane_gbps
            return float(speed_gbps == port_gbps or (speed_gbps < port_gbps and not exactly))
        ways = self.ways or self.cage.split_for(speed_gbps, lane_gbps) or 0
        if not ways or not self.cage.carries(ways, speed_gbps, lane_gbps):
            return 0
        return 0 if exactly and self.cage.lanes * lane_gbps != ways * speed_gbps else ways / self.cage.block(ways)


class LinkOptics(NamedTuple):
    """The optics that links may have: those that all of the stated `words` name, else those that the policy permits."""

    catalog: Catalog
    words: tuple[tuple[str, ...], ...]
    policy: CablePolicy

    def find_lane_rates(self, a: UnplacedEnd, b: UnplacedEnd, speed_gbps: int) -> tuple[float, float] | None:
        """Return the electrical lane rates at both ends of a link, Gb/s; None if the ends have no port of that speed in
        common.

        The rates are equal, unless only modules with a gearbox make ports of that speed, or if they make more of them.
        """
        common_rate = min(a.cage.lane_gbps, b.cage.lane_gbps)
        most_ports = a.count_ports(speed_gbps, common_rate) * b.count_ports(speed_gbps, common_rate)
        rates = (common_rate, common_rate) if most_ports else None
        # a gearbox costs more: it is taken only if the cages make more ports with it, or none without it
        for rates_with_gearbox in (
            self._match_gearboxes(a, b, speed_gbps) if a.cage.lane_gbps != b.cage.lane_gbps else ()
        ):
            ports = a.count_ports(speed_gbps, rates_with_gearbox[0], exactly=True) * b.count_ports(
                speed_gbps, rates_with_gearbox[1], exactly=True
            )
            if ports > most_ports:
                rates, most_ports = rates_with_gearbox, ports
        return rates

    def _match_gearboxes(self, a: UnplacedEnd, b: UnplacedEnd, speed_gbps: int) -> Iterator[tuple[float, float]]:
        """Yield the (rate at `a`, rate at `b`) of electrical lanes, Gb/s, with which modules at both ends send light of
        one rate although the two rates differ.

        Rates above those of an end's cage are left out. Modules that need a splitter are considered only if the
        breakout of a cage is stated. A pair of rates may come more than once.
        """
        breakout_is_stated = any(isinstance(end.cage, CageClass) and end.ways for end in (a, b))
        gearbox_modules = [c for c in self.catalog.gearboxes if breakout_is_stated or not c.splits_of]
        electrical_rates = {rate for cable in gearbox_modules for rate in cable.lane_gbps}
        # for most pairs of ends the search stops here: no module has lanes as slow as those of the slower end
        if min(electrical_rates, default=inf) > min(a.cage.lane_gbps, b.cage.lane_gbps):
            return
        for medium, light_gbps in self._list_light_rates(speed_gbps):
            rates_by_end = [
                sorted(r for r in {light_gbps, *electrical_rates} if r <= end.cage.lane_gbps) for end in (a, b)
            ]
            for lane_a, lane_b in product(*rates_by_end):
                lanes_by_end = (CageLanes(end.cage.form_factor, r, speed_gbps) for end, r in ((a, lane_a), (b, lane_b)))
                if lane_a != lane_b and all(
                    medium.find_module_at(end, light_gbps, gearbox_modules) for end in lanes_by_end
                ):
                    yield lane_a, lane_b

    def _list_light_rates(self, speed_gbps: int) -> Iterator[tuple[CableProfile, float]]:
        """Yield (medium, rate of its optical lanes, Gb/s) of all permitted optics that carry links of a speed over
        whole lanes.
        """
        for cable in (c for c in self.catalog.cables if _is_optic(c) and self._permits(c)):
            for light_gbps in (rate for rate in cable.lane_gbps if speed_gbps % rate == 0):
                if cable.splits_for(int(speed_gbps / light_gbps)):
                    yield cable, light_gbps

    def _permits(self, cable: CableProfile) -> bool:
        return all(is_named(words, cable) for words in self.words) if self.words else self.policy.permits(cable)


def find_uplink_optics(blueprint: Blueprint, catalog: Catalog, lower: TierSpec, upper: TierSpec) -> LinkOptics:
    """Return the optics for links of a tier to the tier above: those that `up` of the lower tier and `down` of the
    upper one both name, else as the fabric that owns the links says.
    """
    stated_media = [
        media_words for media_words in (lower.spec.media.get("up"), upper.spec.media.get("down")) if media_words
    ]
    profile_ids = (lower.profile.id, upper.profile.id)
    return _make_optics(blueprint, catalog, lower.links_of or lower.fabric, stated_media, profile_ids)


def find_node_optics(
    blueprint: Blueprint, catalog: Catalog, fabric: str, leaf: TierSpec, device: str, media: Iterable[str] | None = None
) -> LinkOptics:
    """Return the optics for links of nodes, or of extra devices that state `media`, to a leaf."""
    stated_media = [words for words in (tuple(media or ()) or leaf.spec.media.get("down"),) if words]
    return _make_optics(blueprint, catalog, fabric, stated_media, (device, leaf.profile.id))


def _make_optics(
    blueprint: Blueprint, catalog: Catalog, fabric: str, stated: list[tuple[str, ...]], profile_ids: tuple[str, str]
) -> LinkOptics:
    """Return the optics for links of a fabric: those that all of the `stated` lists of words name, else those that the
    fabric's `media` name, else those that its policy permits between devices of two profiles.
    """
    fabric_media = blueprint.fabrics[fabric].media
    word_lists = tuple(stated) or ((fabric_media,) if fabric_media else ())
    return LinkOptics(catalog, word_lists, make_policy(blueprint, fabric, profile_ids))


def _is_optic(cable: CableProfile) -> bool:
    """Whether a medium consists of modules without a gearbox, and of fibre between them."""
    return bool(cable.fibre) and not cable.attached and cable.light_gbps is None


def find_light_rate(catalog: Catalog, a: LinkPort, b: LinkPort) -> float:
    """Return the rate of a lane on the fibre between two ports, Gb/s.

    It is that of the ports' lanes if these are equal. Else it is the slowest rate, from that of the faster port up, for
    which there are modules for both ports; the rate of the faster port if there are none.
    """
    fastest = max(a.lane_gbps, b.lane_gbps)
    if a.lane_gbps == b.lane_gbps:
        return fastest
    gearboxes = catalog.gearboxes
    for light_gbps in sorted({fastest, *(c.light_gbps for c in gearboxes if c.light_gbps and c.light_gbps > fastest)}):
        plain_optics = (c for c in catalog.cables if _is_optic(c) and light_gbps in c.lane_gbps)
        lanes_by_end = [CageLanes(port.form_factor, port.lane_gbps, b.speed_gbps) for port in (a, b)]
        if any(all(c.find_module_at(end, light_gbps, gearboxes) for end in lanes_by_end) for c in plain_optics):
            return light_gbps
    return fastest


# Fibre polarity: connector positions traced through jumpers, adapters and trunks.
# Polarity types are those of ANSI/TIA-568.3, as the catalogue's trunks and panels state them. The transceivers at both
# ends are alike and transmit at the same positions: a signal must arrive at the mirror image of the position that it
# left, as over a single cord of type B. So an odd number of the pieces in between must reverse positions.

PositionMap = Callable[[int], int]
"""Maps a position at one end of a fibre to the position at its other end, both from 1."""


def make_fibre_map(kind: Polarity, width: int) -> PositionMap:
    """Return the position map of a jumper or trunk of a polarity type whose connectors have `width` positions."""
    if kind == "A":
        return lambda position: position
    if kind == "B":
        return lambda position: width + 1 - position
    # type C crosses each pair of fibres: 1 and 2, 3 and 4 (TIA-568.3)
    return lambda position: position + 1 if position % 2 else position - 1


def explain_polarity_fault(panel: PanelProfile, trunk: Polarity, jumpers: Sequence[Polarity]) -> str:
    """Return in words why a channel over two panels of this profile joins transmitters to transmitters; "" if it does
    not.

    Parallel optics have multi-fibre jumpers of the given types; a cassette has duplex jumpers, which cross (A to B).
    """
    width = 16 if panel.rear.startswith("MPO-16") else 12
    # mated connectors: the same position for key up to key down, the mirror image for key up to key up
    cross_adapter = make_fibre_map("A" if panel.adapter == "A" else "B", width)
    cross_trunk = make_fibre_map(trunk, width)
    map_between_panels: PositionMap = lambda position: cross_adapter(cross_trunk(cross_adapter(position)))  # noqa: E731 - a composition
    if len(panel.positions) > 1:
        return _explain_duplex_fault(panel, map_between_panels)
    first_jumper, last_jumper = (make_fibre_map(kind, width) for kind in jumpers)
    for position in panel.positions[0]:
        arrival, mirror = last_jumper(map_between_panels(first_jumper(position))), width + 1 - position
        if arrival != mirror:
            return f"a fibre that leaves at position {position} arrives at {arrival}, where {mirror} listens"
    return ""


def _explain_duplex_fault(panel: PanelProfile, map_between_panels: PositionMap) -> str:
    """Return in words why two cassettes join transmitters to transmitters; "" if they do not.

    The signal must come out of the port of the same number, on the other fibre of the pair. The two crossing jumpers
    cancel each other, so the fibre between the panels must cross once more.
    """
    socket_by_position = {
        position: (port, side) for port, pair in enumerate(panel.positions) for side, position in enumerate(pair)
    }
    for port, pair in enumerate(panel.positions):
        for side, position in enumerate(pair):
            socket = socket_by_position.get(map_between_panels(position))
            if socket is None or socket[0] != port:
                far_port = f"port {socket[0] + 1}" if socket else "no port"
                return f"what enters port {port + 1} of a cassette comes out at {far_port} of the other"
            if socket[1] == side:
                return f"port {port + 1} of both cassettes joins transmitter to transmitter"
    return ""


def explain_mismatch(connector: str, panel: PanelProfile, trunk: TrunkProfile | None) -> str:
    """Return in words why jumpers of a connector, panels and trunks do not plug into each other; "" if they do.

    Transceivers have pins and jumpers have sockets at both ends (NVIDIA LinkX, MMS4X00), so trunks need pins if they
    meet jumpers in adapters. Angled connectors need adapters of type A (ydfiberoptic.com/overview-of-mpo-mtp-adapter).
    """
    if connector != panel.front:
        return f"the transceivers have {connector}, {panel.id} has {panel.front} in front"
    if trunk is None:
        return f"no trunk of the catalogue ends in {panel.rear}"
    if not trunk.pinned and panel.matings == 1:
        return f"jumpers and {trunk.id} both have sockets, no pins"
    if panel.adapter == "B" and "APC" in panel.rear:
        return f"{panel.id} joins key up to key up, where the angles of APC connectors do not meet"
    return ""
