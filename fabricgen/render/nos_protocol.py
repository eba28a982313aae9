"""What a network operating system is to the renderer: a module of `render/nos`, found by its file name."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from fabricgen.catalog.loader import Catalog
from fabricgen.switch_view import PlacedSnippet, SwitchView

NOS_PACKAGE = "fabricgen.render.nos"


class Nos(Protocol):
    """A module `render/nos/ID.py` beside templates `templates/ID/`; the id is what blueprints say under `nos:`."""

    def files(self, switch: SwitchView) -> tuple[tuple[str, str], ...]:
        """(template in the NOS's folder, file name in the device's folder) of each file that a switch takes."""

    def values(self, switch: SwitchView, catalog: Catalog) -> dict[str, Any]:
        """What the templates name: strings, numbers, and rows as tuples; nothing that holds a line of config."""


@runtime_checkable
class TakesTrees(Protocol):
    """A NOS whose files hold data, into which snippets with a tree are merged once templates have written them."""

    def with_trees(self, file: str, text: str, snippets: tuple[PlacedSnippet, ...]) -> str:
        """A file with those of the snippets that belong into it. Raises InputError (FG052) for one that cannot be."""
