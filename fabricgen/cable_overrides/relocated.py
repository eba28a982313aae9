"""Measure the runs of cables that are on another device than planned, and move bonds and management addresses with
them; apply stated lengths, media and single fibres of cables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.cable_overrides.cage_resolver import CagePosition, CageResolver
from fabricgen.cable_overrides.ends import CableEnd, CableIndex
from fabricgen.cable_overrides.moves import EndMove
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
from fabricgen.wiring.cabling.end_numbers import hangs_on_lower_end
from fabricgen.wiring.cabling.media import fits_segment
from fabricgen.wiring.patching.tables import Patching
from fabricgen.wiring.tables import CableTable, ManagementPort, Segment, WiringPlan


def measure_relocated_runs(design: Design, built: WiringPlan, relocated: Sequence[Relocation]) -> CableTable:
    """Return the cable table with the runs of relocated cables, m: each the longest run to an end of the cable.

    Patched cables, which stay in their racks, keep their runs.
    """
    table, run_m = built.cables, built.cables.run_m.copy()
    cables = np.unique(built.links.cable[[relocation.row for relocation in relocated]])
    if built.patching is not None:
        # policy -1: not patched
        cables = cables[built.patching.policy[cables] < 0]
    ends = np.flatnonzero(np.isin(table.end_cable, cables))
    runs = measure_runs(design, built.devices, built.racks, built.links, table.end_link[ends].astype(np.int64))
    # the longest of the new runs may be shorter than the old one, so start from 0
    run_m[cables] = 0
    np.maximum.at(run_m, table.end_cable[ends], runs)
    return replace(table, run_m=run_m)


def remake_bonds(
    design: Design, built: WiringPlan, names: Sequence[str], relocated: Sequence[Relocation], faults: list[Diagnostic]
) -> WiringPlan:
    """Return the plan with bonds of the ports that hosts have now; bonds that cannot be are added to `faults` (FG077).

    A bond keeps its address: that of the planned bond of which it has the addressed link.
    """
    planned = built.bonds
    host_moves = [
        relocation for relocation in relocated if planned is not None and planned.of_link[relocation.row] >= 0
    ]
    if planned is None or not host_moves:
        return built
    try:
        bonds = make_bonds(design, built.devices, built.links)
    except InputError as error:
        message = f"with this cable on {names[host_moves[0].new]}, {error.diagnostics[0].message}"
        faults += fault(NOT_THERE, message, path=host_moves[0].path, hint=PULL).diagnostics
        return built
    assert bonds is not None  # noqa: S101 - the plan has bonds
    first_links = _find_addressed_links(planned, bonds)
    if first_links is None or not (bonds.mate == planned.mate).all():
        message = f"with this cable on {names[host_moves[0].new]}, a bond has two of its links with an address, or none"
        faults += fault(NOT_THERE, message, path=host_moves[0].path, hint=PULL).diagnostics
        return built
    return built._replace(bonds=bonds._replace(first=first_links.astype(np.int32)))


def _find_addressed_links(planned: Bonds, bonds: Bonds) -> Ints64 | None:
    """Return, by bond, the link that has its address as planned, int64; None if a bond has no such link, or two."""
    links = planned.first[planned.kind != PEER].astype(np.int64)
    bonds_of_links = bonds.of_link[links]
    first_links = bonds.first.astype(np.int64)
    hosts = bonds.kind != PEER
    if (
        (bonds_of_links < 0).any()
        or len(np.unique(bonds_of_links)) != len(bonds_of_links)
        or len(bonds_of_links) != int(hosts.sum())
    ):
        return None
    first_links[bonds_of_links] = links
    return first_links


def move_management(addresses: Addresses, plan: WiringPlan, relocated: Sequence[Relocation]) -> Addresses:
    """Return the addresses with management addresses moved to the device that the link of a management port is on
    now.
    """
    management_moves = [
        relocation for relocation in relocated if not relocation.upper and _is_management(plan, relocation.row)
    ]
    if not management_moves:
        return addresses
    return replace(
        addresses, families=tuple(_move_addresses(family, management_moves) for family in addresses.families)
    )


def _is_management(plan: WiringPlan, row: int) -> bool:
    side = plan.links.segments[plan.links.segment[row]].a
    return isinstance(side, ManagementPort) or (isinstance(side, Attachment) and side.role == "bmc")


def _move_addresses(family: FamilyAddresses, relocated: Sequence[Relocation]) -> FamilyAddresses:
    """Return the addresses of one family, in which each device has the management address that came with the link.

    A device that lost its link keeps its address here, unless it gets that of another.
    """
    # only if the link's address is the management address of its planned device: it goes where the cable goes
    moves = [
        relocation for relocation in relocated if family.management.at(relocation.old) == family.a.at(relocation.row)
    ]
    old = np.array([relocation.old for relocation in moves], dtype=np.int64)
    new = np.array([relocation.new for relocation in moves], dtype=np.int64)
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

MAX_LISTED = 8
"""How many media a hint lists at most."""


def apply_lengths_and_media(
    catalog: Catalog, cables: CableIndex, overrides: Mapping[int, CableOverride], faults: list[Diagnostic]
) -> CableTable:
    """Return the cable table with stated lengths and media; unsuitable media are added to `faults`.

    A cable of another length keeps its medium, as that is what was pulled; `reaches` is updated for lint.
    """
    table = cables.plan.cables
    length_m, medium, media = table.length_m.copy(), table.medium.copy(), list(table.media)
    for cable, override in overrides.items():
        if override.length_m is not None:
            length_m[cable] = override.length_m
        if override.medium is not None:
            fitting = _find_medium(catalog, cables, cable, override.medium, float(length_m[cable]), faults)
            if fitting is not None:
                medium[cable] = _find_or_add(media, fitting)
    rows = np.array(sorted(overrides), dtype=np.int64)
    reach = np.array([profile.reach_m for profile in media])
    reaches = table.reaches.copy()
    changed = rows[(length_m[rows] != table.length_m[rows]) | (medium[rows] != table.medium[rows])]
    reaches[changed] = length_m[changed] <= reach[medium[changed]]
    return replace(table, media=tuple(media), length_m=length_m, medium=medium, reaches=reaches)


def _find_or_add(media: list[CableProfile], profile: CableProfile) -> int:
    """Return the index of a profile in `media`, to which it is appended if it is new."""
    if profile not in media:
        media.append(profile)
    return media.index(profile)


def _find_medium(
    catalog: Catalog, cables: CableIndex, cable: int, word: str, length_m: float, faults: list[Diagnostic]
) -> CableProfile | None:
    """Return the cheapest profile of the stated kind that fits both ends and is long enough, else the one of the
    longest reach. If none fits, a fault is added to `faults` and None returned.
    """
    fitting = list(_list_fitting(catalog, cables, cable))
    candidates = [profile for profile in fitting if is_named((word,), profile)]
    reaching = [profile for profile in candidates if profile.reach_m >= length_m]
    if candidates:
        return reaching[0] if reaching else max(candidates, key=lambda profile: profile.reach_m)
    segment = _list_segments(cables, cable)[0]
    sides = " and ".join(dict.fromkeys(side.form_factor for side in (segment.a, segment.b)))
    fitting_ids = ", ".join(profile.id for profile in fitting[:MAX_LISTED])
    faults += fault(
        UNFIT_MEDIUM,
        f"{word} cannot be the medium of {cables.ids[cable]}: {segment.speed_gbps:g}G over lanes of "
        f"{segment.lane_gbps:g}G between {sides} cages",
        path=("cable_of", cables.ids[cable], "medium"),
        hint=f"what fits: {fitting_ids}" if fitting_ids else "",
    ).diagnostics
    return None


def _list_segments(cables: CableIndex, cable: int) -> list[Segment]:
    links = cables.plan.links
    return [links.segments[i] for i in sorted(set(links.segment[cables.links_of(cable)].tolist()))]


def _list_fitting(catalog: Catalog, cables: CableIndex, cable: int) -> Iterator[CableProfile]:
    """Yield the profiles that carry a cable's lanes and fit the cages at its ends, the cheapest first."""
    segments = _list_segments(cables, cable)
    has_several_far_ends = len(cables.list_ends(cable, upper=False)) + len(cables.list_ends(cable, upper=True)) > 2
    needs_splitting = has_several_far_ends or any(not hangs_on_lower_end(s) for s in segments)
    for profile in catalog.cables:
        stated_segments = [segment._replace(media=(profile.id,), media_path=("cable_of",)) for segment in segments]
        lanes = max(segment.lanes for segment in segments)
        if all(fits_segment(segment, profile) for segment in stated_segments) and (
            not needs_splitting or profile.splits_for(lanes)
        ):
            yield profile


