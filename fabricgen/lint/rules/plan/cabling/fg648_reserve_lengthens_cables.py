"""FG648: rows that are empty for a reserve make cables so long that they need other optics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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

    id = "FG648"
    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    title = "rows that are empty for a reserve make cables need longer optics"
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
        """Take the empty rows out of each run, and look for the medium that it would have."""
        import numpy as np

        path = _find_largest_reserve(cluster)
        if not path:
            return
        saved = _measure_empty_rows(cluster)
        cables = cluster.plan.cables
        if not saved.any():
            return
        shorter = _find_shorter_media(cluster, saved)
        rows = np.flatnonzero(shorter >= 0)
        if not len(rows):
            return
        empty, longest = _count_empty_rows(cluster), float(cables.run_m[rows].max())
        names = [medium.medium for medium in cables.media]
        optics = Counter[tuple[str, str]]()
        for medium, replacement, count in _count_transceivers(cluster, rows, shorter[rows]):
            optics[names[medium], names[replacement]] += count
        kinds = ", ".join(
            f"{count} {kind} transceivers instead of {replacement}" for (kind, replacement), count in optics.items()
        )
        yield self.flag(
            path,
            f"the reserve leaves {empty} empty rows between racks that are joined: {len(rows)} cables run up to "
            f"{longest:.0f} m, {float(saved[rows].max()):.0f} m of it past empty rows, and take {kinds}",
            "let network racks stand between the rows of nodes (`floor.network_rows: {at: middle}`), give pods places "
            "of their own (`hall`, `floor.racks`), or reserve less",
        )


def _find_largest_reserve(cluster: Cluster) -> Path:
    """The line of the pod with most units reserved that are not there; empty where none is."""
    layout, pods = cluster.design.layout, cluster.design.loaded.blueprint.pods
    waiting = {pod.name: pod.slots - pod.su for pod in layout.pods}
    name = max(waiting, key=lambda pod: waiting[pod])
    if not waiting[name]:
        return ()
    # pods stated with a `count` are named by their key and a number
    stated_pod = next((key for key in pods if key == name), None) or next((k for k in pods if name.startswith(k)), None)
    return (
        ("pods", stated_pod, "reserve")
        if stated_pod and pods[stated_pod].reserve
        else ("pods", stated_pod)
        if stated_pod
        else ("pods",)
    )


def _list_hall_rows(cluster: Cluster) -> Iterator[tuple[int, list[int], list[int]]]:
    """(hall, rows from 0 that have racks, those between them that are empty)."""
    from fabricgen.wiring.arrays import unique_values

    racks = cluster.plan.racks
    for hall in range(len(racks.halls)):
        used = unique_values(racks.row[(racks.hall == hall) & (racks.row >= 0)])
        yield hall, used, [row for row in range(max(used, default=0)) if row not in set(used)]


def _count_empty_rows(cluster: Cluster) -> int:
    return sum(len(empty) for _, _, empty in _list_hall_rows(cluster))


def _measure_empty_rows(cluster: Cluster) -> Floats:
    """By cable, the metres of its run that lie past empty rows of a hall; 0 between halls."""
    import numpy as np

    racks, links, cables = cluster.plan.racks, cluster.plan.links, cluster.plan.cables
    saved = np.zeros(len(cables))
    a, b = (cluster.plan.devices.rack[device[cables.end_link]] for device in (links.a_device, links.b_device))
    for hall, used, empty in _list_hall_rows(cluster):
        inside = (racks.hall[a] == hall) & (racks.hall[b] == hall)
        if not empty or not inside.any():
            continue
        hall_plan = racks.halls[hall]
        rows = np.arange(max(used) + 1)
        widths = np.where(
            np.isin(rows, empty), np.diff(np.append(hall_plan.find_y(rows), hall_plan.find_y(rows[-1] + 1))), 0.0
        )
        # how deep the empty rows before each row are together: between two rows lies the difference
        before = np.append(0.0, np.cumsum(widths))
        # rows before the first are numbered below 0
        low, high = (before[np.clip(rows_of, 0, None)] for rows_of in (racks.row[a], racks.row[b]))
        np.maximum.at(saved, cables.end_cable[inside], np.abs(high - low)[inside])
    return saved


def _find_shorter_media(cluster: Cluster, saved: Floats) -> npt.NDArray[np.int64]:
    """By cable, the medium that its run would have without the empty rows where that is a transceiver of less reach,
    an index; else -1.
    """
    import numpy as np

    from fabricgen.wiring.cabling.media import MediaFit

    links, cables = cluster.plan.links, cluster.plan.cables
    media = cables.media
    segment = np.zeros(len(cables), dtype=np.int64)
    segment[cables.end_cable] = links.segment[cables.end_link]
    fit = MediaFit.evaluate_media(links.segments, media)
    attached = np.array([medium.attached for medium in media], dtype=bool)
    shorter, best = np.full(len(cables), -1, dtype=np.int64), fit.rank[segment, cables.medium].copy()
    optics = ~attached[cables.medium] & (saved > 0)
    for i in np.flatnonzero(~attached).tolist():
        serves_m = fit.serves_m[segment, i]
        better = optics & (serves_m >= cables.run_m - saved) & (serves_m < cables.run_m) & (fit.rank[segment, i] < best)
        # a breakout stays one
        better &= fit.splits[segment, i] | ~fit.splits[segment, cables.medium]
        shorter[better], best[better] = i, fit.rank[segment, i][better]
    return shorter


def _count_transceivers(
    cluster: Cluster, rows: Ints64, shorter: npt.NDArray[np.int64]
) -> Iterator[tuple[int, int, int]]:
    """(medium, medium instead, transceivers) of some cables: the cages that they end in; `shorter` has the medium
    instead of each cable.
    """
    import numpy as np

    from fabricgen.wiring.cabling.cables import number_cages

    cables, cages = cluster.plan.cables, number_cages(cluster.plan)
    shorter_of_cable = np.full(len(cables), -1, dtype=np.int64)
    shorter_of_cable[rows] = shorter
    for medium, instead in sorted(set(zip(cables.medium[rows].tolist(), shorter.tolist(), strict=True))):
        ends = (shorter_of_cable[cables.end_cable] == instead) & (cables.medium[cables.end_cable] == medium)
        yield medium, instead, len(np.unique(np.concatenate([cages.a[ends], cages.b[ends]])))
