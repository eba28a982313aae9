"""Scale-up ports as ends of links: of an accelerator in a node, of an ASIC in a tray, of an optical circuit switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fabricgen.catalog.models import OPTICAL


@dataclass(frozen=True, slots=True)
class ScaleUpPort:
    """One side of scale-up links. A port is a number within its device: `ports_each` for each accelerator or ASIC.

    `form_factor` is the cage of cabled links; "" in a backplane.
    """

    role: Literal["gpu", "asic", "ocs"]
    ports_each: int
    link_name: str = "nvl"
    form_factor: str = ""
    per_connector: int = 1
    """Links of a cage, whose ports follow each other."""
    listed: tuple[str, ...] = ()
    """Names by number of port, where ports are not counted switch by switch."""
    first_cage: int = 0
    """The number of its first cage, where the device has others of another side."""

    @property
    def takes_fibre(self) -> bool:
        """Whether fibres plug in without a transceiver, as at an optical circuit switch."""
        return self.role == "ocs" or self.form_factor in OPTICAL

    def list_names(self, ports: int, *, cage: bool = False) -> list[str]:
        """Names of the first ports: `gpu2/nvl7`, `asic0/link12`, `port5`; the cage of a single link has the same name,
        that of several is `nvl-cage3`.
        """
        if cage and self.per_connector > 1:
            return [f"{self.link_name}-cage{i // self.per_connector + 1}" for i in range(ports)]
        if self.listed:
            return list(self.listed[:ports])
        if self.role == "ocs":
            return [f"port{i}" for i in range(ports)]
        return [f"{self.role}{i // self.ports_each}/{self.link_name}{i % self.ports_each}" for i in range(ports)]
