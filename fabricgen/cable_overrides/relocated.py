"""What follows from cables on another device than planned: lengths of their runs, bonds, and management addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.cable_overrides.cage_resolver import CagePosition, CageResolver
from fabricgen.cable_overrides.ends import CableEnd, CableIndex
from fabricgen.cable_overrides.moves import Move
from fabricgen.cable_overrides.other_device import NOT_THERE, PULL, Relocation
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.media.policy import is_named
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.bonding import make_bonds
from fabricgen.wiring.bonds import PEER, Bonds
from fabricgen.wiring.cabling.cables import measure_runs
from fabricgen.wiring.cabling.end_numbers import has_lower_common_end
from fabricgen.wiring.cabling.media import fits_segment
from fabricgen.wiring.patching.tables import Patching
from fabricgen.wiring.tables import CableTable, ManagementPort, Segment, WiringPlan


def with_runs(design: Design, built: WiringPlan, relocated: Sequence[Relocation]) -> CableTable:
    """The cable table with the runs of relocated cables, m: each the longest to an end of it.

    Patched cables, which stay in their racks, keep theirs.
    """
    table, run_m = built.cables, built.cables.run_m.copy()
    cables = np.unique(built.links.cable[[each.row for each in relocated]])
    if built.patching is not None:
        cables = cables[built.patching.policy[cables] < 0]
    ends = np.flatnonzero(np.isin(table.end_cable, cables))
    runs = measure_runs(design, built.devices, built.racks, built.links, table.end_link[ends].astype(np.int64))
    run_m[cables] = 0
    np.maximum.at(run_m, table.end_cable[ends], runs)
    return replace(table, run_m=run_m)


def with_bonds(
    design: Design, built: WiringPlan, names: Sequence[str], relocated: Sequence[Relocation], faults: list[Diagnostic]
) -> WiringPlan:
    """The plan with the bonds of the ports that hosts have now; those that cannot be are added to `faults` (FG077).

    A bond keeps its address: that of the one link of its ports which is planned to have it.
    """
    planned = built.bonds
    mine = [each for each in relocated if planned is not None and planned.of_link[each.row] >= 0]
    if planned is None or not mine:
        return built
    try:
        bonds = make_bonds(design, built.devices, built.links)
    except InputError as error:
        message = f"with this cable on {names[mine[0].new]}, {error.diagnostics[0].message}"
        faults += fault(NOT_THERE, message, path=mine[0].path, hint=PULL).diagnostics
        return built
    assert bonds is not None  # noqa: S101 - there were some
    first = _addressed_links(planned, bonds)
    if len(first) != len(bonds.first) or not (bonds.mate == planned.mate).all():
        message = f"with this cable on {names[mine[0].new]}, a bond has two of its links with an address, or none"
        faults += fault(NOT_THERE, message, path=mine[0].path, hint=PULL).diagnostics
        return built
    return replace(built, bonds=replace(bonds, first=first.astype(np.int32)))


def _addressed_links(planned: Bonds, bonds: Bonds) -> Ints64:
    """By bond, the link that has its address as planned; shorter than the bonds where one has none, or two."""
    links = planned.first[planned.kind != PEER].astype(np.int64)
    of = bonds.of_link[links]
    first = bonds.first.astype(np.int64)
    hosts = bonds.kind != PEER
    if (of < 0).any() or len(np.unique(of)) != len(of) or len(of) != int(hosts.sum()):
        return first[:0]
    first[of] = links
    return first


def with_managed(addresses: Addresses, plan: WiringPlan, relocated: Sequence[Relocation]) -> Addresses:
    """The addresses with those of management ports that are on another device: they follow the link."""
    mine = [each for each in relocated if not each.upper and _is_management(plan, each.row)]
    if not mine:
        return addresses
    return replace(addresses, families=tuple(_managed(family, mine) for family in addresses.families))


def _is_management(plan: WiringPlan, row: int) -> bool:
    side = plan.links.segments[plan.links.segment[row]].a
    return isinstance(side, ManagementPort) or (isinstance(side, Attachment) and side.role == "bmc")


def _managed(family: FamilyAddresses, relocated: Sequence[Relocation]) -> FamilyAddresses:
    """Addresses of one family, of which each device has the management address that came with the link."""
    found = [each for each in relocated if family.management.at(each.old) == family.a.at(each.row)]
    old = np.array([each.old for each in found], dtype=np.int64)
    new = np.array([each.new for each in found], dtype=np.int64)
    address, length, gateway = (
        family.management.copy(),
        family.management_length.copy(),
        family.management_gateway.copy(),
    )
    address[new], length[new] = family.management[old], family.management_length[old]
    gateway[new] = family.management_gateway[old]
    return replace(family, management=address, management_length=length, management_gateway=gateway)


# Overrides of the length and medium of single cables.

UNFIT_MEDIUM = "FG083"

MOST_LISTED = 8
"""The most media that a hint lists."""


def with_lengths_and_media(
    catalog: Catalog, cables: CableIndex, stated: Mapping[int, CableOverride], faults: list[Diagnostic]
) -> CableTable:
    """The cable table with stated lengths and media; unsuitable media are added to `faults`.

    A cable of another length keeps its medium, as that is what was pulled; `reaches` is updated for lint.
    """
    table = cables.plan.cables
    length_m, medium, media = table.length_m.copy(), table.medium.copy(), list(table.media)
    for cable, own in stated.items():
        if own.length_m is not None:
            length_m[cable] = own.length_m
        if own.medium is not None:
            found = _medium(catalog, cables, cable, own.medium, float(length_m[cable]), faults)
            if found is not None:
                medium[cable] = _place_in(media, found)
    rows = np.array(sorted(stated), dtype=np.int64)
    reach = np.array([profile.reach_m for profile in media])
    reaches = table.reaches.copy()
    changed = rows[(length_m[rows] != table.length_m[rows]) | (medium[rows] != table.medium[rows])]
    reaches[changed] = length_m[changed] <= reach[medium[changed]]
    return replace(table, media=tuple(media), length_m=length_m, medium=medium, reaches=reaches)


def _place_in(media: list[CableProfile], profile: CableProfile) -> int:
    """The index of a profile in `media`, to which it is appended if it is new."""
    if profile not in media:
        media.append(profile)
    return media.index(profile)


def _medium(
    catalog: Catalog, cables: CableIndex, cable: int, word: str, length_m: float, faults: list[Diagnostic]
) -> CableProfile | None:
    """The cheapest profile of the stated kind that fits both ends and reaches, else the one of the longest reach."""
    fitting = list(_fitting(catalog, cables, cable))
    asked = [profile for profile in fitting if is_named((word,), profile)]
    reaching = [profile for profile in asked if profile.reach_m >= length_m]
    if asked:
        return reaching[0] if reaching else max(asked, key=lambda profile: profile.reach_m)
    segment = _segments(cables, cable)[0]
    sides = " and ".join(dict.fromkeys(side.form_factor for side in (segment.a, segment.b)))
    listed = ", ".join(profile.id for profile in fitting[:MOST_LISTED])
    faults += fault(
        UNFIT_MEDIUM,
        f"{word} cannot be the medium of {cables.ids[cable]}: {segment.speed_gbps:g}G over lanes of "
        f"{segment.lane_gbps:g}G between {sides} cages",
        path=("cable_of", cables.ids[cable], "medium"),
        hint=f"what fits: {listed}" if listed else "",
    ).diagnostics
    return None


def _segments(cables: CableIndex, cable: int) -> list[Segment]:
    links = cables.plan.links
    return [links.segments[i] for i in sorted(set(links.segment[cables.links_of(cable)].tolist()))]


def _fitting(catalog: Catalog, cables: CableIndex, cable: int) -> Iterator[CableProfile]:
    """The profiles that carry a cable's lanes and fit the cages at its ends, cheapest first."""
    segments = _segments(cables, cable)
    several = len(cables.ends(cable, upper=False)) + len(cables.ends(cable, upper=True)) > 2
    split = several or any(not has_lower_common_end(s) and s.b.per_connector > 1 for s in segments)
    for profile in catalog.cables:
        told = [replace(segment, media=(profile.id,), media_path=("cable_of",)) for segment in segments]
        lanes = max(segment.lanes for segment in segments)
        if all(fits_segment(segment, profile) for segment in told) and (not split or profile.splits_for(lanes)):
            yield profile


