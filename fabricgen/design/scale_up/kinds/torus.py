"""Accelerators in a grid, each linked to its neighbours, with wrap-around: Trainium in 2D and 3D, TPU in 3D.

Reads dims, or cube and switches: then cubes are wired inside, and the links on their faces go to optical circuit
switches that join cubes into a torus (TPU v4: 64 cubes of 4x4x4, 48 switches, 6,144 optical links). One switch serves
one position on the two opposite faces of every cube, so that any cube can follow any other. Also reads block (how the
accelerators of a node lie in the grid) and links_per_neighbour.

In a dimension of length two an accelerator has one neighbour, not two; in one of length one it has none. Ports are
numbered by dimension: those to the lower neighbour, then to the higher.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, product
from math import prod

from fabricgen.catalog.scale_up_models import Dimensions, ScaleUpDomainProfile
from fabricgen.design.scale_up.model import DomainSize, LocalLink, MisfitError


def size(domain: ScaleUpDomainProfile, accelerators: int, ports: int) -> DomainSize:
    """Return the size of a torus of accelerators with `ports` ports each (0: unknown).

    Raises MisfitError if the torus has no one to three dimensions, if the accelerators do not fill them, if blocks or
    `links_per_neighbour` do not fit them, if ports are too few, or if switches are too few, too many or too small.
    """
    grid = domain.cube if domain.switches else domain.dims
    if not 1 <= len(grid) <= 3:
        raise MisfitError("a torus needs `dims` of one to three dimensions, or `cube` and switches")
    _check_shape(domain, grid)
    links_by_dimension = _count_links_by_dimension(domain, grid)
    if domain.switches:
        return _size_switched(domain, accelerators)
    if accelerators != prod(grid):
        raise MisfitError(
            f"a torus of {_spell_grid(grid)} is {prod(grid):,} accelerators, there are {accelerators:,}",
            "let `per`, `racks` and `nodes_per_rack` hold as many, or state other `dims`",
        )
    inner_links = sum(
        # a ring of two has one link, not two: its wrap-around would join the same neighbours again
        links_per_neighbour * accelerators * (length if length > 2 else length - 1) // length
        for links_per_neighbour, length in zip(links_by_dimension, grid, strict=True)
    )
    links_each = sum(
        links_per_neighbour * min(2, length - 1)
        for links_per_neighbour, length in zip(links_by_dimension, grid, strict=True)
    )
    if ports and links_each > ports:
        raise MisfitError(
            f"a torus of {_spell_grid(grid)} takes {links_each} ports of each accelerator, which has {ports}"
        )
    return DomainSize(accelerators, 0, inner_links, links_each)


def links(domain: ScaleUpDomainProfile, accelerators: int) -> Iterator[LocalLink]:
    """Yield every link once, cube by cube and cell by cell: from each accelerator to its higher neighbour in each
    dimension, and, with switches, from accelerators on the faces of cubes to the switches.
    """
    grid = domain.cube if domain.switches else domain.dims
    cells_per_cube = prod(grid)
    links_by_dimension = _count_links_by_dimension(domain, grid)
    # for each dimension the ports to the lower neighbour, then those to the higher one
    first_port = list(accumulate((2 * n for n in links_by_dimension), initial=0))
    cells_in_order = list_coordinates(domain, grid)
    index_of_cell = {coordinates: index for index, coordinates in enumerate(cells_in_order)}
    for cube in range(accelerators // cells_per_cube):
        first_accelerator = cube * cells_per_cube
        for index, cell in enumerate(cells_in_order):
            for dimension, length in enumerate(grid):
                for link in range(links_by_dimension[dimension]):
                    lower_port, higher_port = (
                        first_port[dimension] + link,
                        first_port[dimension] + links_by_dimension[dimension] + link,
                    )
                    if domain.switches:
                        yield from _link_face(
                            grid, dimension, link, cell, cube, first_accelerator + index, links_by_dimension
                        )
                    # with switches, wrap-around goes over the switches
                    if cell[dimension] + 1 < length or (length > 2 and not domain.switches):
                        neighbour = (*cell[:dimension], (cell[dimension] + 1) % length, *cell[dimension + 1 :])
                        yield LocalLink(
                            first_accelerator + index,
                            higher_port,
                            False,
                            first_accelerator + index_of_cell[neighbour],
                            lower_port,
                        )


def _link_face(
    grid: Dimensions,
    dimension: int,
    link: int,
    cell: Dimensions,
    cube: int,
    accelerator: int,
    links_by_dimension: tuple[int, ...],
) -> Iterator[LocalLink]:
    """Yield the links with the number `link`, in one dimension, of an accelerator to the switch for its position on the
    faces of its cube: of the lower face, then of the higher face. Nothing for an accelerator on neither face.

    Links and dimensions count from 0.
    """
    first_port = sum(2 * n for n in links_by_dimension[:dimension])
    position = 0
    for other_dimension, length in enumerate(grid):
        if other_dimension != dimension:
            position = position * length + cell[other_dimension]
    # each position on a face has a switch for each link; switches are numbered dimension by dimension
    switch = (
        sum(prod(grid) // grid[earlier] * links_by_dimension[earlier] for earlier in range(dimension))
        + position * links_by_dimension[dimension]
        + link
    )
    if cell[dimension] == 0:
        yield LocalLink(accelerator, first_port + link, True, switch, 2 * cube)
    if cell[dimension] == grid[dimension] - 1:
        yield LocalLink(accelerator, first_port + links_by_dimension[dimension] + link, True, switch, 2 * cube + 1)


def _size_switched(domain: ScaleUpDomainProfile, accelerators: int) -> DomainSize:
    """Return the size of cubes joined by optical circuit switches.

    Raises MisfitError if accelerators do not make up whole cubes, if another number of switches is stated than cubes
    have lines of cells, or if switches have too few ports for the cubes.
    """
    grid = domain.cube
    links_by_dimension = _count_links_by_dimension(domain, grid)
    cells = prod(grid)
    cubes, remainder = divmod(accelerators, cells)
    if remainder:
        raise MisfitError(
            f"{accelerators:,} accelerators are not a whole number of {_spell_grid(grid)} cubes of {cells}",
            f"{cubes * cells:,} or {(cubes + 1) * cells:,} are",
        )
    # there is a switch for each line of cells through a cube: both ends of that line, of every cube, go to it
    faces = sum(cells // length * n for length, n in zip(grid, links_by_dimension, strict=True))
    if domain.switches != faces:
        raise MisfitError(
            f"cubes of {_spell_grid(grid)} need {faces} optical circuit switches, {domain.switches} are stated"
        )
    if 2 * cubes > domain.ports_of_switch:
        raise MisfitError(
            f"{cubes:,} cubes with 2 links each need {2 * cubes:,} ports of an optical circuit switch, "
            f"it has {domain.ports_of_switch:,}: the domain does not fit one switch tier",
            f"at most {domain.ports_of_switch // 2:,} cubes, {domain.ports_of_switch // 2 * cells:,} accelerators, fit",
        )
    # within a cube each line has one link less than it has cells; its two ends go to a switch
    inner_links = sum(cells // length * (length - 1) * n for length, n in zip(grid, links_by_dimension, strict=True))
    return DomainSize(accelerators, faces, cubes * (inner_links + 2 * faces), 2 * sum(links_by_dimension))


def _check_shape(domain: ScaleUpDomainProfile, grid: Dimensions) -> None:
    """Raise MisfitError if blocks do not fill the grid, or `links_per_neighbour` has another number of dimensions."""
    block = domain.block
    if block and (len(block) != len(grid) or any(length % b for b, length in zip(block, grid, strict=False))):
        raise MisfitError(f"blocks of {_spell_grid(block)} do not fill {_spell_grid(grid)}")
    if len(_count_links_by_dimension(domain, grid)) != len(grid):
        raise MisfitError(
            f"links_per_neighbour has {len(domain.links_per_neighbour)} entries for {len(grid)} dimensions"
        )


def _count_links_by_dimension(domain: ScaleUpDomainProfile, grid: Dimensions) -> tuple[int, ...]:
    return domain.links_per_neighbour or (1,) * len(grid)


def list_coordinates(domain: ScaleUpDomainProfile, grid: Dimensions) -> list[Dimensions]:
    """Return the coordinates of each accelerator in order: block by block, so that the accelerators of a node lie
    together.
    """
    block = domain.block or (1,) * len(grid)
    blocks = tuple(length // b for length, b in zip(grid, block, strict=True))
    return [
        tuple(o * b + i for o, b, i in zip(outer, block, inner, strict=True))
        for outer in _list_cells(blocks)
        for inner in _list_cells(block)
    ]


def _list_cells(grid: Dimensions) -> Iterator[Dimensions]:
    """Return the coordinates of a grid, the first dimension fastest."""
    return (cell[::-1] for cell in product(*map(range, reversed(grid))))


def _spell_grid(grid: Dimensions) -> str:
    return "x".join(map(str, grid)) or "no"
