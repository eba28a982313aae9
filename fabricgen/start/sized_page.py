"""The pages of `size -o`: a candidate's network of GPUs, and the other sections as `init --ask` writes them.

Out-of-band is the first usual form that lints clean beside the network of the candidate, whose lines stay as they were
sized. Storage and in-band are there as comments, in the form that is usual for so many nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import takewhile

from fabricgen.kernel.diagnostics import InputError
from fabricgen.publish.workers import run_in_order
from fabricgen.size.candidates import list_waivers
from fabricgen.size.front import Candidate
from fabricgen.size.hardware import ROLE, Hardware, count_nodes
from fabricgen.size.page import write_floor
from fabricgen.size.search import SearchResult
from fabricgen.start.answers import Answers, NodeKind
from fabricgen.start.page import ROLES, Page
from fabricgen.start.parts import MOST_ON_A_PAIR, WAIVERS, NetworkLines, NodeKindAnswer

COMMENTED = ("storage", "inband")
"""Networks that a page has in comments only."""


class SizedPage(Page):
    """Makes the page of a candidate of `size` with a number of nodes."""

    def __init__(self, candidate: Candidate, hardware: Hardware, nodes: int) -> None:
        self._candidate, self._hardware = candidate, hardware
        shape, node = candidate.shape, NodeKind(count=nodes, profile=hardware.node.id)
        self.switch, self.catalog = shape.switch, hardware.catalog
        self.kinds = [NodeKindAnswer("", node, hardware, hardware.in_rack)]
        protocol = "infiniband" if self.catalog.switch(self.switch).protocol == "infiniband" else "roce"
        name = next(line.removeprefix("name: ") for line in candidate.text.splitlines() if line.startswith("name: "))
        stated = {"name": name, "nodes": (node,), "protocol": protocol, "storage": "none", "inband": "none"}
        self.answers = Answers.model_validate(stated)
        self.waivers = WAIVERS | list_waivers(shape, hardware)

    def find_page(self) -> str:
        """Return the page; if no usual form of out-of-band lints clean beside the network, return it without
        out-of-band, with a comment that says why.
        """
        compute = self._gpu_network
        for forms in self._list_other_forms(compute):
            try:
                return self._complete_page([compute, self._choose_form([compute], forms)])
            except InputError as error:
                remark = f"  # no oob: {error.diagnostics[0].message}"
                return self._complete_page([NetworkLines((*compute.lines, remark), compute.units, compute.pod_units)])
        return self._complete_page([compute])

    @cached_property
    def _gpu_network(self) -> NetworkLines:
        """The network of the GPUs: its lines as they were sized, and its NOS if the page has another."""
        shape, lines = self._candidate.shape, self._candidate.text.splitlines()
        start = lines.index(f"  {ROLE}:") + 1
        own_lines = [lines[start - 1], *takewhile(lambda line: line.startswith("    "), lines[start:])]
        own_lines += [f"    {line}" for line in lines if line.startswith("nos: ") and line != f"nos: {self.nos}"]
        return NetworkLines(tuple(own_lines), (shape.unit,), shape.pod)

    def _describe_origin(self) -> str:
        """Return the line that says what the page was made for."""
        nodes = self.kinds[0].nodes.count
        gpus = nodes * self._hardware.gpus_per_node
        return f"{gpus:,} GPUs in {nodes:,} nodes, as `fabricgen size` laid them out"

    def _list_remarks(self) -> list[str]:
        """Return the lines of storage and in-band, commented out, if the nodes have ports for them."""
        lines = []
        for name in COMMENTED:
            if ROLES.get(name, name) in self._roles:
                pair, leaves, *_ = self._list_ethernet_forms(name, self._gpu_network, ())
                usual = pair if self.kinds[0].nodes.count <= MOST_ON_A_PAIR else leaves
                lines += [f"  # {line.removeprefix('  ')}" for line in usual.lines]
        head = "  # `fabricgen init --ask` lays these out as well; here in a usual form, to be taken in:"
        return [head, *lines] if lines else []

    def _write_floor(self) -> list[str]:
        """Return two lines of the page: `floor:` with the halls, and `cabling:`."""
        shape, nodes = self._candidate.shape, self.kinds[0].nodes.count
        hall, cabling = write_floor(shape, self._hardware, nodes, ", slack: 10%")
        return [f"{hall}    # halls and trays: docs/floor.md", cabling]


def write_pages(result: SearchResult, jobs: int, *, every: bool) -> Mapping[str, str]:
    """Return the page of each candidate that is shown, by its name; with `every`, also of candidates that others
    beat.
    """
    shown = result.list_shown(every=every)
    pages = run_in_order(partial(_write_page, result.hardware, shown), len(shown), jobs)
    return {candidate.name: page for candidate, page in zip(shown, pages, strict=True)}


def _write_page(hardware: Hardware, shown: Sequence[Candidate], number: int) -> str:
    """Return the page of a candidate, the one at index `number` of those that are `shown`."""
    candidate = shown[number]
    return SizedPage(candidate, hardware, count_nodes(hardware.wishes.gpus, hardware)).find_page()
