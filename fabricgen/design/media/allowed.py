"""Which media the blueprint allows for links: the statement nearest to the link applies.

A link between tiers has two ends with a statement each, `up` of the lower tier and `down` of the upper; only media that
both allow are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.scalars import MEDIA
from fabricgen.blueprint.sections.cabling import MediaPolicy
from fabricgen.catalog.cable_models import CageLanes
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile
from fabricgen.design.fabric_model import Attachment, ExtraSet, FabricDesign, Span, TierDesign
from fabricgen.design.media.gearing import light_between
from fabricgen.design.media.policy import named
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault, find_nearest


@dataclass(frozen=True, slots=True)
class StatedMedia:
    """Media that a blueprint states for links and where; `other` is what a second statement, for the far
    end, allows.
    """

    words: tuple[str, ...]
    path: Path
    other: tuple[str, ...] = ()
    other_path: Path = ()

    def profiles(self, catalog: Catalog) -> tuple[CableProfile, ...]:
        """The cable profiles that both statements allow, the cheapest first."""
        return tuple(
            cable
            for cable in catalog.cables
            if named(self.words, cable) and (not self.other or named(self.other, cable))
        )


@dataclass(frozen=True, slots=True)
class LinkKind:
    """Links of one kind: their fabric and tiers, the kinds of port at both ends, and the media stated for them."""

    fabric: str
    lower: str
    upper: str
    a: Attachment | PortRun
    b: PortRun
    stated: StatedMedia
    ends: tuple[str, str]
    """Profile ids of the devices at both ends."""
    vendors: tuple[str, str]
    lane_gbps: float
    """Of a lane between the ends, Gb/s: of one on the fibre where the optics of an end have a gearbox."""

    @property
    def text(self) -> str:
        """The links in words."""
        return f"{self.b.speed_gbps}G {self.fabric} {self.lower}-{self.upper} links"

    def carriers(self, catalog: Catalog) -> tuple[CableProfile, ...]:
        """The stated cable profiles that carry the lanes of the links."""
        return tuple(cable for cable in self.stated.profiles(catalog) if self.carries(cable, catalog))

    @property
    def made(self) -> list[tuple[str, ...]]:
        """Of each end for whose cages only some media are made: these."""
        return [side.made_media for side in (self.a, self.b) if isinstance(side, PortRun) and side.made_media]

    def usual(self, catalog: Catalog) -> tuple[CableProfile, ...]:
        """The cable profiles that carry the links and are taken without being asked for, the cheapest first."""
        return tuple(c for c in catalog.cables if (c.selectable or self.made) and self.carries(c, catalog))

    def carries(self, cable: CableProfile, catalog: Catalog) -> bool:
        """Whether a medium carries the lanes, and is one that is made for the cages where only some are."""
        if self.lane_gbps not in cable.lane_gbps or any(cable.id not in media for media in self.made):
            return False
        if self.a.lane_gbps == self.b.lane_gbps:
            return True
        ends = [CageLanes(side.form_factor, side.lane_gbps, self.b.speed_gbps) for side in (self.a, self.b)]
        return not cable.attached and all(cable.module_at(end, self.lane_gbps, catalog.gearboxes) for end in ends)


def media_of_nodes(design: Design, fabric: FabricDesign, leaf: TierDesign, *, rj45: bool) -> StatedMedia | None:
    """Media stated for the links of a fabric's nodes, or of switches that it manages."""
    return _of_role(design, leaf, "down") or (None if rj45 else _of_fabric(design, fabric.name))


def media_of_extra(design: Design, fabric: FabricDesign, extra: ExtraSet) -> StatedMedia | None:
    """Media stated for the links of extra devices."""
    words = design.loaded.blueprint.fabrics[fabric.name].extra[extra.name].media
    if words:
        return StatedMedia(words, (*extra.path, "media"))
    return media_of_nodes(design, fabric, design.tier(extra.tier), rj45=extra.kind.rj45)


def media_of_uplinks(design: Design, lower: TierDesign, upper: TierDesign) -> StatedMedia | None:
    """Media stated for the links of a tier to the one above."""
    up, down = _of_role(design, lower, "up"), _of_role(design, upper, "down")
    if up and down and up.words != down.words:
        return StatedMedia(up.words, up.path, down.words, down.path)
    return up or down or (_of_fabric(design, lower.uplink.fabric) if lower.uplink else None)


def media_of_peer_links(design: Design, tier: TierDesign, span: Span | None) -> StatedMedia | None:
    """Media stated for the links inside a tier: those of a span, or of pairs."""
    words = design.loaded.blueprint.fabrics[tier.fabric].spans[span.name].media if span else None
    if span and words:
        return StatedMedia(words, (*span.path, "media"))
    return _of_role(design, tier, "peer") or _of_fabric(design, tier.fabric)


