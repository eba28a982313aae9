"""The pages of `size -o`: a candidate's network of GPUs, and beside it what a person fills in, as of `init --ask`.

Out-of-band is the first usual form that lints clean beside the network of the candidate, whose lines stay as they were
sized. Storage and in-band are there as comments, in the form that is usual for so many nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from fabricgen.start.page import MOST_ON_A_PAIR, ROLES, WAIVERS, Page
from fabricgen.start.parts import NetworkLines, NodeKindAnswer

COMMENTED = ("storage", "inband")
"""Networks that a page has as comments."""


class SizedPage(Page):
    """The page of a candidate of so many nodes."""

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

    def find_text(self) -> str:
        """Return the page; without out-of-band, and saying so, where no usual form of it lints clean beside the
        network.
        """
        compute = self._gpu_network
        for forms in self._list_other_forms(compute):
            try:
                return self._find_text([compute, self._find_clean([compute], forms)])
            except InputError as error:
                remark = f"  # no oob: {error.diagnostics[0].message}"
                return self._find_text([NetworkLines((*compute.lines, remark), compute.units, compute.pod_units)])
        return self._find_text([compute])

    @cached_property
    def _gpu_network(self) -> NetworkLines:
        """The network of the GPUs."""
        shape = self._candidate.shape
        return NetworkLines(tuple(self._list_compute_lines()), (shape.unit,), shape.pod)

    def _list_compute_lines(self) -> Iterator[str]:
        """Yield the lines of the GPUs' network as they were sized, and its NOS where the page has another."""
        lines = self._candidate.text.splitlines()
        first = lines.index(f"  {ROLE}:")
        yield lines[first]
        yield from takewhile(lambda line: line.startswith("    "), lines[first + 1 :])
        for nos in (line.removeprefix("nos: ") for line in lines if line.startswith("nos: ")):
            if nos != self.nos:
                yield f"    nos: {nos}"

    def _describe_origin(self, nodes: int) -> str:
        gpus = nodes * self._hardware.gpus_per_node
        return f"{gpus:,} GPUs in {nodes:,} nodes, as `fabricgen size` laid them out"

    def _list_remarks(self) -> list[str]:
        """Storage and in-band, as far as the nodes have ports for them."""
        lines = []
        for name in COMMENTED:
            if ROLES.get(name, name) in self._roles:
                pair, leaves, *_ = self._list_ethernet_forms(name, self._gpu_network, ())
                usual = pair if self.kinds[0].nodes.count <= MOST_ON_A_PAIR else leaves
                lines += [f"  # {line.removeprefix('  ')}" for line in usual.lines]
        head = "  # `fabricgen init --ask` lays these out as well; here in a usual form, to be taken in:"
        return [head, *lines] if lines else []

    def _write_floor(self) -> list[str]:
        shape, nodes = self._candidate.shape, self.kinds[0].nodes.count
        hall, cabling = write_floor(shape, self._hardware, nodes, ", slack: 10%")
        return [f"{hall}    # halls and trays: docs/floor.md", cabling]


def write_pages(result: SearchResult, jobs: int, *, every: bool) -> Mapping[str, str]:
    """Return the page of each candidate that is shown, by its name; with `every` those of what is beaten too."""
    shown = result.list_shown(every=every)
    pages = run_in_order(partial(_write_page, result.hardware, shown), len(shown), jobs)
    return {candidate.name: page for candidate, page in zip(shown, pages, strict=True)}


def _write_page(hardware: Hardware, shown: Sequence[Candidate], number: int) -> str:
    candidate = shown[number]
    return SizedPage(candidate, hardware, count_nodes(hardware.wishes.gpus, hardware)).find_text()
