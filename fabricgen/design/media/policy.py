"""The media policy: which cable profiles may carry links without stated media, and in what order of preference."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.cabling import OTHERS, Cabling, MediaPolicy
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import COPPER_MEDIA, CableProfile
from fabricgen.catalog.product_models import make_vendor_key
from fabricgen.design.floor.halls import make_halls
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault

T = TypeVar("T")

LINEAR = ("LPO", "LRO", "NPO")
"""Optics without retimers, which work only with ports made for them at both ends."""

_FIBRES = {"single-mode": "smf", "multi-mode": "mmf"}


class CablePolicy(NamedTuple):
    """A blueprint's media policy. The default takes the cheapest standard medium that is long enough.

    `allow`, `avoid` and `prefer` name media or cable profiles. `fibre` is "any", "single-mode" or "multi-mode";
    `copper_to_m` is the longest copper cable, m: 0 for none, None for as far as copper reaches. `linear` says whether
    the ports at both ends drive linear optics. `path` is where the policy is stated; () if it is not.
    """

    allow: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    fibre: str = "any"
    copper_to_m: float | None = None
    linear: bool = False
    path: Path = ()

    def permits(self, cable: CableProfile) -> bool:
        """Whether a cable of this profile may be used.

        It has to be `selectable` (chosen without being asked for) or named in `allow`, and no key of the policy may
        forbid it. Twisted pair for RJ45 cages only has to be selectable: the policy says nothing about it.
        """
        if "RJ45" in cable.form_factors:
            return cable.selectable
        is_selectable = cable.selectable or is_named(self.allow, cable)
        return is_selectable and not self.explain_refusal(cable)

    def explain_refusal(self, cable: CableProfile) -> str:
        """Return the key of the policy that forbids a medium, the first of `avoid`, `fibre`, `copper_to_m` and
        `linear_hosts`; "" if none does.
        """
        if is_named(self.avoid, cable):
            return "avoid"
        fibre_type = _FIBRES.get(self.fibre)
        if fibre_type and cable.fibre and not cable.fibre.startswith(fibre_type):
            return "fibre"
        if cable.copper and self.copper_to_m == 0:
            return "copper_to_m"
        if cable.medium in LINEAR and not self.linear:
            return "linear_hosts"
        return ""

    @property
    def wants_copper(self) -> bool:
        """Whether the policy asks for copper, up to a length or by name."""
        return bool(self.copper_to_m) or any(word in COPPER_MEDIA for word in self.prefer)

    def find_max_length(self, cable: CableProfile) -> float:
        """Return the longest cable of a medium that the policy allows, m."""
        if cable.copper and self.copper_to_m is not None:
            return min(cable.reach_m, self.copper_to_m)
        return cable.reach_m

    def find_rank(self, cable: CableProfile) -> int:
        """Return the rank of a medium in `prefer`, from 0; media that are not named rank last."""
        ranks = (i for i, word in enumerate(self.prefer) if is_named((word,), cable))
        return next(ranks, len(self.prefer))


OPEN = CablePolicy()
"""The policy of a blueprint that states none."""


def is_named(words: tuple[str, ...], cable: CableProfile) -> bool:
    """Whether `words` name a cable profile, by its medium or its id."""
    return cable.medium in words or cable.id in words


def make_policy(blueprint: Blueprint, fabric: str, profile_ids: Iterable[str]) -> CablePolicy:
    """Return the policy for links of a fabric between devices of the profiles `profile_ids`: each key as the fabric
    states it, else as the cluster does; `OPEN` if neither states any.

    Linear optics are allowed if `linear_hosts` of the cluster names all of the profiles. The path is that of the
    fabric's policy if it states a key.
    """
    of_cluster, of_fabric = blueprint.cabling, blueprint.fabrics[fabric].cabling
    policy_keys = set(MediaPolicy.model_fields)
    stated_keys = {
        ("cabling",): policy_keys & of_cluster.model_fields_set,
        ("fabrics", fabric, "cabling"): policy_keys & of_fabric.model_fields_set,
    }
    if not any(stated_keys.values()):
        return OPEN
    return CablePolicy(
        allow=_choose_stated(of_fabric.allow, of_cluster.allow, ()),
        avoid=_choose_stated(of_fabric.avoid, of_cluster.avoid, ()),
        prefer=_choose_stated(of_fabric.prefer, of_cluster.prefer, ()),
        fibre=_choose_stated(of_fabric.fibre, of_cluster.fibre, "any"),
        copper_to_m=of_cluster.copper_to_m if of_fabric.copper_to_m is None else of_fabric.copper_to_m,
        linear=all(profile_id in of_cluster.linear_hosts for profile_id in profile_ids),
        path=[path for path, keys_at_path in stated_keys.items() if keys_at_path][-1],
    )


def _choose_stated(of_fabric: T | None, of_cluster: T | None, default: T) -> T:
    """Return the fabric's value, else the cluster's, else the default."""
    return of_fabric if of_fabric is not None else of_cluster if of_cluster is not None else default


def list_media_with_stock(blueprint: Blueprint, catalog: Catalog) -> tuple[CableProfile, ...]:
    """Return all cable profiles, the cheapest first, with the lengths that the blueprint says are in stock."""
    stock = blueprint.cabling.stock_m
    if not stock:
        return catalog.cables
    cables_and_lengths = ((cable, stock.get(cable.id) or stock.get(cable.medium)) for cable in catalog.cables)
    return tuple(
        cable.model_copy(update={"stock_m": lengths}) if lengths else cable for cable, lengths in cables_and_lengths
    )


# Names of device profiles and halls in the cabling sections of a blueprint.


def check_cabling_names(blueprint: Blueprint, catalog: Catalog, sites: tuple[str, ...]) -> None:
    """Raise InputError for each unknown product list or device profile (FG011) or hall (FG016), and for each vendor
    with product lists of whom the catalogue has no device (FG011).

    `Catalog.products` raises for a product list that cannot be used.
    """
    for path, name in list_product_lists(blueprint):
        catalog.products(name, path)
    trays = blueprint.floor.trays
    faults = [
        *_find_unknown_vendors(blueprint.cabling, catalog),
        *_find_unknown_profiles(("cabling", "linear_hosts"), blueprint.cabling.linear_hosts, catalog),
        *_find_unknown_profiles(("floor", "trays", "cold_ports"), trays.cold_ports or (), catalog),
    ]
    halls = {hall.name for hall in make_halls(blueprint.floor, sites, blueprint.site)} if trays.exits else set()
    for name in sorted(set(trays.exits) - halls):
        faults += fault(
            "FG016",
            f"there is no hall '{name}' whose exit this could be",
            path=("floor", "trays", "exits", name),
            hint=f"halls are {', '.join(sorted(halls))}",
        ).diagnostics
    if faults:
        raise InputError(faults)


def list_product_lists(blueprint: Blueprint) -> Iterator[tuple[Path, str]]:
    """Yield (path in the blueprint, name) of each product list that a blueprint orders from."""
    for vendor, names in blueprint.cabling.products.items():
        for number, name in enumerate(names):
            yield ("cabling", "products", *((vendor,) if vendor else ()), number), name


def _find_unknown_vendors(cabling: Cabling, catalog: Catalog) -> Iterator[Diagnostic]:
    """Yield a fault for each vendor in `cabling.products` of whom the catalogue has no switch or node."""
    stated = [vendor for vendor in cabling.products if vendor not in ("", OTHERS)]
    if not stated:
        return
    vendors = {make_vendor_key(catalog.switch(name).vendor) for name in catalog.ids("switches")}
    vendors |= {make_vendor_key(catalog.node(name).vendor) for name in catalog.ids("nodes")}
    for vendor in stated:
        if vendor not in vendors:
            message = f"no switch or node of the catalogue is of the vendor '{vendor}'"
            yield from fault(
                "FG011", message, path=("cabling", "products", vendor), hint=did_you_mean(vendor, {*vendors, OTHERS})
            ).diagnostics


def _find_unknown_profiles(path: Path, names: Iterable[str], catalog: Catalog) -> Iterator[Diagnostic]:
    """Yield a fault for each name that is no switch or node profile."""
    for name in names:
        profiles = {*catalog.ids("switches"), *catalog.ids("nodes")}
        if name not in profiles:
            message = f"no switch or node profile '{name}' in the catalogue"
            yield from fault("FG011", message, path=path, hint=did_you_mean(name, profiles)).diagnostics
