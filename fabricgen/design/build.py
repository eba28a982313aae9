"""From a blueprint to its design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.models import Blueprint, Pod
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.blueprint.sections.routing import LoadBalance, Routing
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.advice.trials import RoomyCatalog, Trials
from fabricgen.design.attach import check_nic_addresses
from fabricgen.design.capacity.expected import list_expected
from fabricgen.design.capacity.reserved import check_reserved
from fabricgen.design.extras.exits import check_exits
from fabricgen.design.fabric import ManagementNeeds, design_fabrics
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.floor.unit_plan import check_racks
from fabricgen.design.layout import lay_out
from fabricgen.design.linked import check_linked, group_linked_fabrics
from fabricgen.design.management.load import make_port_counter
from fabricgen.design.management.managed import list_managed_devices
from fabricgen.design.media.allowed import check_media
from fabricgen.design.media.patching import check_patching
from fabricgen.design.media.policy import check_cabling_names
from fabricgen.design.model import Design
from fabricgen.design.names.switches import check_interface_names, check_node_names, check_switch_names
from fabricgen.design.phase_selection import check_phases
from fabricgen.design.scale_up.domains import design_scale_up
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.design.slots import check_pod_tiers
from fabricgen.design.snippets import check_snippets
from fabricgen.design.srv6 import check_srv6
from fabricgen.design.tenants.overlay import number_pair_vlans, number_vrfs
from fabricgen.design.tenants.stated import design_leaks, design_tenants
from fabricgen.design.tier_order import rank_fabric
from fabricgen.design.tiers import FabricContext
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault


def build_design(loaded: LoadedBlueprint, *, advise: bool = True, catalog: Catalog | None = None) -> Design:
    """Size and count a cluster without expanding it.

    `catalog` is the catalogue with the blueprint's own profiles; it is loaded if None. Raises InputError if the
    blueprint cannot be wired, each finding with its place; `advise` works as in `size_fabrics`.
    """
    try:
        return _build_design(loaded, catalog or Catalog(loaded.folder / "catalog"), advise=advise)
    except InputError as error:
        raise loaded.locate_error(error) from error


PORT_FACTORS = (8, 128)
"""By these factors, in turn, switches get more ports until a design that lacks ports has enough."""


def build_with_more_ports(loaded: LoadedBlueprint) -> Design | None:
    """Return the design of a blueprint whose switches lack ports, as if they had more ports; None if the blueprint has
    other faults as well.

    Its counts belong to no real design: it serves to check what the blueprint states apart from counts.
    """
    for factor in PORT_FACTORS:
        try:
            return _build_design(loaded, RoomyCatalog(loaded.folder / "catalog", factor), advise=False)
        except InputError:
            continue
    return None


def _build_design(loaded: LoadedBlueprint, catalog: Catalog, *, advise: bool = True) -> Design:
    """Return the design of a loaded blueprint after all checks that need no expansion; see `size_fabrics` for `advise`.

    Raises InputError whose findings have paths in the blueprint but no lines yet: `build_design` adds these.
    """
    blueprint = loaded.blueprint
    layout = lay_out(blueprint, catalog, loaded.lock)
    check_node_names(blueprint, layout)
    check_media(blueprint, catalog)
    check_cabling_names(blueprint, catalog, layout.sites)
    context = FabricContext(blueprint, catalog, layout)
    names = sorted(blueprint.fabrics, key=rank_fabric)
    managing = [n for n in names if "switches" in blueprint.fabrics[n].also]
    if len(managing) > 1:
        raise fault(
            "FG019",
            f"management ports attach to one fabric; {managing[0]} and {managing[1]} both say `also: switches`",
            path=("fabrics", managing[1], "also"),
        )
    check_pod_tiers(blueprint)
    scale_up = design_scale_up(blueprint, catalog, layout)
    designed = size_fabrics(context, scale_up, advise=advise)
    _check_extras(designed, blueprint.fabrics, layout.sites[layout.first_site])
    _check_nos(loaded, catalog, designed)
    check_snippets(blueprint, catalog)
    _check_seeds(blueprint, designed)
    fabrics = tuple(designed[n] for n in names)
    check_interface_names(blueprint, layout, fabrics)
    check_racks(layout, catalog, fabrics, scale_up)
    design = number_vrfs(design_tenants(Design(loaded, catalog, layout, fabrics, scale_up)))
    design = design_leaks(number_pair_vlans(design))
    check_switch_names(design)
    FloorPlan(design).check()
    check_patching(design)
    check_exits(design)
    check_srv6(design)
    check_nic_addresses(design)
    check_phases(design)
    check_reserved(design)
    list_expected(design)  # raises for fabrics and tiers that do not exist
    return design


def size_fabrics(
    context: FabricContext, scale_up: Sequence[ScaleUpDesign], *, advise: bool = True
) -> dict[str, FabricDesign]:
    """Size all fabrics and return them by name; fabrics that manage switches are sized last.

    Raises InputError with the faults of all fabrics. With `advise` their hints name changes that were tried and fit,
    which takes far longer than sizing.
    """
    blueprint = context.blueprint
    names = sorted(blueprint.fabrics, key=rank_fabric)
    designed: dict[str, FabricDesign] = {}
    faults: list[InputError] = []
    linked_groups = group_linked_fabrics({name: blueprint.fabrics[name] for name in names})
    # fabrics that manage switches come last (False sorts before True), as they need the number of all other switches
    for linked_names in sorted(
        linked_groups, key=lambda linked_names: any("switches" in blueprint.fabrics[name].also for name in linked_names)
    ):
        try:
            check_linked(blueprint, context.layout.numbering, linked_names)
        except InputError as error:
            faults.append(error)
            continue
        design_linked = partial(
            _design_linked, names=linked_names, designed_before=tuple(designed.values()), scale_up=scale_up
        )
        try:
            designed |= {fabric.name: fabric for fabric in design_linked(context)}
        except InputError as error:
            if not advise:
                raise
            from fabricgen.design.advice.hints import add_hints

            trials = Trials(context, linked_names, design_linked)
            faults.append(add_hints(error, trials))
    if faults:
        raise InputError(d for error in faults for d in error.diagnostics)
    return designed


ROUNDS = 8
"""How often fabrics are designed, at most, until the management fabric among them finds the same switches to manage."""


def _design_linked(
    context: FabricContext,
    names: Sequence[str],
    designed_before: Sequence[FabricDesign],
    scale_up: Sequence[ScaleUpDesign],
) -> list[FabricDesign]:
    """Design fabrics that are linked with each other, beside `designed_before` that are already designed.

    A management fabric among them manages their switches too, whose number may follow from its own: they are designed
    again until that number stays the same. Raises InputError as `design_fabrics` does, and FG019 if it never stays the
    same.
    """
    fabrics = context.blueprint.fabrics
    managing_fabric = next((name for name in names if "switches" in fabrics[name].also), None)
    if managing_fabric is None:
        return design_fabrics(context, names, None)
    managed_devices = list_managed_devices(designed_before, scale_up, managing_fabric)
    for _ in range(ROUNDS):
        needs = ManagementNeeds(
            managing_fabric, partial(make_port_counter, managed=managed_devices), sum(m.count for m in managed_devices)
        )
        designed = design_fabrics(context, names, needs)
        managed_before, managed_devices = (
            managed_devices,
            list_managed_devices([*designed_before, *designed], scale_up, managing_fabric),
        )
        if managed_devices == managed_before:
            return designed
    raise fault(
        "FG019",
        f"{managing_fabric} manages switches whose number depends on its own: each round asks for other numbers",
        path=("fabrics", managing_fabric, "also"),
        hint="state the `count` of the tier that it is linked up to",
    )


def make_trials(design: Design, fabric: str) -> Trials:
    """Return trials of changes to a fabric of a finished design and to the fabrics linked with it."""
    blueprint = design.loaded.blueprint
    names = next(linked for linked in group_linked_fabrics(blueprint.fabrics) if fabric in linked)
    context = FabricContext(blueprint, design.catalog, design.layout)
    other_fabrics = [f for f in design.fabrics if f.name not in names]
    return Trials(
        context, names, partial(_design_linked, names=names, designed_before=other_fabrics, scale_up=design.scale_up)
    )


def _check_extras(fabrics: dict[str, FabricDesign], specs: Mapping[str, Fabric], first_site: str) -> None:
    """Raise InputError (FG019) if extra devices of one name differ between fabrics in profile, number or site."""
    first_seen: dict[str, tuple[str, str, int]] = {}
    for name, fabric in fabrics.items():
        for extra in fabric.extras:
            first_fabric, model, count = first_seen.setdefault(
                extra.name, (name, extra.attachment.profile.id, extra.count)
            )
            if (model, count) != (extra.attachment.profile.id, extra.count):
                raise fault(
                    "FG019",
                    f"'{extra.name}' is {extra.count} x {extra.attachment.profile.id} here and "
                    f"{count} x {model} in fabric {first_fabric}",
                    path=extra.path,
                    hint="the same name in two fabrics is the same devices; give others another name",
                )
            site = specs[name].extra[extra.name].site or first_site
            first_site_of_extra = specs[first_fabric].extra[extra.name].site or first_site
            if site != first_site_of_extra:
                raise fault(
                    "FG019",
                    f"'{extra.name}' stands at {site} here and at {first_site_of_extra} in fabric {first_fabric}",
                    path=extra.path,
                    hint="state the same `site` in every fabric",
                )


def _check_nos(loaded: LoadedBlueprint, catalog: Catalog, fabrics: dict[str, FabricDesign]) -> None:
    """Raise InputError (FG018) if a NOS stated for the whole cluster runs on none of its switches, or one stated for
    tiers on none of theirs.
    """
    tiers = [tier for fabric in fabrics.values() for tier in fabric.tiers]
    runnable = {nos for tier in tiers for nos in tier.profile.nos}
    for tier, nos in loaded.blueprint.nos.items():
        if nos not in runnable:
            raise fault(
                "FG018",
                f"no switch in this blueprint runs '{nos}'",
                path=("nos", tier),
                hint=did_you_mean(nos, _list_usable_nos(catalog, [tier.profile for tier in tiers])),
            )
    _check_nos_of_tiers(catalog, (), loaded.blueprint.nos, tiers)
    for name, fabric in fabrics.items():
        _check_nos_of_tiers(catalog, ("fabrics", name), loaded.blueprint.fabrics[name].nos, fabric.tiers)


def _list_usable_nos(catalog: Catalog, profiles: Iterable[SwitchProfile]) -> list[str]:
    """Return the NOSes that at least one of the switches runs and whose port names the catalogue knows."""
    return sorted({nos for profile in profiles for nos in catalog.list_usable_nos(profile) or profile.nos})


def _check_nos_of_tiers(
    catalog: Catalog, path_prefix: Path, stated: Mapping[str, str], tiers: Sequence[TierDesign]
) -> None:
    """Raise InputError (FG018) if a NOS stated for tiers of one name, or for all tiers, runs on no switch of these
    tiers.

    If several tiers have that name, those whose switch does not run it keep the switch's default NOS; InfiniBand
    switches ignore the setting.
    """
    for name, nos in stated.items():
        profiles = [t.profile for t in tiers if name in ("all", t.name) and t.profile.protocol != "infiniband"]
        if profiles and not any(nos in profile.nos for profile in profiles):
            switches = ", ".join(sorted({profile.id for profile in profiles}))
            raise fault(
                "FG018",
                f"no switch that it is stated for runs '{nos}': {switches}",
                path=(*path_prefix, "nos", name),
                hint=did_you_mean(nos, _list_usable_nos(catalog, profiles)),
            )


def list_growing_pods(design: Design) -> dict[str, Pod]:
    """Return the pods of the blueprint that have reserved units which do not exist yet, by their keys."""
    return {name: pod for name, pod in design.loaded.blueprint.pods.items() if pod.slots > pod.su}


def grow_design(design: Design) -> Design:
    """Return the design with its reserves filled; raises InputError if it cannot be wired then."""
    pods = {
        name: pod.model_copy(update={"su": pod.slots, "nodes": None}) for name, pod in list_growing_pods(design).items()
    }
    blueprint = design.loaded.blueprint
    blueprint = blueprint.model_copy(update={"pods": {**blueprint.pods, **pods}})
    layout = lay_out(blueprint, design.catalog, design.loaded.lock)
    scale_up = design_scale_up(blueprint, design.catalog, layout)
    fabrics = size_fabrics(FabricContext(blueprint, design.catalog, layout), scale_up, advise=False)
    ordered = tuple(fabrics[name] for name in sorted(fabrics, key=rank_fabric))
    return Design(replace(design.loaded, blueprint=blueprint), design.catalog, layout, ordered, scale_up)


def _check_seeds(blueprint: Blueprint, fabrics: Mapping[str, FabricDesign]) -> None:
    """Raise InputError (FG009) if a seed of hashes is stated for a tier that no fabric has, or that its fabric does not
    have.
    """
    tiers = {name: {tier.name for tier in fabric.tiers} for name, fabric in fabrics.items()}
    stated: list[tuple[Path, Routing, set[str]]] = [((), blueprint.routing, set().union(*tiers.values()))]
    stated += [(("fabrics", name), blueprint.fabrics[name].routing, tiers[name]) for name in fabrics]
    for path, routing, names in stated:
        seeds = routing.load_balance.seeds if isinstance(routing.load_balance, LoadBalance) else None
        for name in sorted(set(seeds) - names) if isinstance(seeds, dict) else ():
            seed_path = (*path, "routing", "load_balance", "seeds", name)
            hint = did_you_mean(name, names)
            raise fault("FG009", f"there is no tier '{name}' to have a seed", path=seed_path, hint=hint)
