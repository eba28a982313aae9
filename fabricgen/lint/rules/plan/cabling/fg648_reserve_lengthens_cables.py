"""FG648: rows that are empty for a reserve make cables need longer optics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import find_segments_of_cables

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.arrays import Floats, Ints64


class ReserveLengthensCables(PlanRule):
    """Rows that are empty for a reserve lie between racks that are joined, and push cables over the reach of an optic.

    Reserved units have places from the start, so that growth moves nothing. Where a pod is reserved far beyond what is
    built, the rows between its neighbours and the network racks are empty, and the cables past them are bought for
    the distance: single-mode where multimode would do. If the reserve is filled soon, that is right.

    Let network racks stand between the rows of nodes (`floor.network_rows: {at: middle}`), let pods stand in halls or
    places of their own (`hall`, `floor.racks`), or reserve less.
    """

    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    bad = """
        pods: {p1: {su: 2,
          reserve: 16}, p2: {su: 2}}  # <-
        floor: {racks_per_row: 2, row_pitch_m: 8}
    """
    good = """
        pods: {p1: {su: 2}, p2: {su: 2}}
        floor: {racks_per_row: 2, row_pitch_m: 8}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Take the empty rows out of the run of each cable, and look for the medium that the cable would then have."""
        import numpy as np

        path = _find_largest_reserve(cluster)
        if not path:
            return
        saved_m = _measure_empty_rows(cluster)
        if not saved_m.any():
            return
        replacements = _find_shorter_media(cluster, saved_m)
        rows = np.flatnonzero(replacements >= 0)
        if not len(rows):
            return
        empty = sum(len(empty_rows) for _, _, empty_rows in _list_hall_rows(cluster))
        longest_m = float(cluster.plan.cables.run_m[rows].max())
        names = [medium.medium for medium in cluster.plan.cables.media]
        optics = Counter[tuple[str, str]]()
        for medium, replacement, count in _count_transceivers(cluster, rows, replacements):
            optics[names[medium], names[replacement]] += count
        kinds = ", ".join(
            f"{count} {kind} transceivers instead of {replacement}" for (kind, replacement), count in optics.items()
        )
        yield self.flag(
            path,
            f"the reserve leaves {empty} empty rows between racks that are joined: {len(rows)} cables run up to "
            f"{longest_m:.0f} m, {float(saved_m[rows].max()):.0f} m of it past empty rows, and take {kinds}",
            "let network racks stand between the rows of nodes (`floor.network_rows: {at: middle}`), give pods places "
            "of their own (`hall`, `floor.racks`), or reserve less",
        )


def _find_largest_reserve(cluster: Cluster) -> Path:
    """Return the path of the pod with the most reserved units that are not there yet; () if no units are reserved."""
    layout, pods = cluster.design.layout, cluster.design.loaded.blueprint.pods
    waiting = {pod.name: pod.slots - pod.su for pod in layout.pods}
    name = max(waiting, key=lambda pod: waiting[pod])
    if not waiting[name]:
        return ()
    # pods stated with a `count` are named by their key and a number
    stated_pod = name if name in pods else next((key for key in pods if name.startswith(key)), None)
    if stated_pod is None:
        return ("pods",)
    return ("pods", stated_pod, "reserve") if pods[stated_pod].reserve else ("pods", stated_pod)


def _list_hall_rows(cluster: Cluster) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield (hall, its rows that have racks, the empty rows before the last of these); halls and rows count from 0."""
    from fabricgen.wiring.arrays import unique_values

    racks = cluster.plan.racks
    for hall in range(len(racks.halls)):
        used = unique_values(racks.row[(racks.hall == hall) & (racks.row >= 0)])
        yield hall, used, [row for row in range(max(used, default=0)) if row not in set(used)]


def _measure_empty_rows(cluster: Cluster) -> Floats:
    """Return for each cable the metres of its run along empty rows of a hall; 0 for a cable between halls."""
    import numpy as np

    racks, links, cables = cluster.plan.racks, cluster.plan.links, cluster.plan.cables
    saved_m = np.zeros(len(cables))
    a, b = (cluster.plan.devices.rack[device[cables.end_link]] for device in (links.a_device, links.b_device))
    for hall, used, empty in _list_hall_rows(cluster):
        is_inside = (racks.hall[a] == hall) & (racks.hall[b] == hall)
        if not empty or not is_inside.any():
            continue
        hall_plan = racks.halls[hall]
        rows = np.arange(max(used) + 1)
        widths = np.where(
            np.isin(rows, empty), np.diff(np.append(hall_plan.find_y(rows), hall_plan.find_y(rows[-1] + 1))), 0.0
        )
        # metres of empty rows before each row: two rows have the difference between them
        empty_m_before = np.append(0.0, np.cumsum(widths))
        # rows before the first row of the hall have negative numbers
        low, high = (empty_m_before[np.clip(rows_of, 0, None)] for rows_of in (racks.row[a], racks.row[b]))
        np.maximum.at(saved_m, cables.end_cable[is_inside], np.abs(high - low)[is_inside])
    return saved_m


def _find_shorter_media(cluster: Cluster, saved_m: Floats) -> Ints64:
    """Return for each cable the index of the transceiver medium of less reach that it would have if its run were
    shorter by `saved_m`; -1 if it would keep its medium.
    """
    import numpy as np

    from fabricgen.wiring.cabling.media import MediaFit

    cables, segment = cluster.plan.cables, find_segments_of_cables(cluster)
    fit = MediaFit.evaluate_media(cluster.plan.links.segments, cables.media)
    is_attached = np.array([medium.attached for medium in cables.media], dtype=bool)
    shorter, best_rank = np.full(len(cables), -1, dtype=np.int64), fit.rank[segment, cables.medium].copy()
    is_candidate = ~is_attached[cables.medium] & (saved_m > 0)
    for i in np.flatnonzero(~is_attached).tolist():
        serves_m, rank = fit.serves_m[segment, i], fit.rank[segment, i]
        is_better = is_candidate & (serves_m >= cables.run_m - saved_m) & (serves_m < cables.run_m) & (rank < best_rank)
        # a breakout stays a breakout
        is_better &= fit.can_split[segment, i] | ~fit.can_split[segment, cables.medium]
        shorter[is_better], best_rank[is_better] = i, rank[is_better]
    return shorter


def _count_transceivers(cluster: Cluster, rows: Ints64, replacements: Ints64) -> Iterator[tuple[int, int, int]]:
    """Yield (medium, its replacement, transceivers) for the cables `rows`: as many transceivers as cages that these
    cables end in. `replacements` has the index of the replacing medium for each cable of the plan, else -1.
    """
    import numpy as np

    from fabricgen.wiring.cabling.plugs import number_cages

    cables, cages = cluster.plan.cables, number_cages(cluster.plan)
    changes = zip(cables.medium[rows].tolist(), replacements[rows].tolist(), strict=True)
    for medium, replacement in sorted(set(changes)):
        ends = (replacements[cables.end_cable] == replacement) & (cables.medium[cables.end_cable] == medium)
        yield medium, replacement, len(np.unique(np.concatenate([cages.a[ends], cages.b[ends]])))
