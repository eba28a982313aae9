"""Panels, trunks and jumpers of patched cables, and the lengths of their channels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.catalog.models import CableProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.floor.floor_plan import RackNames
from fabricgen.design.media.patching import FIBRES, PatchPolicy
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.wiring.arrays import Flags, Floats, Ints, unique_values
from fabricgen.wiring.cabling.end_numbers import MOST_NUMBERS, CableEnds, hangs_on_lower_end, number_device_connectors
from fabricgen.wiring.cabling.offers import find_sold_jumper_lengths
from fabricgen.wiring.cabling.routes import (
    Positions,
    join_positions,
    locate_devices,
    make_positions,
    measure_runs_between,
)
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.cabling.stock import choose_order_length, round_up_fibre
from fabricgen.wiring.patching.channels import Channels, TrunkLayout, find_jumper_widths, lay_out_trunks, make_channels
from fabricgen.wiring.patching.panels import (
    PatchLocations,
    add_patch_racks,
    find_free_units,
    join_panels,
    place_panels,
    terminate_trunks,
)
from fabricgen.wiring.patching.tables import IN_SHUFFLE, PanelTable, Patching, PatchTable, ShuffleTable, TrunkTable
from fabricgen.wiring.tables import DeviceTable, LinkTable, RackTable, Side


@dataclass(frozen=True, slots=True)
class PatchingInput:
    """The plan before patching, with the patching policies."""

    floor: Floor
    devices: DeviceTable
    racks: RackTable
    links: LinkTable
    media: tuple[CableProfile, ...]
    policies: tuple[PatchPolicy, ...]
    places: PatchLocations
    rack_names: RackNames
    shelf: Shelf | None = None
    """The product lists that jumpers are ordered from."""

    def find_devices(self, ends: CableEnds, rows: Ints) -> tuple[Ints, Ints]:
        """Return (device at the a end, device at the b end) of cable end rows."""
        return self.links.a_device[ends.link[rows]], self.links.b_device[ends.link[rows]]

    def find_places(self, ends: CableEnds, policy: Ints) -> tuple[Ints, Ints]:
        """Return (place of the a end, of the b end) of every cable end row: racks or rows, by `policy` (-1: none)."""
        at_row_end: Flags = np.array([*(p.spec.at == "row-end" for p in self.policies), False], dtype=bool)[policy]
        a, b = (
            self.devices.rack[device] for device in (self.links.a_device[ends.link], self.links.b_device[ends.link])
        )
        return self.places.find_places_of_racks(a, at_row_end), self.places.find_places_of_racks(b, at_row_end)


@dataclass(frozen=True, slots=True)
class PatchingResult:
    """The patching, the rack table with patch racks, and the stocked and measured length of each channel, m.

    Lengths have an entry for each cable, float64, 0 for cables that are not patched.
    """

    patching: Patching
    racks: RackTable
    length_m: Floats
    run_m: Floats


def lay_trunks(inputs: PatchingInput, ends: CableEnds, policy: Ints, medium: Ints) -> PatchingResult:
    """Lay trunks or fibre shuffles for the cables that have a policy (not -1), with panels, patch racks and jumpers.

    `policy` and `medium` (an index of the media) have an entry for each cable. Raises InputError if racks have no room
    for panels (FG086), a shuffle cannot serve a cable (FG075), or patch racks cannot be named (FG039, FG040).
    """
    places = inputs.find_places(ends, policy[ends.cable])
    # the last entry is that of no policy, -1
    shuffled = np.array([*(p.shuffles for p in inputs.policies), False], dtype=bool)[policy]
    trunked = np.where(shuffled, -1, policy).astype(np.int32)
    channels = make_channels(inputs.links, ends, trunked, places, medium, inputs.media)
    trunks = lay_out_trunks(channels, inputs.policies, len(inputs.places))
    terminations = terminate_trunks(trunks, inputs.policies, inputs.places)
    is_free = find_free_units(inputs.devices, inputs.racks)
    cable_choices = policy, medium, inputs.media
    housings, shuffles = lay_shuffles(inputs.links, ends, inputs.policies, cable_choices, places)
    # housings of shuffles are numbered behind the panels of trunks
    shuffles = replace(shuffles, panel=shuffles.panel + len(terminations.panels))
    panels = place_panels(
        join_panels(terminations.panels, housings), inputs.policies, inputs.places, is_free, inputs.racks.names
    )
    panels, racks = add_patch_racks(panels, inputs.policies, inputs.places, inputs.racks, inputs.rack_names)
    patches = _make_patches(channels, trunks, inputs.media, medium[ends.cable])
    # positions of panels follow those of devices in one table
    positions, first_panel = _locate_panels(inputs, panels, racks), np.int32(len(inputs.devices))
    trunk_run_m = measure_runs_between(
        positions, racks, inputs.floor, first_panel + terminations.a_panel, first_panel + terminations.b_panel
    )
    trunk_columns = trunks.policy, trunks.fibre, trunks.number
    ends_on_panels = terminations.a_panel, terminations.a_port, terminations.b_panel, terminations.b_port
    table = TrunkTable(*trunk_columns, *ends_on_panels, trunks.used, round_up_fibre(trunk_run_m), trunk_run_m)
    trunk_jumpers_m = _measure_jumpers(inputs, ends, (positions, racks), table, patches, len(policy))
    shuffle_panels = shuffles.panel, shuffles.panel
    shuffle_jumpers_m = _measure_to_panels(inputs, ends, (positions, racks), shuffles.row, shuffle_panels, len(policy))
    # a cable passes either trunks or a shuffle, and is 0 m long in the other
    jumpers = np.maximum(trunk_jumpers_m[0], shuffle_jumpers_m[0]), np.maximum(trunk_jumpers_m[1], shuffle_jumpers_m[1])
    split = np.where(shuffled, IN_SHUFFLE, channels.split).astype(np.int32)
    widths = find_jumper_widths(inputs.links, ends, split)
    a_m, b_m = (
        _order_jumpers(inputs, end, (medium, policy), widths[end], jumper) for end, jumper in enumerate(jumpers)
    )
    cable = ends.cable[patches.row]
    length_m, run_m = a_m + b_m, jumpers[0] + jumpers[1]
    length_m += _find_longest(table.length_m[patches.trunk], cable, len(policy))
    run_m += _find_longest(trunk_run_m[patches.trunk], cable, len(policy))
    tables, runs = (panels, table, patches, shuffles), (a_m, b_m, jumpers[0], jumpers[1])
    patching = Patching(inputs.policies, inputs.places.names, policy, *runs, split, *tables)
    return PatchingResult(patching, racks, length_m, run_m)


def _make_patches(channels: Channels, trunks: TrunkLayout, media: tuple[CableProfile, ...], medium: Ints) -> PatchTable:
    """Return the front ports that every patched cable end row passes: one row for each connector. `medium` is that of
    each end row, patched or not.
    """
    counts = channels.connectors[channels.of_row]
    # 0, 1, 2, ... within each channel
    connector = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    row, channel = np.repeat(channels.rows, counts), np.repeat(channels.of_row, counts)
    port = trunks.start[channel] + connector
    most_lanes = np.array([m.lanes_per_connector for m in media], dtype=np.int32)[medium[row]]
    lanes = np.clip(channels.lanes[channel] - connector * most_lanes, 0, most_lanes)
    # a trunk has its a end at the place with the lower number, whatever the cable calls its ends
    flipped = channels.a_place[channel] > channels.b_place[channel]
    columns = (row, trunks.trunk_of[port], trunks.port[port], flipped, lanes)
    return PatchTable(*(column.astype(np.int32) for column in columns))


def _locate_panels(inputs: PatchingInput, panels: PanelTable, racks: RackTable) -> Positions:
    """Return the positions of devices, then of panels.

    The ports of panels face the hot aisle if the blueprint lists ports that face the cold one; else panels are mounted
    as suits what they join.
    """
    height = np.array([p.panel.rack_units for p in inputs.policies], dtype=np.int32)[panels.policy]
    unset = np.zeros(len(panels), dtype=bool)
    faces = ~unset if inputs.floor.trays.cold_ports is not None else unset, unset
    panel_positions = make_positions(racks, inputs.floor, (panels.rack, panels.u, height), faces)
    return join_positions(locate_devices(inputs.devices, racks, inputs.floor), panel_positions)


def _measure_jumpers(
    inputs: PatchingInput,
    ends: CableEnds,
    located: tuple[Positions, RackTable],
    trunks: TrunkTable,
    patches: PatchTable,
    cables: int,
) -> tuple[Floats, Floats]:
    """Return the longest run of each cable to its panels, at its a end and at its b end, m; 0 for direct cables.

    `located` are the positions of devices and then of panels (`_locate_panels`), and the racks.
    """
    flipped = patches.flipped == 1
    a_panel, b_panel = trunks.a_panel[patches.trunk], trunks.b_panel[patches.trunk]
    panels_at_ends = np.where(flipped, b_panel, a_panel), np.where(flipped, a_panel, b_panel)
    return _measure_to_panels(inputs, ends, located, patches.row, panels_at_ends, cables)


def _measure_to_panels(
    inputs: PatchingInput,
    ends: CableEnds,
    located: tuple[Positions, RackTable],
    rows: Ints,
    panels: tuple[Ints, Ints],
    cables: int,
) -> tuple[Floats, Floats]:
    """Return the longest run of each cable to a panel, at its a end and at its b end, m, float64; 0 for other cables.

    `rows` are cable end rows; `panels` are the panels, from 0, at the a and the b end of each of these rows. `located`
    is as in `_measure_jumpers`.
    """
    # positions are those of devices, and behind them those of panels
    a, b = (
        _find_longest(
            measure_runs_between(*located, inputs.floor, device, np.int32(len(inputs.devices)) + panel),
            ends.cable[rows],
            cables,
        )
        for device, panel in zip(inputs.find_devices(ends, rows), panels, strict=True)
    )
    return a, b


def _find_longest(length_m: Floats, cable: Ints, cables: int) -> Floats:
    """Return the greatest of the lengths of each cable, m, float64; 0 for cables without a length."""
    longest_m = np.zeros(cables)
    np.maximum.at(longest_m, cable, length_m)
    return longest_m


def _order_jumpers(
    inputs: PatchingInput, end: int, choices: tuple[Ints, Ints], widths: tuple[Ints, Ints], run_m: Floats
) -> Floats:
    """Return the length to order of the jumpers of each cable at its a end (`end` 0) or b end (1), m, float64; 0 for
    direct cables.

    `choices` are medium and policy of each cable, `widths` the number of far ends and the lanes of its jumper there.
    """
    (medium, policy), media = choices, inputs.media
    ordered_m = np.zeros(len(run_m))
    for i in unique_values(medium[policy >= 0]):
        rows = np.flatnonzero((medium == i) & (policy >= 0))
        ordered_m[rows] = choose_order_length(media[i], run_m[rows])
    if inputs.shelf:
        # product lists have jumpers of type B alone
        usual = [[p.has_type_b_jumpers(m, end) for m in media] for p in inputs.policies]
        rows = np.flatnonzero(policy >= 0)
        rows = rows[np.array(usual, dtype=bool)[policy[rows], medium[rows]]]
        sold_m = find_sold_jumper_lengths(inputs.shelf, media, (medium[rows], *(w[rows] for w in widths)), run_m[rows])
        ordered_m[rows] = np.where(np.isnan(sold_m), ordered_m[rows], sold_m)
    return ordered_m


# Fibre shuffles: which connector takes which port in, which far connector which port out, and where shuffles stand.
# In an n x n shuffle pair k of port i in is pair i of port k out (J. M. Castro, Optical Shuffle Architectures for
# Large AI Networks, IEEE 802.3 E4AI workshop, 2026): connectors of n NICs, whose lanes belong to n planes, go in, and
# one for each of n leaves comes out. So lane k of a connector takes port k out, and the connector takes the port in
# that is its lane at the far ends, the same at all of them.


@dataclass(frozen=True, slots=True)
class _Shuffle:
    """One shuffle: its policy, kind of fibre, place, and (cable end row, port in, port out) of its pairs."""

    policy: int
    fibre: int
    place: int
    pairs: tuple[tuple[int, int, int], ...]


def lay_shuffles(
    links: LinkTable,
    ends: CableEnds,
    policies: tuple[PatchPolicy, ...],
    cable_choices: tuple[Ints, Ints, tuple[CableProfile, ...]],
    places: tuple[Ints, Ints],
) -> tuple[PanelTable, ShuffleTable]:
    """Return the housings of shuffles, without a rack yet (-1), and the pairs that pass them; housings count from 0.

    `cable_choices` are (policy of each cable, -1 for none; medium of each cable; all media), `places` those of both
    ends of every cable end row. Raises InputError (FG075) if a shuffle cannot serve a cable.
    """
    policy, medium, media = cable_choices
    shuffles = []
    for number, patch_policy in enumerate(policies):
        rows = np.flatnonzero(policy[ends.cable] == number).astype(np.int32)
        if patch_policy.shuffles and len(rows):
            place_of_end = places[0 if patch_policy.spec.end == "a" else 1]
            shuffles += list(
                _group_into_shuffles(links, ends, (number, patch_policy), rows, (medium, media, place_of_end))
            )
    # (policy, fibre, place, number of the housing there) -> its row; the last number of a shuffle by the first three
    housings: dict[tuple[int, int, int, int], int] = {}
    last_number: dict[tuple[int, int, int], int] = {}
    pairs: list[tuple[int, int, int, int, int]] = []
    for shuffle in shuffles:
        location = shuffle.policy, shuffle.fibre, shuffle.place
        shuffle_number = last_number[location] = last_number.get(location, -1) + 1
        # a housing holds several shuffles, filled in order
        housing, index = divmod(shuffle_number, policies[shuffle.policy].panel.shuffles)
        panel = housings.setdefault((*location, housing), len(housings))
        pairs += [(row, panel, index, port_in, port_out) for row, port_in, port_out in shuffle.pairs]
    panels = np.array(list(housings), dtype=np.int32).reshape(-1, 4).T
    no_rack = np.full(len(housings), -1, dtype=np.int32)
    table = np.array(sorted(pairs), dtype=np.int32).reshape(-1, 5).T
    return PanelTable(panels[0], panels[1], panels[2], no_rack, no_rack, panels[3]), ShuffleTable(*table)


def _group_into_shuffles(
    links: LinkTable,
    ends: CableEnds,
    policy: tuple[int, PatchPolicy],
    rows: Ints,
    media_and_places: tuple[Ints, tuple[CableProfile, ...], Ints],
) -> Iterator[_Shuffle]:
    """Yield the shuffles of one policy, in the order of their first cables.

    Connectors whose pairs lead to the same far connectors share a shuffle. `policy` is (its number, the policy), `rows`
    are its cable end rows, and `media_and_places` are (medium of each cable, all media, place of each end row at the
    end where the shuffles of the policy stand). Raises InputError (FG075) for a medium or links that the shuffle does
    not fit.
    """
    number, patch_policy = policy
    medium, media, place_of_end = media_and_places
    port_count = patch_policy.panel.shuffle
    # (cable, connector at the common end) -> ((far connector, socket), end row, port in, port out) of each leg
    plugs: dict[tuple[int, int], list[tuple[tuple[int, int], int, int, int]]] = {}
    for cable, row, (far_connector, lane_in, lane_out) in zip(
        ends.cable[rows].tolist(), rows.tolist(), _list_shuffle_lanes(links, ends, patch_policy, rows), strict=True
    ):
        profile = media[medium[cable]]
        if profile.connector != patch_policy.panel.front or profile.lanes_per_connector != port_count:
            raise _explain_refusal(
                patch_policy,
                f"{profile.id} has {profile.lanes_per_connector} pairs in {profile.connector or 'no fibre'}",
            )
        (plug, port_out), (socket, port_in) = divmod(lane_out, port_count), divmod(lane_in, port_count)
        plugs.setdefault((cable, plug), []).append(((far_connector, socket), row, port_in, port_out))
    groups: dict[tuple[tuple[int, int], ...], list[tuple[int, int]]] = {}
    for plug_key, legs in plugs.items():
        if len({port_in for _, _, port_in, _ in legs}) > 1:
            raise _explain_refusal(patch_policy, "a connector has other lanes at each of its far ends")
        # connectors whose pairs lead to the same far connectors, in the same order, can share a shuffle
        groups.setdefault(
            tuple(far_connector for far_connector, *_ in sorted(legs, key=lambda leg: leg[3])), []
        ).append(plug_key)
    for far_ends, members in groups.items():
        pairs = [(row, port_in, port_out) for plug_key in members for _, row, port_in, port_out in plugs[plug_key]]
        if len({pair[1:] for pair in pairs}) < len(pairs) or len(set(far_ends)) < len(far_ends):
            raise _explain_refusal(
                patch_policy, f"{len(members)} connectors share far ends that are not {port_count} x {port_count} pairs"
            )
        kind = FIBRES.index(media[medium[members[0][0]]].fibre)
        yield _Shuffle(number, kind, min(int(place_of_end[row]) for row, *_ in pairs), tuple(pairs))


def _list_shuffle_lanes(
    links: LinkTable, ends: CableEnds, policy: PatchPolicy, rows: Ints
) -> Iterator[tuple[int, int, int]]:
    """Yield (far connector, a number unique in the cluster; lane in it; lane in the connector at the common end), lanes
    from 0, of some cable end rows.

    Raises InputError (FG075) if their links are not one pair of a split connector each.
    """
    link = ends.link[rows]
    segment_of_row = links.segment[link]
    far_connector, lane_in, lane_out = (np.zeros(len(rows), dtype=np.int64) for _ in range(3))
    for i in sorted(set(segment_of_row.tolist())):
        segment, rows_here = links.segments[i], np.flatnonzero(segment_of_row == i)
        if (
            not hangs_on_lower_end(segment)
            or segment.lanes * int(ends.links[rows[rows_here]].max()) > 1
            or segment.a.links_per_connector < 2
        ):
            raise _explain_refusal(
                policy, f"{segment.fabric} {segment.key} links are not one pair of a split connector each"
            )
        a, b = links.a_port[link[rows_here]], links.b_port[link[rows_here]]
        lane_in[rows_here], lane_out[rows_here] = _number_lanes(segment.b, b), _number_lanes(segment.a, a)
        far_connector[rows_here] = links.b_device[link[rows_here]].astype(
            np.int64
        ) * MOST_NUMBERS + number_device_connectors(segment.b, b)
    return zip(far_connector.tolist(), lane_in.tolist(), lane_out.tolist(), strict=True)


def _number_lanes(side: Side, ports: Ints) -> Ints:
    """Return the number of each port among those of its connector, from 0; int32."""
    if isinstance(side, Attachment):
        leg_connectors = [(leg.cage, leg.connector) for leg in side.legs]
        rank_of_leg = [leg_connectors[:i].count(connector) for i, connector in enumerate(leg_connectors)]
        return np.array(rank_of_leg, dtype=np.int32)[ports]
    return ports % side.links_per_connector


def _explain_refusal(policy: PatchPolicy, why: str) -> InputError:
    # the error for a panel whose fibre shuffles cannot serve the cables of a policy
    return fault(
        "FG075",
        f"{policy.panel.id} cannot serve the cables of `{policy.name}`: {why}",
        path=(*policy.path, "panel"),
        hint="take a shuffle of other ports, or leave such links out with `fabrics` and `between`",
    )