# Overrides of patched cables: other cages are allowed; another length, part or medium is not.

PATCHED = "FG087"

ONE_PIECE = ("length_m", "part", "medium")
"""Fields of an override that make sense only for a cable of one piece."""


def find_patched_faults(cables: CableIndex, overrides: Mapping[int, CableOverride]) -> Iterator[Diagnostic]:
    """Yield faults (FG087) of patched cables that state a length, part or medium."""
    patching = cables.plan.patching
    if patching is None:
        return
    for cable, override in overrides.items():
        if patching.policy[cable] < 0:
            continue
        name = cables.ids[cable]
        for field in ONE_PIECE:
            if getattr(override, field) is not None:
                message = f"{name} goes through panels: its jumpers and trunk have a `{field}` each"
                hint = "leave it out (patches.csv has theirs), or leave such links out of `cabling.patch`"
                yield from fault(PATCHED, message, path=("cable_of", name, field), hint=hint).diagnostics


# Cables of several fibres whose plugs were moved one by one: a cable end row for each fibre.

EndKey = tuple[int, bool, str, int]
"""(cable, whether the end is its upper one, planned place of the end, planned connector)"""


@dataclass(frozen=True, slots=True)
class MovedJumper:
    """A fibre of a cable: the rows of its links, and where its plugs at the a and b end are now."""

    rows: tuple[int, ...]
    a: CagePosition
    b: CagePosition


