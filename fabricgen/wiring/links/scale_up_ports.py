"""Scale-up ports as ends of links: of an accelerator in a node, of an ASIC in a tray, of an optical circuit switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ScaleUpPort:
    """One side of scale-up links. A port is a number within its device: `ports_each` for each accelerator or ASIC.

    `form_factor` is the cage of a cabled link, one a link; "" in a backplane.
    """

    role: Literal["gpu", "asic", "ocs"]
    ports_each: int
    link_name: str = "nvl"
    form_factor: str = ""
    per_connector: int = 1

    @property
    def takes_fibre(self) -> bool:
        """Whether fibres plug in without a transceiver, as at an optical circuit switch."""
        return self.role == "ocs"

    def names(self, ports: int) -> list[str]:
        """Names of the first ports: `gpu2/nvl7`, `asic0/link12`, `port5`; its cage has the same name."""
        if self.role == "ocs":
            return [f"port{i}" for i in range(ports)]
        return [f"{self.role}{i // self.ports_each}/{self.link_name}{i % self.ports_each}" for i in range(ports)]
