"""What a network operating system is to the renderer: a module of `render/nos`, found by its file name."""

from __future__ import annotations

from typing import Any, Protocol

from fabricgen.catalog.loader import Catalog
from fabricgen.switch_view import SwitchView

NOS_PACKAGE = "fabricgen.render.nos"


class Nos(Protocol):
    """A module `render/nos/ID.py` beside templates `templates/ID/`; the id is what blueprints say under `nos:`."""

    def files(self, switch: SwitchView) -> tuple[tuple[str, str], ...]:
        """(template in the NOS's folder, file name in the device's folder) of each file that a switch takes."""

    def values(self, switch: SwitchView, catalog: Catalog) -> dict[str, Any]:
        """What the templates name: strings, numbers, and rows as tuples; nothing that holds a line of config."""
