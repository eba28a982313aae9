"""a setting has no effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.blueprint.sections.routing import Routing
from fabricgen.design.model import Design
from fabricgen.design.shape import scope_of
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path, Severity, did_you_mean, nearest
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import is_routed, runs_bgp, underlay


class UnusedSetting(DesignRule):
    """A setting refers to something the cluster does not have, or that cannot follow it.

    What has no effect is usually a misspelling or a leftover, and misleads the next reader. Remove it or mend it.
    """

    id = "FG803"
    severity = Severity.WARNING
    title = "a setting has no effect"
    bad = """
        nos: {leef: sonic}  # <-
    """
    good = """
        nos: {leaf: sonic}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag NOS entries without a tier, low reserves, settings of InfiniBand fabrics, and of BGP where none runs."""
        blueprint = design.loaded.blueprint
        tiers = {tier.name for fabric in design.fabrics for tier in fabric.tiers}
        for name in sorted(set(blueprint.nos) - tiers - {"all"}):
            path: Path = ("nos", name)
            hint = did_you_mean(name, tiers)
            yield self.flag(path, f"no fabric has a tier '{name}'", hint, _removal(path, name, tiers))
        for fabric in design.fabrics:
            own = {tier.name for tier in fabric.tiers}
            for name in sorted(set(blueprint.fabrics[fabric.name].nos) - own - {"all"}):
                message = f"fabric {fabric.name} has no tier '{name}'"
                yield self.flag((*fabric.path, "nos", name), message, did_you_mean(name, own))
        for name, pod in sorted(blueprint.pods.items()):
            if pod.reserve is not None and pod.reserve < pod.su:
                yield self.flag(
                    ("pods", name, "reserve"), f"pod {name} reserves {pod.reserve} slots and has {pod.su} units"
                )
        for name, spec in sorted(blueprint.fabrics.items()):
            if spec.vrf and not design.fabric(name).carrier:
                message = f"fabric {name} has its switches to itself, and takes no vrf"
                yield self.flag(("fabrics", name, "vrf"), message, "only carried and joined fabrics have a VRF")
            leaf = design.leaf(design.fabric(name))
            if spec.rail_groups and leaf is not None and "rail-group" not in leaf.per:
                yield self.flag(("fabrics", name, "rail_groups"), f"{leaf.name} is not per rail-group")
            if spec.protocol == "infiniband":
                for key, part in (
                    ("routing", spec.routing),
                    ("pools", spec.pools),
                    ("qos", spec.qos),
                    ("management", spec.management),
                ):
                    if part.model_fields_set:
                        path = ("fabrics", name, key)
                        message = f"InfiniBand fabric {name} takes no {key}"
                        yield self.flag(path, message, "remove it", [Edit("remove", path)])
        yield from self._unused_ratios(design)
        yield from self._unused_bgp(design)
        yield from self._unused_floor(design)

    def _unused_ratios(self, design: Design) -> Iterator[Diagnostic]:
        """Oversubscription stated of a tier that has nothing above it: it is a matter of the tier below."""
        for tier in design.tiers:
            stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].oversubscription
            if stated is not None and tier.up is None:
                below = [t for t in design.tiers if t.uplink and t.uplink.upper == tier.key]
                hint = f"state it of {' or '.join(t.name for t in below)}, whose uplinks it limits" if below else ""
                message = f"{tier.fabric} {tier.name} has no uplinks that its oversubscription could limit"
                yield self.flag((*tier.path, "oversubscription"), message, hint)

    def _unused_bgp(self, design: Design) -> Iterator[Diagnostic]:
        """AS numbers and BFD where no switch that they are for runs BGP."""
        blueprint = design.loaded.blueprint
        ethernet = [f for f in design.fabrics if is_routed(f)]
        for fabric in ethernet:
            own = blueprint.fabrics[fabric.name].routing
            for key in _bgp_settings(own) if not runs_bgp(design, fabric) else ():
                message = f"fabric {fabric.name} has underlay {underlay(design, fabric)}: it takes no {key}"
                yield self.flag((*fabric.path, "routing", key), message)
        for key in _bgp_settings(blueprint.routing):
            takers = (f for f in ethernet if getattr(blueprint.fabrics[f.name].routing, key) is None)
            if ethernet and not any(runs_bgp(design, fabric) for fabric in takers):
                yield self.flag(("routing", key), f"no fabric that runs BGP takes its {key} from here")

    def _unused_floor(self, design: Design) -> Iterator[Diagnostic]:
        """How racks take feeds where there are none, and network racks of switches that stand with the nodes."""
        blueprint = design.loaded.blueprint
        for key in ("cords", "feed_per"):
            if key in blueprint.floor.model_fields_set and not blueprint.floor.feeds:
                yield self.flag(("floor", key), "no power feeds are stated", "name them: `feeds: [A, B]`")
        for tier in design.tiers:
            if blueprint.fabrics[tier.fabric].tiers[tier.name].racks > 1 and scope_of(tier.per) == "rack":
                message = f"{tier.fabric} {tier.name} switches stand in the racks of their nodes"
                yield self.flag((*tier.path, "racks"), message)


def _removal(path: Path, name: str, known: Iterable[str]) -> list[Edit]:
    """Taking a setting away is right where its name is not a misspelling of another."""
    return [] if nearest(name, known) else [Edit("remove", path)]


def _bgp_settings(routing: Routing) -> list[str]:
    return [key for key in ("asn", "bfd", "max_prefixes") if getattr(routing, key)]
