"""What a network operating system is to the renderer: a module of `render/nos`, found by its file name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.discovery import load, module_names
from fabricgen.views.fabric import FabricView
from fabricgen.views.switch import PlacedSnippet, SwitchView

NOS_PACKAGE = "fabricgen.render.nos"

ViewT_contra = TypeVar("ViewT_contra", SwitchView, FabricView, contravariant=True)


class Nos(Protocol[ViewT_contra]):
    """A module `render/nos/ID.py` beside templates `templates/ID/`; the id is what blueprints say under `nos:`.

    Its views are single switches, or whole fabrics where it says `WHOLE_FABRIC = True`. With `KEEPS_ORDER = True` it
    has names, addresses and AS numbers in the order of the ports where they are, and never sorts by them.
    """

    def files(self, view: ViewT_contra) -> tuple[tuple[str, str], ...]:
        """(template in the NOS's folder, file name in the folder of the view's name) of each file that it takes."""

    def values(self, view: ViewT_contra, catalog: Catalog) -> dict[str, Any]:
        """What the templates name: strings, numbers, and rows with the names of their fields; nothing that holds a line
        of config."""


@runtime_checkable
class TakesTrees(Protocol):
    """A NOS whose files hold data, into which snippets with a tree are merged once templates have written them."""

    def with_trees(self, file: str, text: str, snippets: tuple[PlacedSnippet, ...], judge: Catalog | None) -> str:
        """A file with those of the snippets that belong into it. Raises InputError (FG052) for one that cannot be.

        `judge` asks to check the whole by what the catalogue knows, which takes longer than rendering it.
        """


class Shared(NamedTuple):
    """Tables of a switch that follow from its ports and cables alone, and hold no name or address."""

    tables: Mapping[str, Mapping[str, Any]]
    """What the template of each that prints no length of a port names; the same objects for equal values."""
    lengths: tuple[str, ...]
    """What `length_tables` print for the cable at each port; empty where there are none."""


@runtime_checkable
class SharesTables(Protocol):
    """A NOS with tables that switches share."""

    def length_steps_m(self, switch: SwitchView, catalog: Catalog) -> tuple[float, ...]:
        """Lengths, ascending, m: cables between two of them make no difference to any file."""

    def shared(self, switch: SwitchView, lengths_m: Sequence[float], catalog: Catalog) -> Shared:
        """The tables of a switch with cables of these lengths at its ports, 0 without one."""

    def length_tables(
        self, switch: SwitchView, lengths: Sequence[str], catalog: Catalog
    ) -> Mapping[str, Mapping[str, Any]]:
        """What the template of each table names that prints the lengths of ports, as they are, and does nothing else
        with them."""


def known_nos(*, whole_fabric: bool) -> tuple[str, ...]:
    """Ids of NOS modules that configure single switches, or whole fabrics; sorted."""
    return tuple(n for n in module_names(NOS_PACKAGE) if is_whole_fabric(n) == whole_fabric)


def has_templates(nos: str, *, whole_fabric: bool) -> bool:
    """Whether there is a NOS module of that id for single switches, or whole fabrics; no other module is imported."""
    return nos in module_names(NOS_PACKAGE) and is_whole_fabric(nos) == whole_fabric


def is_whole_fabric(nos: str) -> bool:
    """Whether a NOS module configures whole fabrics; raises KeyError where there is none of that id."""
    return bool(getattr(load(NOS_PACKAGE, nos), "WHOLE_FABRIC", False))


def keeps_order(nos: str) -> bool:
    """Whether a NOS module sorts nothing by names, addresses or AS numbers; raises KeyError as above."""
    return bool(getattr(load(NOS_PACKAGE, nos), "KEEPS_ORDER", False))
