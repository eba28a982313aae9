"""FG816: ECN thresholds are stated for a speed that no port has."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.qos import Qos
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import list_marking_fabrics


class EcnOfNoPort(DesignRule):
    """`qos.ecn` has thresholds for a port speed that no port with RoCE has.

    They were meant for some port: a breakout has made its ports slower than the author believed, or the speed is a
    slip of the pen. The ports that exist keep their default thresholds.

    State the speed that the ports have, or remove the entry.
    """

    severity = Severity.WARNING
    bad = """
        qos:
          ecn:
            400G: 256-512
            50G: 32-64  # <-
    """
    good = """
        qos: {ecn: {400G: 256-512}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the speeds for which a fabric or the cluster states thresholds with the speeds of its ports with
        RoCE.
        """
        blueprint = design.loaded.blueprint
        speeds = {
            fabric.name: {s for tier in fabric.tiers for s in tier.speeds} for fabric, _ in list_marking_fabrics(design)
        }
        scopes: list[tuple[Path, Qos, set[int]]] = [
            (("fabrics", name, "qos"), blueprint.fabrics[name].qos, ports) for name, ports in speeds.items()
        ]
        scopes.append((("qos",), blueprint.qos, set().union(*speeds.values())))
        for path, qos, ports in scopes:
            for speed in sorted(set(qos.ecn) - ports) if ports else ():
                location = (*path, "ecn", self._find_key(design, (*path, "ecn"), speed))
                speeds_of_ports = ", ".join(f"{s}G" for s in sorted(ports))
                is_meant = not ports <= set(qos.ecn)  # a speed that lacks thresholds is what they were meant for
                hint = f"state them for {', '.join(f'{s}G' for s in sorted(ports - set(qos.ecn)))}" if is_meant else ""
                yield self.flag(location, f"no port with RoCE runs at {speed}G; they run at {speeds_of_ports}", hint)
            for name in ("ecn_min_kb", "ecn_max_kb") if ports and ports <= set(qos.ecn) else ():
                if getattr(qos, name) is not None:
                    message = f"no port takes `{name}`: `ecn` has thresholds for every speed that there is"
                    yield self.flag((*path, name), message, "remove one of the two")

    @staticmethod
    def _find_key(design: Design, path: Path, speed: int) -> str:
        """Return the key of a speed (in Gb/s) in the mapping at a path, as the blueprint spells it."""
        from fabricgen.kernel.units import parse_speed

        value = design.loaded.source.data
        for part in path:
            value = value[part]
        return str(next(key for key in value if parse_speed(key) == speed))