# Overrides of patched cables: other cages are allowed, another length, part or medium is not.

PATCHED = "FG087"

ONE_PIECE = ("length_m", "part", "medium")
"""Fields of an override that make sense only for a cable of one piece."""


def patched_faults(cables: CableIndex, own: Mapping[int, CableOverride]) -> Iterator[Diagnostic]:
    """Faults (FG087) of patched cables that state a length, part or medium."""
    patching = cables.plan.patching
    if patching is None:
        return
    for cable, stated in own.items():
        if patching.policy[cable] < 0:
            continue
        name = cables.ids[cable]
        for field in ONE_PIECE:
            if getattr(stated, field) is not None:
                message = f"{name} goes through panels: its jumpers and trunk have a `{field}` each"
                hint = "leave it out (patches.csv has theirs), or leave such links out of `cabling.patch`"
                yield from fault(PATCHED, message, path=("cable_of", name, field), hint=hint).diagnostics


# Cables of several fibres whose plugs were moved one by one: a row of the cable table for each fibre.

EndKey = tuple[int, bool, str, int]
"""A cable, whether the end is its upper one, and the planned place and connector of the end."""


@dataclass(frozen=True, slots=True)
class Jumper:
    """A fibre of a cable: the rows of its links, and where its plugs at the a and b end are now."""

    rows: tuple[int, ...]
    a: CagePosition
    b: CagePosition


