"""FG803: a setting has no effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.blueprint.sections.routing import Routing
from fabricgen.design.capacity.bisection import list_chain
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.design.names.templates import NETWORK, PANELS, SHARED
from fabricgen.design.shape import find_scope
from fabricgen.design.srv6 import uses_srv6
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Severity, did_you_mean, find_nearest
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import find_underlay, is_routed, runs_bgp


class UnusedSetting(DesignRule):
    """A setting refers to something that the cluster does not have, or that does not support it.

    A setting without effect is usually a typing mistake or a leftover, and misleads the next reader. Remove or
    correct it. `lint --fix` takes away the NOS of a tier that there is none of, unless somebody meant it: a fabric, or
    a NOS that nothing else is told to run.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        nos: {leef: sonic}  # <-
    """
    good = """
        nos: {leaf: sonic}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag a NOS of no tier, too low reserves, and settings of fabrics, BGP, ratios, floor and names without
        effect.
        """
        blueprint = design.loaded.blueprint
        yield from self._check_nos(design)
        for name, pod in sorted(blueprint.pods.items()):
            if pod.reserve is not None and pod.reserve < pod.su:
                yield self.flag(
                    ("pods", name, "reserve"),
                    f"pod {name} reserves {pod.reserve} slots but has {pod.su} units",
                    f"state `reserve: {pod.su}` or more, the slots in all, or leave it out",
                )
        for name, spec in sorted(blueprint.fabrics.items()):
            if spec.vrf and not design.fabric(name).carrier:
                message = f"fabric {name} does not share its switches, so `vrf` has no effect"
                yield self.flag(
                    ("fabrics", name, "vrf"), message, "remove it; only fabrics that share switches have a VRF"
                )
            chain = list_chain(design, design.fabric(name))
            if spec.rail_groups and chain and not any("rail-group" in tier.per for tier in chain):
                names = " nor ".join(dict.fromkeys(tier.name for tier in chain))
                either = "neither " if " nor " in names else ""
                yield self.flag(
                    ("fabrics", name, "rail_groups"),
                    f"{either}{names} is {'' if either else 'not '}per rail-group, so `rail_groups` has no effect",
                    f"say `per: rail-group` of {chain[0].name}, or remove it",
                )
            if spec.protocol == "infiniband":
                for key in ("routing", "pools", "qos", "management"):
                    if getattr(spec, key).model_fields_set:
                        message = f"`{key}` has no effect on InfiniBand fabric {name}"
                        yield self.flag(("fabrics", name, key), message, "remove it")
        yield from self._check_ratios(design)
        yield from self._check_bgp(design)
        yield from self._check_floor(design)
        yield from self._check_rack_names(design)

    def _check_nos(self, design: Design) -> Iterator[Diagnostic]:
        """Flag a NOS that is stated for a tier which the cluster, or the fabric, does not have."""
        blueprint = design.loaded.blueprint
        tiers = {tier.name for fabric in design.fabrics for tier in fabric.tiers}
        for name in sorted(set(blueprint.nos) - tiers - {"all"}):
            hint = did_you_mean(name, tiers)
            if name in blueprint.fabrics:
                hint = f"{name} is a fabric: state `fabrics.{name}.nos: {blueprint.nos[name]}`"
            message, fix = f"no fabric has a tier '{name}'", _propose_removal(design, name, tiers)
            yield self.flag(("nos", name), message, hint, fix)
        for fabric in design.fabrics:
            tiers_of_fabric = {tier.name for tier in fabric.tiers}
            for name in sorted(set(blueprint.fabrics[fabric.name].nos) - tiers_of_fabric - {"all"}):
                message = f"fabric {fabric.name} has no tier '{name}'"
                yield self.flag((*fabric.path, "nos", name), message, did_you_mean(name, tiers_of_fabric))

    def _check_ratios(self, design: Design) -> Iterator[Diagnostic]:
        """Flag the oversubscription of a tier that has no uplinks; it belongs to the tier below."""
        for tier in design.tiers:
            stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].oversubscription
            if stated is not None and tier.up is None:
                lower_names = [lower.name for lower, _ in design.list_links_below(tier.key)]
                hint = f"set it on {' or '.join(lower_names)}, whose uplinks it limits" if lower_names else ""
                message = f"{tier.fabric} {tier.name} has no uplinks that its oversubscription could limit"
                yield self.flag((*tier.path, "oversubscription"), message, hint)

    def _check_bgp(self, design: Design) -> Iterator[Diagnostic]:
        """Flag settings of BGP and of SRv6 if no fabric that they apply to runs it."""
        blueprint = design.loaded.blueprint
        ethernet = [f for f in design.fabrics if is_routed(f)]
        for fabric in ethernet:
            routing = blueprint.fabrics[fabric.name].routing
            idle_keys = [] if runs_bgp(design, fabric) else _list_bgp_settings(routing)
            for key in (*idle_keys, *(["srv6"] if routing.srv6 and not uses_srv6(design, fabric) else [])):
                message = f"fabric {fabric.name} has underlay {find_underlay(design, fabric)}, so `{key}` has no effect"
                yield self.flag((*fabric.path, "routing", key), message)
        if blueprint.routing.srv6 and not any(uses_srv6(design, fabric) for fabric in ethernet):
            yield self.flag(("routing", "srv6"), "no fabric has `underlay: srv6`, so `srv6` has no effect")
        for key in _list_bgp_settings(blueprint.routing):
            inheriting = (f for f in ethernet if getattr(blueprint.fabrics[f.name].routing, key) is None)
            if ethernet and not any(runs_bgp(design, fabric) for fabric in inheriting):
                yield self.flag(("routing", key), f"no fabric that runs BGP uses the {key} of the cluster")

    def _check_floor(self, design: Design) -> Iterator[Diagnostic]:
        """Flag settings of power feeds if there are no feeds, and `racks` of switches that stand in the racks
        of nodes.
        """
        blueprint = design.loaded.blueprint
        for key in ("cords", "feed_per"):
            if key in blueprint.floor.model_fields_set and not blueprint.floor.feeds:
                yield self.flag(
                    ("floor", key), f"`{key}` has no effect without power feeds", "name them: `feeds: [A, B]`"
                )
        for tier in design.tiers:
            if blueprint.fabrics[tier.fabric].tiers[tier.name].racks > 1 and find_scope(tier.per) == "rack":
                message = (
                    f"{tier.fabric} {tier.name} switches stand in the racks of their nodes, so `racks` has no effect"
                )
                yield self.flag((*tier.path, "racks"), message)

    def _check_rack_names(self, design: Design) -> Iterator[Diagnostic]:
        """Flag templates of names for kinds of racks that the cluster does not have."""
        stated = design.loaded.blueprint.names.racks
        if not stated:
            return
        floor = FloorPlan(design)
        lacking = {
            NETWORK: "units have no network racks" if all(p.racks == p.kind.racks for p in floor.plans) else "",
            SHARED: "" if floor.runs else "no switches stand in shared network racks",
            PANELS: "" if design.loaded.blueprint.cabling.patch else "`cabling.patch` has no panels",
        }
        for kind, why in lacking.items():
            if why and kind in stated:
                yield self.flag(("names", "racks", kind), f"{why}, so the template `{kind}` names nothing", "remove it")


def _propose_removal(design: Design, name: str, tiers: Iterable[str]) -> list[Edit]:
    """Return the edit that removes the NOS of a tier which does not exist; [] if somebody may have meant it, since its
    name is that of a fabric or nearly that of a tier, no other NOS is stated, or no switch runs that NOS.
    """
    nos, fabrics = design.loaded.blueprint.nos, design.loaded.blueprint.fabrics
    is_run = any(tier.nos == nos[name] for tier in design.tiers)
    is_meant = name in fabrics or find_nearest(name, tiers) or len(nos) == 1 or not is_run
    return [] if is_meant else [Edit("remove", ("nos", name))]


def _list_bgp_settings(routing: Routing) -> list[str]:
    keys = [key for key in ("asn", "bfd", "max_prefixes") if getattr(routing, key)]
    return [*keys, "weights"] if routing.weights == "link-bandwidth" else keys
