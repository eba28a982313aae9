"""FG806: a setting changes nothing in this design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import ip_network

from fabricgen.blueprint.sections.cabling import MediaPolicy
from fabricgen.blueprint.slots import list_omitted_slots
from fabricgen.catalog.models import CableProfile
from fabricgen.design.extras.exits import list_exits
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import list_pod_units
from fabricgen.design.media.policy import CablePolicy, is_named
from fabricgen.design.model import Design
from fabricgen.design.qos import resolve_qos
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_overlapping, list_stated_managements
from fabricgen.lint.subjects.idle import (
    Idle,
    find_idle_aging,
    find_idle_cages,
    find_idle_communities,
    find_idle_limits,
    find_idle_parallel,
    find_idle_storeys,
    find_idle_words_of_phases,
)
from fabricgen.lint.subjects.lossless import find_qos_path
from fabricgen.lint.subjects.managed import list_scopes
from fabricgen.lint.subjects.ways_out import make_entry_path
from fabricgen.numbering.underlay import list_families

REMOVE = "remove it"
SAID_TWICE = "remove one of the two"
"""The hint for a setting that repeats another, so that its removal loses nothing that somebody meant."""

OF_BEST_EFFORT = {"profile", "trim"}
"""Settings of QoS that have an effect without a class of RoCE."""

OF_PFC = {"watchdog"}
"""Settings of QoS that have an effect only if a class of RoCE is paused."""


class SettingWithoutEffect(DesignRule):
    """A setting is valid, but the same cluster would be built without it.

    It is left over from another design, or its author expects something else of it: a VLAN where hosts are routed,
    thresholds where nothing is marked, `size_for` for a tier with a stated count. Remove it, or change what makes
    it ineffective.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            vlan: 200  # <-
            tiers:
              spine:
                size_for: reserve  # <-
    """
    good = """
        fabrics:
          compute:
            hosts: bridged
            vlan: 200
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated settings that have no effect because of other settings or the shape of the design."""
        for fabric in design.fabrics:
            for find_idle in (
                _find_infiniband_settings,
                _find_carried_settings,
                _find_vlan_without_bridging,
                _find_qos_without_lossless,
                _find_size_for_with_count,
                _find_spread_without_choice,
                _find_ratio_without_uplinks,
                _find_unused_port_settings,
                find_idle_cages,
                find_idle_parallel,
                _find_peers_without_mesh,
                _find_meshes_of_one,
                _find_node_settings_without_nodes,
                _find_rails_of_no_node,
                _find_management_of_nothing,
                find_idle_communities,
            ):
                yield from map(self._make_finding, find_idle(design, fabric))
        for cluster_wide in (
            _find_unused_cluster_settings,
            _find_unused_nos,
            _find_unused_images,
            _find_overlay_without_vrf,
            _find_kinds_without_pod,
            _find_extras_not_apart,
            _find_omitted_twice,
            _find_idle_skips,
            find_idle_aging,
            _find_replaced_dimensions,
            find_idle_storeys,
            _find_unfulfilled_media,
            _find_unlisted_accessories,
            _find_routes_of_another_family,
            _find_leaks_of_nothing,
            find_idle_limits,
            find_idle_words_of_phases,
        ):
            yield from map(self._make_finding, cluster_wide(design))

    def _make_finding(self, idle: Idle) -> Diagnostic:
        """Return the finding on an idle setting; only a setting that repeats another has a fix, since others were
        meant.
        """
        path, why, hint = idle
        return self.flag(path, why, hint, [Edit("remove", path)] if hint == SAID_TWICE else [])


def _find_infiniband_settings(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield settings that InfiniBand switches ignore (FG803 judges routing, pools, QoS and management), and settings of
    the subnet manager in a fabric that shares the subnet manager of another.
    """
    spec = design.loaded.blueprint.fabrics[fabric.name]
    for key in ("ip", "hosts", "vlan", "nos"):
        if fabric.protocol == "infiniband" and getattr(spec, key):
            yield (*fabric.path, key), f"`{key}` has no effect on InfiniBand fabric {fabric.name}", REMOVE
    stated = [key for key in ("subnet_manager", "default_partition") if getattr(spec, key)]
    if stated:
        from fabricgen.design.linked import group_infiniband_fabrics

        owner = next(name for name, members in group_infiniband_fabrics(design).items() if fabric.name in members)
        for key in stated if owner != fabric.name else ():
            why = f"{fabric.name} has the subnet manager of {owner}, whose switches it shares"
            yield (*fabric.path, key), why, f"remove it, or set it on {owner}"


