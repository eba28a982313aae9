"""A catalogue whose switches have more ports than real ones: to judge the other parts of a design that lacks ports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.kernel.diagnostics import Path as Place

if TYPE_CHECKING:
    from fabricgen.catalog.sonic_models import SonicPlatform


class RoomyCatalog(Catalog):
    """The catalogue with `times` as many cages of each kind on every switch; speeds, lanes and all else stay."""

    def __init__(self, own: Path | None, times: int) -> None:
        super().__init__(own)
        self._plain = Catalog(own)
        self._times = times
        self._wider: dict[str, SwitchProfile] = {}

    def sonic_platform(self, switch: str) -> SonicPlatform | None:
        """Return the table of the real front panel, as `Catalog.sonic_platform` does."""
        return self._plain.sonic_platform(switch)

    def switch(self, name: str, path: Place = ()) -> SwitchProfile:
        """Return a switch as `Catalog.switch` does, with more cages, and without line cards and pipelines, which name
        cages.
        """
        if name not in self._wider:
            profile = super().switch(name, path)
            fields = {field: getattr(profile, field) for field in SwitchProfile.model_fields}
            cages = tuple(cage.model_copy(update={"count": cage.count * self._times}) for cage in profile.cages)
            wider = fields | {"cages": cages, "line_cards": (), "pipelines": None}
            self._wider[name] = SwitchProfile.model_construct(**wider)
        return self._wider[name]
