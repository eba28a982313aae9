"""FG618: a fixture of a hall cannot be where it is stated."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.floor.halls import Hall, HallFixture, make_halls, measure_overlap
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class FixtureMisplaced(DesignRule):
    """Something of the building is outside the walls of its hall, or in one place with something else of it.

    `at_m` is measured from the corner of the hall's racks, not from a wall or from the corner of the site: so what
    stands before the first rack has metres below 0. Without `walls_m` a hall ends where its rows end, and nothing can
    stand beside them. A busway hangs above everything but columns, which reach the ceiling. Walls have room for all
    rows, and the `feed` of power is one of `floor.feeds`.
    """

    severity = Severity.ERROR
    bad = """
        floor:
          halls:
            h1:
              rows: 4
              fixtures:
                crah: {kind: cooling, at_m: [-2, 1], size_m: [0.9, 2.5]}  # <-
    """
    good = """
        floor:
          halls:
            h1:
              rows: 4
              walls_m: [[-2.4, -1.2], [12, 10]]
              fixtures:
                crah: {kind: cooling, at_m: [-2, 1], size_m: [0.9, 2.5]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare fixtures with walls, feeds and each other; a grid of fixtures of one name is told once."""
        blueprint = design.loaded.blueprint
        for hall in make_halls(blueprint.floor, design.layout.sites, blueprint.site):
            path = ("floor", "halls", hall.name)
            if hall.walls:
                yield from self._check_walls(hall, path)
            reported: set[str] = set()
            for fixture in self._list_outside(hall):
                if fixture.name not in reported:
                    reported.add(fixture.name)
                    yield self._flag_outside(hall, fixture, (*path, "fixtures", fixture.name))
            for fixture, other in _list_clashes(hall.fixtures):
                if fixture.name not in reported:
                    reported.add(fixture.name)
                    yield self._flag_clash(hall, fixture, other, (*path, "fixtures", fixture.name))
            feeds = blueprint.floor.feeds
            for name, spec in blueprint.floor.halls[hall.name].fixtures.items() if hall.fixtures else ():
                if spec.feed and spec.feed not in feeds:
                    known_feeds = f"`feeds` are {', '.join(feeds)}" if feeds else "no `feeds` are named"
                    yield self.flag(
                        (*path, "fixtures", name, "feed"),
                        f"{spec.kind} {name} is of feed {spec.feed}, but {known_feeds}",
                        f"floor: {{feeds: [{', '.join([*feeds, spec.feed])}]}}",
                    )

    def _check_walls(self, hall: Hall, path: Path) -> Iterator[Diagnostic]:
        """Flag walls of a hall that leave out some of its rows."""
        (left, top, right, bottom), (rows_left, rows_top, rows_right, rows_bottom) = hall.area, hall.places
        beyond_left, beyond_right = max(0.0, left - rows_left), max(0.0, rows_right - right)
        beyond_top, beyond_bottom = max(0.0, top - rows_top), max(0.0, rows_bottom - bottom)
        if max(beyond_left, beyond_right, beyond_top, beyond_bottom) > 1e-6:
            along, across = beyond_left + beyond_right, beyond_top + beyond_bottom
            wide, deep = rows_right - rows_left, rows_bottom - rows_top
            yield self.flag(
                (*path, "walls_m"),
                f"the walls of hall {hall.name} leave out {along:g} m of its rows along them and {across:g} m across "
                f"them: {hall.rows} rows of {hall.racks_per_row} racks take {wide:g} x {deep:g} m",
                f"walls_m: [[0, 0], [{wide:g}, {deep:g}]] is just around them",
            )

    def _list_outside(self, hall: Hall) -> Iterator[HallFixture]:
        """Yield the fixtures that are not wholly within their hall."""
        for fixture in hall.fixtures:
            left, top, right, bottom = fixture.area
            wide, deep = measure_overlap(fixture.area, hall.area)
            if abs(wide - (right - left)) > 1e-6 or abs(deep - (bottom - top)) > 1e-6:
                yield fixture

    def _flag_outside(self, hall: Hall, fixture: HallFixture, path: Path) -> Diagnostic:
        """Return the finding on a fixture beyond the walls, or the rows of a hall without walls; metres count from the
        hall's corner.
        """
        # areas are (left, top, right, bottom) in metres of the site
        (left, top, right, bottom), x, y = hall.area, hall.x_m, hall.y_m
        at = f"({fixture.area[0] - x:g}, {fixture.area[1] - y:g}) to ({fixture.area[2] - x:g}, {fixture.area[3] - y:g})"
        border = "walls" if hall.walls else "rows"
        return self.flag(
            path,
            f"{fixture.kind} {fixture.title} is at {at} m; the {border} of hall {hall.name} reach from "
            f"({left - x:g}, {top - y:g}) to ({right - x:g}, {bottom - y:g}) m",
            "state where its walls are with `walls_m`" if not hall.walls else "move it within the walls, or the walls",
        )

    def _flag_clash(self, hall: Hall, fixture: HallFixture, other: HallFixture, path: Path) -> Diagnostic:
        """Return the finding on a fixture that shares floor with another one."""
        wide, deep = measure_overlap(fixture.area, other.area)
        x, y = other.area[0] - hall.x_m, other.area[1] - hall.y_m
        return self.flag(
            path,
            f"{fixture.kind} {fixture.title} shares {wide:g} x {deep:g} m with {other.kind} {other.title}, which is at "
            f"({x:g}, {y:g}) m of hall {hall.name}",
            "move one of them",
        )


def _list_clashes(fixtures: tuple[HallFixture, ...]) -> Iterator[tuple[HallFixture, HallFixture]]:
    """Yield (fixture, the first fixture before it in the list that shares floor with it) for each fixture
    that has one.
    """
    earliest: dict[int, int] = {}
    # a sweep from left to right; `active` are the fixtures that the sweep line crosses
    active: list[int] = []
    for i in sorted(range(len(fixtures)), key=lambda i: (fixtures[i].area[0], i)):
        fixture = fixtures[i]
        active = [j for j in active if fixtures[j].area[2] > fixture.area[0]]
        for j in active:
            if _is_at_one_height(fixture, fixtures[j]) and all(measure_overlap(fixture.area, fixtures[j].area)):
                later, earlier = max(i, j), min(i, j)
                earliest[later] = min(earlier, earliest.get(later, earlier))
        active.append(i)
    for later, earlier in sorted(earliest.items()):
        yield fixtures[later], fixtures[earlier]


def _is_at_one_height(fixture: HallFixture, other: HallFixture) -> bool:
    """Whether two fixtures are at one height: a busway hangs above all fixtures but columns and other busways."""
    kinds = {fixture.kind, other.kind}
    return "busway" not in kinds or len(kinds) == 1 or "column" in kinds