def with_rows_of_jumpers(
    plan: WiringPlan, cables: CableIndex, places: CageResolver, moves: Sequence[Move], faults: list[Diagnostic]
) -> WiringPlan:
    """The plan with a cable row for each fibre of those rows whose fibres do not run side by side any more.

    Fibres of a patched cable keep together, as they run through one trunk: others are added to `faults` (FG077).
    """
    moved = {_key(move.cable, move.end): move.spot for move in moves}
    paths = {move.cable: move.path for move in reversed(moves)}
    split: dict[int, list[Jumper]] = {}
    for cable, path in sorted(paths.items()):
        apart = [row for row in _rows_of(cables, cable, places, moved) if len(row) > 1 and not _run_side_by_side(row)]
        if apart and plan.patching is not None and plan.patching.policy[cable] >= 0:
            message = f"{cables.ids[cable]} is patched, and its jumpers would not run side by side any more"
            faults += fault(NOT_THERE, message, path=path, hint=PULL).diagnostics
        else:
            split |= {min(row for jumper in jumpers for row in jumper.rows): jumpers for jumpers in apart}
    return _with_more_rows(plan, split) if split else plan


def _key(cable: int, end: CableEnd) -> EndKey:
    return cable, end.upper, end.place, end.connector


def _rows_of(
    cables: CableIndex, cable: int, places: CageResolver, moved: Mapping[EndKey, CagePosition]
) -> Iterator[list[Jumper]]:
    """The fibres of a cable, those together that are planned between the same two cages."""
    between: dict[tuple[str, str], list[Jumper]] = {}
    for a in cables.ends(cable, upper=False):
        for b in cables.ends(cable, upper=True):
            if rows := tuple(row for row in a.rows if row in b.rows):
                at_a, at_b = (moved.get(_key(cable, end), places.planned(end)) for end in (a, b))
                between.setdefault((a.place, b.place), []).append(Jumper(rows, at_a, at_b))
    yield from between.values()


def _run_side_by_side(jumpers: Sequence[Jumper]) -> bool:
    """Whether fibres go from one cage to one other, the first from the first connector to the first, and so on."""
    cages = {((j.a.device, j.a.cage), (j.b.device, j.b.cage)) for j in jumpers}
    order = [(j.a.connector, j.b.connector) for j in jumpers]
    return len(cages) == 1 and order == sorted(order) and [b for _, b in order] == sorted(b for _, b in order)


def _with_more_rows(plan: WiringPlan, split: Mapping[int, Sequence[Jumper]]) -> WiringPlan:
    """A plan with the cable rows of some links replaced by one for each fibre, in the order of cables as before."""
    table, rows, first = plan.cables, list[tuple[int, int, int]](), list[int]()
    columns = (table.end_cable.tolist(), table.end_link.tolist(), table.end_links.tolist())
    for cable, link, carried in zip(*columns, strict=True):
        first.append(len(rows))
        if link in split and carried > 1:
            rows += [(cable, jumper.rows[0], len(jumper.rows)) for jumper in split[link]]
        else:
            rows.append((cable, link, carried))
    end_cable, end_link, end_links = (np.ascontiguousarray(column) for column in np.array(rows, dtype=np.int32).T)
    cables = replace(table, end_cable=end_cable, end_link=end_link, end_links=end_links)
    return replace(plan, cables=cables, patching=_renumbered(plan.patching, np.array(first, dtype=np.int32)))


def _renumbered(patching: Patching | None, first: Ints) -> Patching | None:
    """Structured cabling with other numbers of cable rows; `first` has the new one by the former."""
    if patching is None:
        return None
    patches = replace(patching.patches, row=first[patching.patches.row])
    return replace(patching, patches=patches, shuffles=replace(patching.shuffles, row=first[patching.shuffles.row]))