def _find_carried_settings(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield settings of switches in a carried fabric: the switches are the carrier's and take its settings."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    if spec.carried_by and fabric.protocol != "infiniband":
        stated: list[Path] = [("routing", key) for key in sorted(spec.routing.model_fields_set)]
        stated += [(key,) for key in ("qos", "management", "nos") if key in spec.model_fields_set]
        for keys in stated:
            why = f"switches of {spec.carried_by} carry {fabric.name} and use the {keys[0]} of {spec.carried_by}"
            yield (*fabric.path, *keys), why, f"remove it, or set it on {spec.carried_by}"


def _find_vlan_without_bridging(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield the VLAN of a fabric whose nodes are routed, or have no addresses, and so are in no VLAN."""
    stated = design.loaded.blueprint.fabrics[fabric.name].vlan
    if stated and fabric.protocol != "infiniband" and fabric.hosts in ("routed", "none"):
        why = f"nodes of {fabric.name} are in no VLAN with `hosts: {fabric.hosts}`"
        yield (*fabric.path, "vlan"), why, "remove it, or set `hosts: bridged`"


def _find_qos_without_lossless(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield settings of a class of RoCE, or of a paused class, in a fabric that has no such class; and an upper ECN
    threshold that is not above the lower one.

    Only a threshold of the fabric and one of the cluster can be so, since each of both is checked by itself.
    """
    stated, qos = design.loaded.blueprint.fabrics[fabric.name].qos.model_fields_set, resolve_qos(design, fabric)
    if fabric.protocol == "infiniband" or fabric.carrier:
        return
    if qos.marks and 0 < (qos.ecn_max_kb or 0) <= (qos.ecn_min_kb or 0):
        why = f"`ecn_max_kb` {qos.ecn_max_kb} has no effect in {fabric.name}, whose `ecn_min_kb` is {qos.ecn_min_kb}"
        hint = "state both for the fabric, the lower below the upper"
        yield find_qos_path(design, fabric, "ecn_max_kb"), why, hint
    # a class of RoCE that is not paused makes settings of PFC idle; without a class all are, but those of best effort
    idle_keys = (stated & OF_PFC if qos.marks else stated - OF_BEST_EFFORT) if not qos.lossless else ()
    for key in sorted(idle_keys):
        kind, alternative = ("lossless class", "") if key in OF_PFC else ("class of RoCE", " or `roce-lossy`")
        why = f"{fabric.name} has no {kind}, so `{key}` has no effect"
        yield (*fabric.path, "qos", key), why, f"remove it, or set `profile: roce-lossless`{alternative}"


def _find_size_for_with_count(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield `size_for`, which is for derived counts, of tiers whose count is stated."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    for name, tier in spec.tiers.items():
        if tier.size_for and tier.count is not None:
            why = f"`size_for` has no effect: the count of {fabric.name} {name} is stated"
            yield (*fabric.path, "tiers", name, "size_for"), why, SAID_TWICE
    if spec.size_for and spec.tiers and all(tier.size_for or tier.count for tier in spec.tiers.values()):
        why = f"no tier of {fabric.name} uses it: each has a `count` or `size_for`"
        yield (*fabric.path, "size_for"), why, REMOVE


def _find_spread_without_choice(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield `spread` of nodes over the switches of a group if no nodes attach or a group has one switch."""
    for tier in fabric.tiers:
        spread = design.loaded.blueprint.fabrics[fabric.name].tiers[tier.name].spread
        has_nodes = any(tier.key in f.leaves for f in design.fabrics)
        if spread and spread != "uneven" and (tier.count == 1 or not has_nodes):
            why = f"a group of {fabric.name} {tier.name} is one switch"
            why = why if has_nodes else f"no nodes attach to {fabric.name} {tier.name}"
            yield (*tier.path, "spread"), f"`spread` has no effect: {why}", REMOVE


def _find_ratio_without_uplinks(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield the oversubscription of a fabric if no tier with uplinks or spans takes it."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    limited = [t for t in fabric.tiers if t.up is not None or t.spans]
    if spec.oversubscription is not None and all(spec.tiers[t.name].oversubscription is not None for t in limited):
        why = f"no tier of {fabric.name} has uplinks that its oversubscription could limit"
        yield (*fabric.path, "oversubscription"), why, REMOVE


def _find_unused_port_settings(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield settings of uplinks of tiers without uplinks, and of peer links of tiers without peer links."""
    for tier in fabric.tiers:
        spec = design.loaded.blueprint.fabrics[fabric.name].tiers[tier.name]
        missing = [] if tier.up else [("up", "uplinks: no tier is above it")]
        missing += [] if tier.links_inside else [("peer", "peer links: it states no `peer`")]
        for role, why in missing:
            if role == "up" and spec.uplinks:
                yield (*tier.path, "uplinks"), f"{fabric.name} {tier.name} has no {why}", REMOVE
            for key in ("media", "cages"):
                if role in getattr(spec, key):
                    yield (*tier.path, key, role), f"{fabric.name} {tier.name} has no {why}", REMOVE


def _find_peers_without_mesh(design: Design, fabric: FabricDesign) -> Iterator[Idle]:  # noqa: ARG001 - as the others
    """Yield `peer` of a tier that was most likely meant to make a mesh: it states one link for each other switch of the
    group, but joins the switches in pairs.
    """
    for tier in fabric.tiers:
        links = tier.peer_links.links if tier.peer_links else 0
        if tier.count > 2 and links == tier.count - 1:
            pairs = f"{tier.count // 2} pairs of two {tier.name} switches, with {links} links each"
            why = f"`peer` makes {pairs}, and no mesh of {tier.count}"
            yield (*tier.path, "peer"), why, "state the links of a pair, or a tier above that joins them all"


def _find_meshes_of_one(design: Design, fabric: FabricDesign) -> Iterator[Idle]:  # noqa: ARG001 - as the others
    """Yield meshes of a tier along a dimension in which no two of its switches differ."""
    for tier in fabric.tiers:
        for mesh in tier.meshes:
            if not mesh.max_links:
                names = f"{fabric.name} {tier.name} switches"
                yield mesh.path, f"no two {names} differ in {mesh.dimension} alone: nothing meets along it", REMOVE


def _find_node_settings_without_nodes(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield settings of node ports in a fabric without nodes, and `size_for` in a fabric without tiers of its own."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    for key in ("nic", "planes", "rail_groups") if not fabric.attachments and not fabric.extras else ():
        if key in spec.model_fields_set:
            yield (*fabric.path, key), f"`{key}` has no effect: no nodes attach to {fabric.name}", REMOVE
    if spec.size_for and not spec.tiers:
        why = f"`size_for` has no effect: {fabric.name} has no tiers of its own"
        yield (*fabric.path, "size_for"), why, f"remove it, or set it on {spec.carried_by}"


def _find_rails_of_no_node(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield groups of `rail_groups` with rails that no node has."""
    groups = design.loaded.blueprint.fabrics[fabric.name].rail_groups
    node_rails = {leg.rail for _, attachment in fabric.attachments for leg in attachment.legs}
    for i, group in enumerate(groups if node_rails else ()):
        if missing := sorted(set(group) - node_rails):
            rails = f"rail{'s' * (len(missing) > 1)} {', '.join(map(str, missing))}"
            why = f"no node has {rails} on {fabric.name}; they have {len(node_rails)}"
            yield (*fabric.path, "rail_groups", i), why, f"name rails 1 to {len(node_rails)}"


def _find_management_of_nothing(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield `also: switches` of a fabric if no other fabric has switches whose management ports could attach to it."""
    if design.loaded.blueprint.fabrics[fabric.name].also and not fabric.managed_devices:
        why = f"`also: switches` has no effect: {fabric.name} is the only fabric that has switches"
        yield (*fabric.path, "also"), why, REMOVE


def _find_unused_cluster_settings(design: Design) -> Iterator[Idle]:
    """Yield the cluster's `routing`, `qos` and `management`, or settings of its QoS, that no fabric uses."""
    blueprint = design.loaded.blueprint
    ethernet = [fabric for fabric in design.fabrics if fabric.protocol != "infiniband"]
    if not ethernet:
        for key in ("routing", "qos", "management"):
            if key in blueprint.model_fields_set:
                yield (key,), f"`{key}` has no effect: every fabric is InfiniBand", REMOVE
        return
    intents = [resolve_qos(design, fabric) for fabric in ethernet]
    for key in sorted(blueprint.qos.model_fields_set - OF_BEST_EFFORT):
        kind, attribute = ("lossless class", "lossless") if key in OF_PFC else ("class of RoCE", "marks")
        if not any(getattr(intent, attribute) for intent in intents):
            yield ("qos", key), f"no fabric has a {kind}, so `{key}` has no effect", REMOVE
    roce = [f for f in ethernet if f.protocol == "roce" and not blueprint.fabrics[f.name].qos.profile]
    if blueprint.qos.profile and not roce:
        hint = "state it in the `qos` of a fabric, or `protocol: roce`"
        yield ("qos", "profile"), "no RoCE fabric uses the profile of the cluster", hint


def _find_unused_nos(design: Design) -> Iterator[Idle]:
    """Yield settings of `nos`, and waivers of drift, for a NOS that no switch in their scope runs."""
    for name, nos in sorted(design.loaded.blueprint.nos.items()):
        tiers = [t for t in design.tiers if name in ("all", t.name)]
        if tiers and not any(t.nos == nos for t in tiers):
            running = ", ".join(sorted({t.nos for t in tiers}))
            yield ("nos", name), f"no switch in its scope runs {nos}", f"they run {running}"
    running = ", ".join(sorted({tier.nos for tier in design.tiers}))
    for i, waiver in enumerate(design.loaded.blueprint.drift.waive):
        if not any(tier.nos == waiver.nos for tier in design.tiers):
            yield ("drift", "waive", i, "nos"), f"no switch runs {waiver.nos}: nothing is waived", f"they run {running}"


def _find_unused_images(design: Design) -> Iterator[Idle]:
    """Yield boot images for a NOS that no switch runs or a model that no switch is (FG171 judges names that are neither
    a NOS nor a model), images that are never installed, and `ztp` without anything to boot from.
    """
    blueprint, names = design.loaded.blueprint, {*design.catalog.list_known_nos(), *design.catalog.ids("switches")}
    has_dhcp = any(blueprint.fabrics[fabric.name].dhcp for fabric in design.fabrics if fabric.manages)
    for path, management in list_stated_managements(design):
        if management.ztp is None:
            continue
        name = str(path[1]) if path[0] == "fabrics" else ""
        tiers = [tier for tier in design.tiers if name in ("", tier.fabric)]
        running = {tier.nos for tier in tiers} | {tier.profile.id for tier in tiers}
        if not has_dhcp and not any(boot and boot.url for boot in (management.ztp, blueprint.management.ztp)):
            why = "no switch boots from anywhere: no `url` is stated, and no DHCP server for management ports"
            yield (*path, "ztp"), why, "state `url`, or `dhcp` in the fabric of management ports"
        for key, image in management.ztp.images.items():
            if key in names - running:
                of_fabric, words = f"of {name} " if name else "", ", ".join(sorted(running))
                why = f"no switch {of_fabric}runs {key} or is one: they run or are {words}"
                yield (*path, "ztp", "images", key), why, "name what the switches run, or remove it"
            boots = {t.nos: design.catalog.naming(t.nos).systems.boot for t in tiers if key in (t.nos, t.profile.id)}
            # one finding for an image, however many NOSes it is for
            for nos in [nos for nos, boot in boots.items() if boot and boot.needs_version and not image.version][:1]:
                why = f"{image.file} is never installed: {nos} installs no image without knowing which version runs"
                yield (*path, "ztp", "images", key), why, "state its `version`"


def _find_overlay_without_vrf(design: Design) -> Iterator[Idle]:
    """Yield `overlay: evpn` and `first_vni` if no VRF, and no bond over two switches, needs a VNI."""
    carrier = {fabric.name: fabric.carrier or fabric.name for fabric in design.fabrics}
    owners = {owner for owner, _ in design.vnis} | {carrier[fabric] for fabric, _ in design.bridged_vnis}
    why = "no VRF passes between its switches: no tenant, no carried fabric with a VRF, no `pair: evpn`"
    for scope, stated in list_scopes(design):
        if scope[1] in owners if scope else owners:
            continue
        path: Path = (*scope, "routing")
        if stated.routing.overlay == "evpn":
            hint = "state what it is to carry, or remove it"
            yield (*path, "overlay"), f"`overlay: evpn` has no effect: {why}", hint
        if stated.routing.first_vni:
            yield (*path, "first_vni"), f"`first_vni` has no effect: no VNI is numbered, since {why}", REMOVE


def _find_kinds_without_pod(design: Design) -> Iterator[Idle]:
    """Yield kinds of scalable units that no pod has."""
    blueprint, used_kinds = design.loaded.blueprint, {kind.name for kind in design.layout.kinds}
    words = ", ".join(f"`{kind}`" if kind else "those of `scalable_unit`" for kind in sorted(used_kinds))
    for name in sorted({*blueprint.scalable_units} - used_kinds):
        why, hint = f"no pod has units of the kind {name}: they have {words}", f"state `unit: {name}` of a pod"
        yield ("scalable_units", name), why, f"{hint}, or remove it"
    if blueprint.scalable_unit is not None and "" not in used_kinds:
        yield ("scalable_unit",), f"no pod has units of `scalable_unit`: they have {words}", "leave out `unit` of a pod"


def _find_extras_not_apart(design: Design) -> Iterator[Idle]:
    """Yield extra devices of tenants that attach only to fabrics in which the tenant is not kept apart."""
    for tenant in design.tenants:
        for i, name in enumerate(tenant.extras):
            names = [fabric.name for fabric in design.fabrics if any(extra.name == name for extra in fabric.extras)]
            if names and not set(names) & set(tenant.fabrics):
                why = (
                    f"`extra: {name}` keeps nothing apart: {name} is in {', '.join(names)}, and {tenant.name} is kept "
                    f"apart in {', '.join(tenant.fabrics) or 'no fabric'}"
                )
                hint = f"add {names[0]} to its `fabrics`, or take {name} off its `extra`"
                yield (*tenant.path, "extra", i), why, hint


def _find_omitted_twice(design: Design) -> Iterator[Idle]:
    """Yield entries of `omit` all of whose slots the entries before them omit already."""
    blueprint = design.loaded.blueprint
    pods = list_pod_units(blueprint, design.layout)
    omitted: frozenset[object] = frozenset()
    for i, text in enumerate(blueprint.omit):
        slots = list_omitted_slots(blueprint.model_copy(update={"omit": (text,)}), pods)
        if slots <= omitted:
            yield ("omit", i), f"{text} is already omitted", SAID_TWICE
        omitted |= slots


def _find_idle_skips(design: Design) -> Iterator[Idle]:
    """Yield fabrics in `skip` of nodes that have no ports for them, or that skip them already."""
    fabrics = design.loaded.blueprint.fabrics
    for nodes in design.layout.node_sets:
        for i, name in enumerate(nodes.skip):
            role, is_repeated = fabrics[name].attach or name, name in nodes.skip[:i]
            if role not in nodes.profile.roles or is_repeated:
                reason = "skips it" if is_repeated else f"has no {role!r} ports"
                why = f"`skip: {name}` has no effect: {nodes.name} {reason}"
                yield (*nodes.path, "skip", i), why, SAID_TWICE if is_repeated else REMOVE


def _find_replaced_dimensions(design: Design) -> Iterator[Idle]:
    """Yield the distance of rows if the aisles set it, and the height of racks if the rack type sets it."""
    floor = design.loaded.blueprint.floor
    if floor.aisles and "row_pitch_m" in floor.model_fields_set:
        why = "`row_pitch_m` has no effect: `rack_depth_m` and `aisles` set the distance of rows"
        yield ("floor", "row_pitch_m"), why, REMOVE
    for kind in design.layout.kinds:
        if kind.stated.type and "units" in kind.stated.model_fields_set:
            why = f"`units` has no effect: rack type {kind.stated.type} has its own height"
            yield (*kind.racks_path, "units"), why, REMOVE


def _find_unfulfilled_media(design: Design) -> Iterator[Idle]:
    """Yield settings of cabling that no medium of the catalogue, or no switch of the design, can fulfil."""
    blueprint = design.loaded.blueprint
    vendors = {tier.profile.vendor.lower() for tier in design.tiers}
    for i, vendor in enumerate(blueprint.cabling.third_party):
        if vendor.lower() not in vendors:
            yield ("cabling", "third_party", i), f"no switch is of {vendor}, whose licence `third_party` states", REMOVE
    for scope, stated in list_scopes(design):
        # the cables of the catalogue are read only if there is a policy
        if stated.cabling.model_fields_set:
            yield from _find_unfulfilled_wishes((*scope, "cabling"), stated.cabling, design.catalog.cables)
    for word, lengths in sorted(blueprint.cabling.stock_m.items()):
        reach = max((cable.reach_m for cable in design.catalog.cables if is_named((word,), cable)), default=None)
        if reach is not None and lengths[-1] > reach:
            why = f"no {word} is longer than {reach:g} m, so a stock of {lengths[-1]:g} m serves nothing"
            yield ("cabling", "stock_m", word), why, f"leave out lengths above {reach:g} m"


def _find_unfulfilled_wishes(path: Path, policy: MediaPolicy, cables: Sequence[CableProfile]) -> Iterator[Idle]:
    """Yield settings of the media policy at a path: longer copper than there is, media that are allowed anyway, and
    preferred media that the policy itself rules out.
    """
    copper_m = max(cable.reach_m for cable in cables if cable.copper and "RJ45" not in cable.form_factors)
    if policy.copper_to_m is not None and policy.copper_to_m > copper_m:
        why = f"`copper_to_m: {policy.copper_to_m:g}` limits nothing: no DAC, ACC or AEC is longer than {copper_m:g} m"
        yield (*path, "copper_to_m"), why, f"remove it, or state at most {copper_m:g}"
    fibre = CablePolicy(fibre=policy.fibre or "any")
    for word in policy.allow or ():
        if all(cable.selectable for cable in cables if is_named((word,), cable)):
            yield (*path, "allow"), f"{word} is taken anyway: `allow` is of media beside the usual ones", REMOVE
    for word in policy.prefer or ():
        matching = [cable for cable in cables if is_named((word,), cable)]
        if matching and all(fibre.explain_refusal(cable) == "fibre" for cable in matching):
            why = f"{word} cannot be preferred: it needs other fibre than `fibre: {policy.fibre}`"
            yield (*path, "prefer"), why, "remove it, or change `fibre`"
        if matching and policy.copper_to_m == 0 and all(cable.copper for cable in matching):
            why = f"{word} cannot be preferred: `copper_to_m: 0` takes no copper"
            yield (*path, "prefer"), why, "remove it, or state how long copper may be"


def _find_unlisted_accessories(design: Design) -> Iterator[Idle]:
    """Yield settings of accessories if `order: false` keeps accessories off the bill."""
    accessories = design.loaded.blueprint.accessories
    for key in sorted(accessories.model_fields_set - {"order"}) if not accessories.order else ():
        yield ("accessories", key), f"`{key}` has no effect: `order: false` keeps accessories off the bill", REMOVE


def _find_routes_of_another_family(design: Design) -> Iterator[Idle]:
    """Yield prefixes that an exit accepts and whose address family its fabric does not route."""
    for exit_ in list_exits(design):
        routed = list_families(design, exit_.fabric)
        for index, prefix in enumerate(exit_.spec.accept):
            if (family := f"v{ip_network(prefix.split()[0]).version}") not in routed:
                path = make_entry_path(exit_, "accept", index, len(exit_.spec.accept))
                why = f"{exit_.fabric.name} has `ip: {routed[0]}`, so that nothing of {prefix} is accepted"
                yield path, why, f"remove it, or state `ip: dual`, with addresses of IP{family} on its links"


def _find_leaks_of_nothing(design: Design) -> Iterator[Idle]:
    """Yield prefixes that a leak is to show of a VRF and that lie outside of all pools of the VRF's hosts."""
    if not design.leaks:
        return
    from fabricgen.views.intent import make_fabric_intent

    for leak in design.leaks:
        for vrf, prefixes in sorted(leak.prefixes.items()):
            tenant_fabrics = {name for tenant in design.tenants if tenant.name == vrf for name in tenant.fabrics}
            fabrics = [f for f in design.fabrics if f.name in tenant_fabrics or (not tenant_fabrics and f.vrf == vrf)]
            pools = [ip_network(p) for f in fabrics for p in make_fabric_intent(design, f).host_pools]
            for prefix in map(ip_network, prefixes):
                if not any(is_overlapping(prefix, pool) for pool in pools):
                    why = f"{leak.name} shows nothing of {vrf or 'default'} in {prefix}: no host has an address there"
                    yield ("leaks", leak.name, "prefixes", vrf or "default"), why, "state a part of the pool `hosts`"