def _of_role(design: Design, tier: TierDesign, role: Literal["down", "up", "peer"]) -> StatedMedia | None:
    media = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].media
    return StatedMedia(media[role], (*tier.path, "media", role)) if role in media else None


def _of_fabric(design: Design, name: str) -> StatedMedia | None:
    words = design.loaded.blueprint.fabrics[name].media
    return StatedMedia(words, ("fabrics", name, "media")) if words else None


def stated_kinds(design: Design) -> Iterator[LinkKind]:
    """Every kind of link that the blueprint states media for."""
    for fabric in design.fabrics:
        for feed in fabric.node_feeds:
            leaf = design.tier(feed.leaf)
            for _, attachment in feed.attachments:
                stated = media_of_nodes(design, fabric, leaf, rj45=attachment.kind.rj45)
                yield from _nodes(design.catalog, fabric, leaf, attachment, feed.run, stated)
        for extra in fabric.extras:
            stated = media_of_extra(design, fabric, extra)
            yield from _nodes(design.catalog, fabric, design.tier(extra.tier), extra.attachment, extra.run, stated)
    for tier in design.tiers:
        if tier.uplink is not None and tier.up is not None:
            upper = design.tier(tier.uplink.upper)
            run = upper.downs[upper.feed(tier.key).run]
            yield from _between(design.catalog, tier, upper, tier.up, run, media_of_uplinks(design, tier, upper))
        for span in (tier.peer_links.spans or (None,)) if tier.peer_links else ():
            assert tier.peer_links is not None  # noqa: S101 - the line above
            run = tier.peer_links.run
            yield from _between(design.catalog, tier, tier, run, run, media_of_peer_links(design, tier, span))


def _nodes(
    catalog: Catalog,
    fabric: FabricDesign,
    leaf: TierDesign,
    attachment: Attachment,
    run: int,
    stated: StatedMedia | None,
) -> Iterator[LinkKind]:
    if stated:
        ends = (attachment.profile.id, leaf.profile.id)
        vendors = (attachment.profile.vendor, leaf.profile.vendor)
        port = leaf.downs[run]
        light = light_between(catalog, attachment, port)
        yield LinkKind(fabric.name, "node", leaf.name, attachment, port, stated, ends, vendors, light)


def _between(
    catalog: Catalog, lower: TierDesign, upper: TierDesign, a: PortRun, b: PortRun, stated: StatedMedia | None
) -> Iterator[LinkKind]:
    if stated:
        ends = (lower.profile.id, upper.profile.id)
        vendors = (lower.profile.vendor, upper.profile.vendor)
        fabric = lower.uplink.fabric if lower.uplink and lower != upper else lower.fabric
        light = light_between(catalog, a, b)
        yield LinkKind(fabric, lower.name, upper.name, a, b, stated, ends, vendors, light)


def check_media(blueprint: Blueprint, catalog: Catalog) -> None:
    """Raise InputError at each word that is neither a medium nor a cable profile."""
    known = {*MEDIA, *catalog.ids("cables")} if any(True for _ in _words(blueprint)) else set()
    faults = [
        diagnostic
        for path, word in _words(blueprint)
        if word not in known
        for diagnostic in fault(
            "FG011",
            f"'{word}' is neither a medium nor a cable profile",
            path=path,
            hint=did_you_mean(word, known) if find_nearest(word, known) else f"media are {', '.join(MEDIA)}",
        ).diagnostics
    ]
    if faults:
        raise InputError(faults)


def _words(blueprint: Blueprint) -> Iterator[tuple[Path, str]]:
    """(path, word) of every medium that the blueprint states."""
    for cable, own in blueprint.cable_of.items():
        if own.medium:
            yield ("cable_of", cable, "medium"), own.medium
    for name, fabric in blueprint.fabrics.items():
        at = ("fabrics", name)
        places: list[tuple[Path, tuple[str, ...]]] = [((*at, "media"), fabric.media or ())]
        for tier, spec in fabric.tiers.items():
            places += [((*at, "tiers", tier, "media", role), words) for role, words in spec.media.items()]
        places += [((*at, "extra", extra, "media"), told.media or ()) for extra, told in fabric.extra.items()]
        places += [((*at, "spans", span, "media"), told.media or ()) for span, told in fabric.spans.items()]
        places += _policy_words((*at, "cabling"), fabric.cabling)
        yield from ((path, word) for path, words in places for word in words)
    top = [*_policy_words(("cabling",), blueprint.cabling), (("cabling", "stock_m"), tuple(blueprint.cabling.stock_m))]
    yield from ((path, word) for path, words in top for word in words)


def _policy_words(at: Path, policy: MediaPolicy) -> list[tuple[Path, tuple[str, ...]]]:
    """(path, words) of every key of a policy that names media."""
    found = (("allow", policy.allow), ("avoid", policy.avoid), ("prefer", policy.prefer))
    return [((*at, key), words or ()) for key, words in found]
