"""Paths that were learnt in the hall: what traceroute says of pairs of endpoints, a source port at a time."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.addons.probing.graph import NONE
from fabricgen.addons.probing.paths import Paths
from fabricgen.addons.probing.tables import parse_numbers, read_rows, refuse

if TYPE_CHECKING:
    from fabricgen.addons.probing.graph import Graph
    from fabricgen.api import ClusterView

COLUMNS = ("from", "to", "source_port", "hops")
GAP = "*"
"""What traceroute prints for a switch that does not answer; such a path is left out."""


class Learner:
    """Reads paths of a fabric, whose switches are named by addresses of their ports, of themselves, or by name."""

    def __init__(self, view: ClusterView, graph: Graph, file: Path) -> None:
        self._graph, self._file = graph, file
        links, devices = view.links, view.devices
        rows = np.flatnonzero(graph.edge_of_link >= 0)
        self._names = devices.name
        self._devices = {name: row for row, name in enumerate(devices.name.tolist())}
        self._devices |= {text: row for row, text in enumerate(devices.loopback.tolist()) if text}
        self._ends = {links.name[row]: row for row in rows.tolist()}
        self._a, self._b = links.a.tolist(), links.b.tolist()
        self._joining: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._ports: dict[str, tuple[int, int]] = {}
        for row in rows.tolist():
            self._joining[self._a[row], self._b[row]].append(row)
            self._joining[self._b[row], self._a[row]].append(row)
            for device, address in ((self._a[row], links.a_ip[row]), (self._b[row], links.b_ip[row])):
                if address:
                    self._ports[address.partition("/")[0]] = device, row

    def read_paths(self) -> tuple[Paths, int]:
        """(the paths, how many were left out for a switch that did not answer).

        Raises InputError (FG181) for a row that names what there is not, or no path of the fabric.
        """
        up, down, ports, gaps = [], [], [], 0
        for line, source, target, port, hops in read_rows(self._file, COLUMNS):
            if GAP in hops.split():
                gaps += 1
                continue
            (number,) = parse_numbers([port], "source_port", self._file, [line], most=65535)
            climbed, descended = self._follow_hops(source, target, hops.split(), line)
            up.append(climbed)
            down.append(descended)
            ports.append(int(number) if number == number else 0)
        shape = (len(up), self._graph.levels)
        up_array, down_array = (np.array(side, dtype=np.int64).reshape(shape) for side in (up, down))
        return Paths(up_array, down_array, np.array(ports, dtype=np.int64)), gaps

    def _follow_hops(self, source: str, target: str, hops: list[str], line: int) -> tuple[list[int], list[int]]:
        # the edges by level, upward and downward
        for text in (source, target):
            if text not in self._ends:
                refuse(f"'{text}' is no port of an endpoint of the fabric (device:port)", self._file, line)
        first, last = self._ends[source], self._ends[target]
        rows, at = [first], self._b[first]
        for number, hop in enumerate(hops):
            device, row = self._ports.get(hop, (self._devices.get(hop, NONE), NONE))
            if device == NONE:
                refuse(f"'{hop}' is no address or name of a switch", self._file, line)
            if not number:  # the first switch answers for the sender's own link
                if device != at:
                    refuse(
                        f"{source} is cabled to {self._names[at]}, and not to {self._names[device]}", self._file, line
                    )
                continue
            joining = self._joining.get((at, device), [])
            if row not in joining and len(joining) != 1:
                what = f"{len(joining)} links join" if joining else "no link joins"
                hint = "name the address of the port that it came in by" if joining else ""
                message = f"{what} {self._names[at]} and {self._names[device]}"
                refuse(message, self._file, line, hint=hint)
            rows.append(row if row in joining else joining[0])
            at = device
        if at != self._b[last]:
            refuse(f"the path ends at {self._names[at]}, and {target} is elsewhere", self._file, line)
        return self._split_at_turn(rows, last, line)

    def _split_at_turn(self, rows: list[int], last: int, line: int) -> tuple[list[int], list[int]]:
        # what leads up, then what leads down
        graph = self._graph
        sides, at = ([NONE] * graph.levels, [NONE] * graph.levels), self._a[rows[0]]
        side = 0
        for row in rows:
            edge, falls = int(graph.edge_of_link[row]), int(self._b[row] == at)
            # both edges of a turning point that is no device, the near one first
            both = np.flatnonzero(graph.upper == graph.upper[edge])[:: -1 if falls else 1].tolist()
            is_turning = graph.upper[edge] >= len(self._names)
            if (not is_turning and falls) < side:
                refuse("the path leads down and up again", self._file, line)
            side, at = int(is_turning or falls), self._a[row] if falls else self._b[row]
            if is_turning:
                sides[0][graph.level[both[0]]], edge = both
            sides[side][graph.level[edge]] = edge
        sides[1][0] = int(graph.edge_of_link[last])
        return sides