def split_rows(
    plan: WiringPlan, cables: CableIndex, resolver: CageResolver, moves: Sequence[EndMove], faults: list[Diagnostic]
) -> WiringPlan:
    """Return the plan with an end row for each fibre of a cable, instead of one for all fibres between two cages, if
    its fibres do not run side by side any more (`_run_side_by_side`).

    Fibres of a patched cable must keep together, as they run through one trunk: otherwise a fault is added to `faults`
    (FG077).
    """
    moved = {_make_end_key(move.cable, move.end): move.position for move in moves}
    # backwards, so that of several lines of a cable the first one counts
    paths = {move.cable: move.path for move in reversed(moves)}
    split: dict[int, list[MovedJumper]] = {}
    for cable, path in sorted(paths.items()):
        separated = [
            row for row in _group_jumpers(cables, cable, resolver, moved) if len(row) > 1 and not _run_side_by_side(row)
        ]
        if separated and plan.patching is not None and plan.patching.policy[cable] >= 0:
            message = f"{cables.ids[cable]} is patched, and its jumpers would not run side by side any more"
            faults += fault(NOT_THERE, message, path=path, hint=PULL).diagnostics
        else:
            split |= {min(row for jumper in jumpers for row in jumper.rows): jumpers for jumpers in separated}
    return _split_cable_rows(plan, split) if split else plan


def _make_end_key(cable: int, end: CableEnd) -> EndKey:
    return cable, end.upper, end.place, end.connector


def _group_jumpers(
    cables: CableIndex, cable: int, resolver: CageResolver, moved: Mapping[EndKey, CagePosition]
) -> Iterator[list[MovedJumper]]:
    """Yield the fibres of a cable, grouped by the two cages that they are planned between."""
    jumpers_by_places: dict[tuple[str, str], list[MovedJumper]] = {}
    for a in cables.list_ends(cable, upper=False):
        for b in cables.list_ends(cable, upper=True):
            if rows := tuple(row for row in a.rows if row in b.rows):
                at_a, at_b = (
                    moved.get(_make_end_key(cable, end), resolver.find_planned_position(end)) for end in (a, b)
                )
                jumpers_by_places.setdefault((a.place, b.place), []).append(MovedJumper(rows, at_a, at_b))
    yield from jumpers_by_places.values()


def _run_side_by_side(jumpers: Sequence[MovedJumper]) -> bool:
    """Whether fibres run from one cage to one other, the first from the first connector to the first connector, and so
    on.
    """
    cages = {((j.a.device, j.a.cage), (j.b.device, j.b.cage)) for j in jumpers}
    order = [(j.a.connector, j.b.connector) for j in jumpers]
    return len(cages) == 1 and order == sorted(order) and [b for _, b in order] == sorted(b for _, b in order)


def _split_cable_rows(plan: WiringPlan, jumpers_by_first_link: Mapping[int, Sequence[MovedJumper]]) -> WiringPlan:
    """Return a plan with some cable end rows replaced by one row for each jumper; cables stay in their order.

    `jumpers_by_first_link` has the jumpers of each such row, by its first link, which is its `end_link`.
    """
    table, rows, new_rows = plan.cables, list[tuple[int, int, int]](), list[int]()
    columns = (table.end_cable.tolist(), table.end_link.tolist(), table.end_links.tolist())
    for cable, link, link_count in zip(*columns, strict=True):
        new_rows.append(len(rows))
        if link in jumpers_by_first_link and link_count > 1:
            rows += [(cable, jumper.rows[0], len(jumper.rows)) for jumper in jumpers_by_first_link[link]]
        else:
            rows.append((cable, link, link_count))
    end_cable, end_link, end_links = (np.ascontiguousarray(column) for column in np.array(rows, dtype=np.int32).T)
    cables = replace(table, end_cable=end_cable, end_link=end_link, end_links=end_links)
    return plan._replace(cables=cables, patching=_renumber_rows(plan.patching, np.array(new_rows, dtype=np.int32)))


def _renumber_rows(patching: Patching | None, new_row: Ints) -> Patching | None:
    """Return structured cabling with other numbers of cable end rows: `new_row` has the new number of each former
    one.
    """
    if patching is None:
        return None
    patches = replace(patching.patches, row=new_row[patching.patches.row])
    return patching._replace(patches=patches, shuffles=replace(patching.shuffles, row=new_row[patching.shuffles.row]))
