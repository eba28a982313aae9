"""Matches the lines of redlined sheets with cables and their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.as_built.overrides.cage_resolver import CagePosition, CageResolver
from fabricgen.as_built.overrides.ends import CableEnd, CableIndex
from fabricgen.as_built.sheets.faults import Faults
from fabricgen.as_built.sheets.lines import Line
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Path, did_you_mean


@dataclass(frozen=True, slots=True)
class EndPair:
    """The cable of a line and its two ends."""

    cable: int
    a: CableEnd
    b: CableEnd


class Matcher:
    """Finds cables and ends by the printed columns, which may be as planned or as built when the sheet was exported."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, planned = cluster, cluster.planned
        self.cables = CableIndex(planned.plan, cluster.names, planned.port_names)
        self._places = CageResolver(cluster.design.catalog, self.cables)

    def pair(self, line: Line, faults: Faults) -> EndPair | None:
        """The ends of a line; None, with a fault, where the plan has no such cable or it ends elsewhere."""
        name = line["cable"]
        cable = self.cables.index.get(name)
        if cable is None:
            near = [known for known in self.cables.ids if known.startswith(name.partition(":")[0] + ":")]
            hint = did_you_mean(name, near) if near else "this line is of another cluster, or of an older plan"
            faults.add(f"{self._cluster.design.loaded.blueprint.name} has no cable '{name}'", line.span("cable"), hint)
            return None
        a, b = (self._end(cable, line, faults, upper=upper) for upper in (False, True))
        return EndPair(cable, a, b) if a and b else None

    def spot(self, text: str, end: CableEnd, path: Path = ()) -> CagePosition:
        """The position that a redline names on the device of an end; raises InputError for none."""
        return self._places.spot(text, end, path)

    def planned(self, end: CableEnd) -> CagePosition:
        """The planned position of an end."""
        return self._places.planned(end)

    def label(self, spot: CagePosition, end: CableEnd) -> str:
        """A position in the form of overrides."""
        return self._places.label(spot, end)

    def _planned_place(self, end: CableEnd) -> tuple[str, str]:
        """(device, cage) of an end as planned."""
        return end.name, end.cage

    def _built_place(self, end: CableEnd) -> tuple[str, str]:
        """(device, cage) of an end by the overrides so far."""
        links, row = self._cluster.plan.links, end.rows[0]
        device = int((links.b_device if end.upper else links.a_device)[row])
        return self.cables.names[device], str(self._cluster.cages[end.upper][row])

    def key(self, end: CableEnd, cable: int) -> str:
        """The key of an end in overrides; "" where it is the only one of its cable and side."""
        ends = self.cables.ends(cable, upper=end.upper)
        if len(ends) == 1:
            return ""
        return end.place if sum(o.place == end.place for o in ends) == 1 else f"{end.place}.{end.connector + 1}"

    def _end(self, cable: int, line: Line, faults: Faults, *, upper: bool) -> CableEnd | None:
        word = "b" if upper else "a"
        device, cage, redline = (line[f"{word}_device"], line[f"{word}_cage"], line[f"built_{word}_cage"])
        ends = self.cables.ends(cable, upper=upper)
        there = [end for end in ends if device in (end.name, self._built_place(end)[0])]
        if not there:
            listed = ", ".join(dict.fromkeys(end.name for end in ends))
            faults.add(
                f"the {word} end of {line['cable']} is at {listed}, not at {device or 'no device'}",
                line.span(f"{word}_device"),
                "this line is of an older plan: export the sheet anew",
            )
            return None
        found = self._printed(there, (device, cage), redline)
        if found is None:
            places = [place for end in there for place in (self._planned_place(end), self._built_place(end))]
            known = ", ".join(dict.fromkeys(there for on, there in places if on == device))
            faults.add(
                f"the {word} end of {line['cable']} is in cage {known} of {device}, not in {cage or 'none'}",
                line.span(f"{word}_cage"),
                f"this line is of an older plan: export the sheet anew; a cage that was used goes to built_{word}_cage",
            )
        return found

    def _printed(self, ends: Sequence[CableEnd], place: tuple[str, str], redline: str) -> CableEnd | None:
        """The end that the printed place, device and cage, of a line means.

        A sheet may be older or newer than an earlier import. If two ends of a splitter were swapped, the cage is the
        planned one of one end and the built one of the other; then the end is taken whose redline is already stated, so
        that importing a sheet twice changes nothing.
        """
        fitting = [end for end in ends if place in (self._built_place(end), self._planned_place(end))]
        if len(fitting) > 1:
            device, _, cage = redline.rpartition(":")
            told = device or place[0], cage
            fitting = [end for end in fitting if redline and self._built_place(end) == told] or [
                end for end in fitting if self._built_place(end) == place
            ]
        return fitting[0] if fitting else None
