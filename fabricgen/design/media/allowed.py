"""Which media the blueprint allows for links: the statement nearest to the link applies.

A link between tiers has a statement at each end, `up` of the lower tier and `down` of the upper one; only media that
both allow are used.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.cabling import MediaPolicy
from fabricgen.catalog.cable_models import MEDIA, CageLanes
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile, NodeProfile, SwitchProfile
from fabricgen.design.fabric_model import Attachment, ExtraSet, FabricDesign, TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.media.gearing import find_light_rate
from fabricgen.design.media.policy import is_named
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault, find_nearest


class StatedMedia(NamedTuple):
    """Media that a blueprint states for links, and where."""

    words: tuple[str, ...]
    path: Path
    other: tuple[str, ...] = ()
    """Media that a second statement, for the far end, allows; empty if there is none."""
    other_path: Path = ()

    def list_allowed_profiles(self, catalog: Catalog) -> tuple[CableProfile, ...]:
        """Return the cable profiles that both statements allow, the cheapest first."""
        return tuple(
            cable
            for cable in catalog.cables
            if is_named(self.words, cable) and (not self.other or is_named(self.other, cable))
        )


class LinkKind(NamedTuple):
    """Links of one kind: their fabric and tiers, the kinds of port and the vendors of the devices at both ends (`a`,
    then `b`), and the media stated for them.
    """

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
    """Rate of a lane between the ends, Gb/s; on the fibre, if the optics of an end have a gearbox."""

    @property
    def text(self) -> str:
        """The links in words."""
        return f"{self.b.speed_gbps}G {self.fabric} {self.lower}-{self.upper} links"

    def list_carriers(self, catalog: Catalog) -> tuple[CableProfile, ...]:
        """Return the stated cable profiles that carry the lanes of the links."""
        return tuple(cable for cable in self.stated.list_allowed_profiles(catalog) if self.carries(cable, catalog))

    @property
    def made_media(self) -> list[tuple[str, ...]]:
        """For each end whose cages take only media made for them, the ids of these media; empty if there is no such
        end.
        """
        return [end.made_media for end in (self.a, self.b) if isinstance(end, PortRun) and end.made_media]

    def list_usual_media(self, catalog: Catalog) -> tuple[CableProfile, ...]:
        """Return the cable profiles that carry the links and may be chosen without being named, the cheapest first."""
        return tuple(c for c in catalog.cables if (c.selectable or self.made_media) and self.carries(c, catalog))

    def carries(self, cable: CableProfile, catalog: Catalog) -> bool:
        """Whether links of this kind can use a medium: it has lanes of their rate, and is made for the cages of every
        end that take only media made for them.

        If the electrical lanes of the two ends differ in rate, the medium must be modules with fibre between them, not
        attached to a cable, and there must be a module for each end, with a gearbox if the end's lanes have another
        rate than the light.
        """
        if self.lane_gbps not in cable.lane_gbps or any(cable.id not in media for media in self.made_media):
            return False
        if self.a.lane_gbps == self.b.lane_gbps:
            return True
        lanes_by_end = [CageLanes(port.form_factor, port.lane_gbps, self.b.speed_gbps) for port in (self.a, self.b)]
        return not cable.attached and all(
            cable.find_module_at(end, self.lane_gbps, catalog.gearboxes) for end in lanes_by_end
        )


def find_node_media(design: Design, fabric: FabricDesign, leaf: TierDesign, *, rj45: bool) -> StatedMedia | None:
    """Return the media stated for the links of a fabric's nodes, or with `rj45` of switches that it manages; None if
    none are stated.

    They are stated by `down` of the leaf, else by the fabric; for `rj45` links only by the leaf.
    """
    return _find_role_media(design, leaf, "down") or (None if rj45 else _find_fabric_media(design, fabric.name))


def find_extra_media(design: Design, fabric: FabricDesign, extra: ExtraSet) -> StatedMedia | None:
    """Return the media stated for the links of extra devices: by their entry, else as for nodes on their tier; None if
    none are stated.
    """
    words = design.loaded.blueprint.fabrics[fabric.name].extra[extra.name].media
    if words:
        return StatedMedia(words, (*extra.path, "media"))
    return find_node_media(design, fabric, design.tier(extra.tier), rj45=extra.kind.rj45)


def find_uplink_media(design: Design, lower: TierDesign, upper: TierDesign) -> StatedMedia | None:
    """Return the media stated for the links of a tier to the tier above; None if none are stated.

    They are stated by `up` of the lower tier and `down` of the upper one, and both hold if they differ; else by the
    fabric that owns the links.
    """
    up_media, down_media = _find_role_media(design, lower, "up"), _find_role_media(design, upper, "down")
    if up_media and down_media and up_media.words != down_media.words:
        return StatedMedia(up_media.words, up_media.path, down_media.words, down_media.path)
    return up_media or down_media or (_find_fabric_media(design, lower.uplink.fabric) if lower.uplink else None)


def find_peer_media(design: Design, tier: TierDesign, mesh: Mesh) -> StatedMedia | None:
    """Return the media stated for links inside a tier; None if none are stated.

    They are stated by the span that the links belong to, else by `peer` of the tier, else by the fabric.
    """
    words = design.loaded.blueprint.fabrics[tier.fabric].spans[mesh.name].media if mesh.name else None
    if words:
        return StatedMedia(words, (*mesh.path, "media"))
    return _find_role_media(design, tier, "peer") or _find_fabric_media(design, tier.fabric)


def _find_role_media(design: Design, tier: TierDesign, role: Literal["down", "up", "peer"]) -> StatedMedia | None:
    media = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].media
    return StatedMedia(media[role], (*tier.path, "media", role)) if role in media else None


def _find_fabric_media(design: Design, name: str) -> StatedMedia | None:
    words = design.loaded.blueprint.fabrics[name].media
    return StatedMedia(words, ("fabrics", name, "media")) if words else None


def list_stated_kinds(design: Design) -> Iterator[LinkKind]:
    """Yield every kind of link that the blueprint states media for."""
    for fabric in design.fabrics:
        for feed in fabric.node_feeds:
            leaf = design.tier(feed.leaf)
            for _, attachment in feed.attachments:
                stated = find_node_media(design, fabric, leaf, rj45=attachment.kind.rj45)
                ends = (attachment, attachment.profile), (leaf.downs[feed.run], leaf.profile)
                yield from _list_kinds(design.catalog, (fabric.name, "node", leaf.name), *ends, stated)
        for extra in fabric.extras:
            tier, attachment = design.tier(extra.tier), extra.attachment
            ends = (attachment, attachment.profile), (tier.downs[extra.run], tier.profile)
            stated = find_extra_media(design, fabric, extra)
            yield from _list_kinds(design.catalog, (fabric.name, "node", tier.name), *ends, stated)
    for tier in design.tiers:
        if tier.uplink is not None and tier.up is not None:
            upper = design.tier(tier.uplink.upper)
            run = upper.downs[upper.find_feed(tier.key).run]
            names = tier.uplink.fabric, tier.name, upper.name
            stated = find_uplink_media(design, tier, upper)
            yield from _list_kinds(design.catalog, names, (tier.up, tier.profile), (run, upper.profile), stated)
        for mesh in tier.links_inside:
            end, stated = (mesh.run, tier.profile), find_peer_media(design, tier, mesh)
            yield from _list_kinds(design.catalog, (tier.fabric, tier.name, tier.name), end, end, stated)


def _list_kinds(
    catalog: Catalog,
    names: tuple[str, str, str],
    a: tuple[Attachment | PortRun, NodeProfile | SwitchProfile],
    b: tuple[PortRun, SwitchProfile],
    stated: StatedMedia | None,
) -> Iterator[LinkKind]:
    """Yield the kind of some links, if media are stated for them; `names` are those of their fabric and of the lower
    and upper tier, `a` and `b` the port and the profile of the device at both ends.
    """
    if stated:
        (a_port, a_profile), (b_port, b_profile) = a, b
        profile_ids, vendors = (a_profile.id, b_profile.id), (a_profile.vendor, b_profile.vendor)
        lane_gbps = find_light_rate(catalog, a_port, b_port)
        yield LinkKind(*names, a_port, b_port, stated, profile_ids, vendors, lane_gbps)


def check_media(blueprint: Blueprint, catalog: Catalog) -> None:
    """Raise InputError (FG011) with a fault for each word that is neither a medium nor a cable profile."""
    names = {*MEDIA, *catalog.ids("cables")} if any(True for _ in _list_media_words(blueprint)) else set()
    faults = [
        diagnostic
        for path, word in _list_media_words(blueprint)
        if word not in names
        for diagnostic in fault(
            "FG011",
            f"'{word}' is neither a medium nor a cable profile",
            path=path,
            hint=did_you_mean(word, names) if find_nearest(word, names) else f"media are {', '.join(MEDIA)}",
        ).diagnostics
    ]
    if faults:
        raise InputError(faults)


def _list_media_words(blueprint: Blueprint) -> Iterator[tuple[Path, str]]:
    """Yield (path, word) of every medium that the blueprint states."""
    for cable, override in blueprint.cable_of.items():
        if override.medium:
            yield ("cable_of", cable, "medium"), override.medium
    for name, fabric in blueprint.fabrics.items():
        path = ("fabrics", name)
        statements: list[tuple[Path, tuple[str, ...]]] = [((*path, "media"), fabric.media or ())]
        for tier, spec in fabric.tiers.items():
            statements += [((*path, "tiers", tier, "media", role), words) for role, words in spec.media.items()]
        statements += [((*path, "extra", extra, "media"), spec.media or ()) for extra, spec in fabric.extra.items()]
        statements += [((*path, "spans", span, "media"), spec.media or ()) for span, spec in fabric.spans.items()]
        statements += _list_policy_words((*path, "cabling"), fabric.cabling)
        yield from ((path, word) for path, words in statements for word in words)
    cluster_statements = [
        *_list_policy_words(("cabling",), blueprint.cabling),
        (("cabling", "stock_m"), tuple(blueprint.cabling.stock_m)),
    ]
    yield from ((path, word) for path, words in cluster_statements for word in words)


def _list_policy_words(path: Path, policy: MediaPolicy) -> list[tuple[Path, tuple[str, ...]]]:
    """Return (path, words) for each of `allow`, `avoid` and `prefer` in a media policy; no words if it is not
    stated.
    """
    words_by_key = (("allow", policy.allow), ("avoid", policy.avoid), ("prefer", policy.prefer))
    return [((*path, policy_key), words or ()) for policy_key, words in words_by_key]
