"""Matches the lines of redlined sheets with cables and their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fabricgen.as_built.sheet import END, Line
from fabricgen.cable_overrides.cage_resolver import CagePosition, CageResolver
from fabricgen.cable_overrides.ends import CableEnd, CableIndex
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Path, did_you_mean

OLDER = "this line is of an older plan: export the sheet anew"


@dataclass(frozen=True, slots=True)
class EndPair:
    """The cable of a line (its row), and the (a, b) ends of each of its jumpers that the line lists, in the order of
    their connectors.

    A line of a cable between twin-port cages, `33/1+2`, lists two jumpers; all other lines list one pair of ends.
    """

    cable: int
    jumpers: tuple[tuple[CableEnd, CableEnd], ...]


class NotPlanned(Exception):  # noqa: N818 - no error: a sheet may be older than the plan
    """A line whose cable is not planned as printed: the column that says so, what is wrong, and what became of it."""

    def __init__(self, column: str, message: str, hint: str, became: str = "") -> None:
        super().__init__(message)
        self.column, self.hint, self.became = column, hint, became or message


class Matcher:
    """Finds cables and ends by the printed columns, which may be as planned or as built when the sheet was exported."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, planned = cluster, cluster.planned
        self.cables = CableIndex(planned.plan, cluster.names, planned.port_names)
        self._places = CageResolver(cluster.design.catalog, self.cables)

    def find_end_pair(self, line: Line) -> EndPair:
        """Return the planned cable that a line of the list names, and the pairs of its ends in the two cages of that
        line.

        Raises NotPlanned if the plan has no such cable, or none of its links joins these two cages.
        """
        name = line["cable"]
        cable = self.cables.index.get(name)
        if cable is None:
            raise self._refuse_unknown(name, line)
        # the likeliest ends come first, so that the first pair that a link joins is taken
        for a in (starts := self._find_ends(cable, line, upper=False)):
            for b in (stops := self._find_ends(cable, line, upper=True)):
                if not set(a.rows).isdisjoint(b.rows):
                    return EndPair(cable, self._pair_ends(cable, a, b))
        planned_ends = ", ".join(
            f"{end.place} to {far_end.place}" for end in starts for far_end in self._list_far_ends(cable, end)
        )
        raise NotPlanned("b_cage", f"{name} goes from {planned_ends}, not to {stops[0].place}", OLDER)

    def _pair_ends(self, cable: int, a: CableEnd, b: CableEnd) -> tuple[tuple[CableEnd, CableEnd], ...]:
        """Return the pairs of ends that a cable has between the cages of two of its ends."""
        starts = [end for end in self.cables.list_ends(cable, upper=False) if end.place == a.place]
        stops = [end for end in self.cables.list_ends(cable, upper=True) if end.place == b.place]
        if len(starts) != len(stops):  # plugs of a splitter's legs in one cage: each has a line of its own
            return ((a, b),)
        return tuple((start, stop) for start in starts for stop in stops if not set(start.rows).isdisjoint(stop.rows))

    def _list_far_ends(self, cable: int, end: CableEnd) -> list[CableEnd]:
        """Return the ends at the other side that a link joins with an end."""
        far_ends = self.cables.list_ends(cable, upper=not end.upper)
        return [far_end for far_end in far_ends if not set(far_end.rows).isdisjoint(end.rows)]

    def _refuse_unknown(self, name: str, line: Line) -> NotPlanned:
        # the error of a line whose cable the plan does not have, with what is in its place now
        near_ids = [cable_id for cable_id in self.cables.ids if cable_id.startswith(name.partition(":")[0] + ":")]
        hint = did_you_mean(name, near_ids) if near_ids else "this line is of another cluster, or of an older plan"
        message = f"{self._cluster.design.loaded.blueprint.name} has no cable '{name}'"
        return NotPlanned("cable", message, hint, self._describe_successor(line))

    def _describe_successor(self, line: Line) -> str:
        """Return what the plan has at the ends of a line whose cable it lacks: `leaf-01:3 has leaf-01:3.1 now`."""
        for word in ("a", "b"):
            cage_place = f"{line[f'{word}_device']}:{line[f'{word}_cage']}"
            cable_id = self._at.get(cage_place)
            if cable_id:
                return f"{cage_place} has {cable_id} now"
        device = line["cable"].partition(":")[0]
        if device not in self._devices:
            return f"there is no {device or 'such cable'}"
        return f"{line['a_device']}:{line['a_cage']} and {line['b_device']}:{line['b_cage']} have no cable now"

    @cached_property
    def _devices(self) -> frozenset[str]:
        return frozenset(self.cables.names)

    @cached_property
    def _at(self) -> dict[str, str]:
        """The first cable in each DEVICE:CAGE of the plan as built."""
        links, names = self._cluster.plan.links, self.cables.names
        cables_by_place: dict[str, str] = {}
        for device, cages in zip((links.a_device, links.b_device), self._cluster.cages, strict=True):
            for row, cable in enumerate(links.cable.tolist()):
                if cable >= 0:
                    cables_by_place.setdefault(f"{names[int(device[row])]}:{cages[row]}", self.cables.ids[cable])
        return cables_by_place

    def find_position(self, text: str, end: CableEnd, path: Path = ()) -> CagePosition:
        """Return the position that a redline names on the device of an end; raises InputError as
        `CageResolver.find_position` does.
        """
        return self._places.find_position(text, end, path)

    def find_planned_position(self, end: CableEnd) -> CagePosition:
        """Return the planned position of an end."""
        return self._places.find_planned_position(end)

    def format_position(self, position: CagePosition, end: CableEnd) -> str:
        """Return a position in the form of overrides, such as `14.2` or `leaf-02:14`."""
        return self._places.format_position(position, end)

    def _planned_place(self, end: CableEnd) -> tuple[str, str]:
        """Return (device, cage) that an end is planned at."""
        return end.name, end.cage

    def _built_place(self, end: CableEnd) -> tuple[str, str]:
        """Return (device, cage) of an end by the overrides so far."""
        links, row = self._cluster.plan.links, end.rows[0]
        device = int((links.b_device if end.upper else links.a_device)[row])
        return self.cables.names[device], str(self._cluster.cages[end.upper][row])

    def list_jumper_ends(self, line: Line, cable: int) -> str:
        """Return which ends a line is about, `a`, `b` or `ab`, if its cable goes through panels: each end has a jumper
        then.

        Return "" for a cable that goes through no panel.
        """
        patching = self._cluster.plan.patching
        if patching is None or patching.policy[cable] < 0:
            return ""
        return line[END] if line[END] in ("a", "b") else "ab"

    def find_override_key(self, end: CableEnd, cable: int) -> str:
        """Return the key of an end in overrides, `leaf-01:14` or `leaf-01:14.2`; "" if it is the only one of its cable
        and side.
        """
        ends = self.cables.list_ends(cable, upper=end.upper)
        if len(ends) == 1:
            return ""
        # a cage names an end unless the cable has several there: then the connector tells them apart
        return end.place if sum(o.place == end.place for o in ends) == 1 else f"{end.place}.{end.connector + 1}"

    def _find_ends(self, cable: int, line: Line, *, upper: bool) -> list[CableEnd]:
        """Return the ends that the printed columns of a line may mean, the likeliest first; raises NotPlanned if there
        is none.
        """
        word = "b" if upper else "a"
        device, cage, redline = (line[f"{word}_device"], line[f"{word}_cage"], line[f"built_{word}_cage"])
        ends = self.cables.list_ends(cable, upper=upper)
        there = [end for end in ends if device in (end.name, self._built_place(end)[0])]
        if not there:
            listed = ", ".join(dict.fromkeys(end.name for end in ends))
            message = f"the {word} end of {line['cable']} is at {listed}, not at {device or 'no device'}"
            raise NotPlanned(f"{word}_device", message, OLDER)
        matching_ends = self._match_printed(there, (device, cage), redline)
        if not matching_ends:
            places = [place for end in there for place in (self._planned_place(end), self._built_place(end))]
            known_cages = ", ".join(dict.fromkeys(end_cage for on, end_cage in places if on == device))
            message = f"the {word} end of {line['cable']} is in cage {known_cages} of {device}, not in {cage or 'none'}"
            raise NotPlanned(f"{word}_cage", message, f"{OLDER}; a cage that was used goes to built_{word}_cage")
        return matching_ends

    def _match_printed(self, ends: Sequence[CableEnd], printed: tuple[str, str], redline: str) -> list[CableEnd]:
        """Return the ends that the `printed` device and cage of a line may mean, the likeliest first.

        A sheet may be older or newer than an earlier import. If two ends of a splitter were swapped, the cage is the
        planned one of one end and the built one of the other; then the end comes first whose redline is already stated,
        so that importing a sheet twice changes nothing.
        """
        device, _, cage = redline.rpartition(":")
        redlined = device or printed[0], cage
        fitting = [end for end in ends if printed in (self._built_place(end), self._planned_place(end))]
        return sorted(
            fitting,
            # false sorts before True: the end that is already where the redline says, then the one that is where it is
            # printed
            key=lambda end: (not redline or self._built_place(end) != redlined, self._built_place(end) != printed),
        )
