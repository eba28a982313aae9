"""Rules."""

from collections.abc import Iterator

from fabricgen.api import ClusterView, Diagnostic, Severity, ViewRule


class LongCables(ViewRule):
    """A cable is longer than the 7 m that the stores keep.

    Longer ones are ordered by project, eight weeks ahead. Bring the racks closer, or waive it for what is ordered.
    """

    id = "ACME101"
    severity = Severity.WARNING
    title = "a cable is longer than the stores keep"

    def check(self, view: ClusterView) -> Iterator[Diagnostic]:
        """Look for the longest cable of each line of the blueprint."""
        worst: dict[tuple[str | int, ...], float] = {}
        for row in (view.links.length_m > 7).nonzero()[0]:
            path = view.links.path_of(row)
            worst[path] = max(worst.get(path, 0), view.links.length_m[row])
        for path, length_m in worst.items():
            yield self.flag(path, f"cables of up to {length_m:g} m", "the stores keep up to 7 m")
