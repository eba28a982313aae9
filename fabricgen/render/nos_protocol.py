"""The interface of the writer of a network operating system (NOS): the module `fabricgen/nos/NAME/writer.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.nos_rooms import list_nos, load_part
from fabricgen.views.fabric import FabricView
from fabricgen.views.switch import PlacedSnippet, SwitchView

ViewT_contra = TypeVar("ViewT_contra", SwitchView, FabricView, contravariant=True)


class Nos(Protocol[ViewT_contra]):
    """A module `fabricgen/nos/NAME/writer.py` with templates in `templates/NAME/`; blueprints have NAME under `nos:`.

    It renders single switches, or whole fabrics if it has `WHOLE_FABRIC = True`. `KEEPS_ORDER = True` promises that it
    prints names, addresses and AS numbers in the order of the ports: neither module nor templates sort them. Without
    the promise, fewer switches share a rendered skeleton; even then addresses at ports of a switch without BGP are not
    sorted. `NamesTemplates`, `SharesTables` and `TakesTrees` below are optional; isinstance finds out whether a module
    has them.
    """

    def files(self, view: ViewT_contra) -> tuple[tuple[str, str], ...]:
        """Return (template in the NOS's folder, file name in the device's folder) of each file."""

    def values(self, view: ViewT_contra, catalog: Catalog) -> dict[str, Any]:
        """Return the values for the templates: strings, numbers, and rows as mappings by field name; no line of
        configuration.

        Which lines there are may depend only on what `shapes.SwitchShapes` puts into the shape of a switch; all else,
        such as names, addresses and AS numbers, must be printed unchanged, as other switches of the shape get the same
        text with their own in its place.
        """


@runtime_checkable
class TakesTrees(Protocol):
    """A NOS whose files are data, into which snippets with a `tree` are merged after templates have
    written the files.
    """

    def with_trees(self, file: str, text: str, snippets: tuple[PlacedSnippet, ...], judge: Catalog | None) -> str:
        """Return a file with the trees of its snippets merged in; raises InputError (FG052) for a tree that cannot be
        merged.

        With `judge`, the result is checked against this catalogue, which takes longer than rendering it.
        """


@runtime_checkable
class NamesTemplates(Protocol):
    """A NOS with templates that have no file each: one file `NAME.j2` stands for many (kernel/named_templates.py)."""

    def list_templates(self) -> Iterable[str]:
        """Return the templates for which a file `NAME.j2` stands, as paths below the folder of the NOS in `templates`.

        Some of them may have a file of their own all the same.
        """


class Shared(NamedTuple):
    """Tables of a switch that depend only on its ports and cables, and contain no name or address."""

    tables: Mapping[str, Mapping[str, Any]]
    """Values for the templates of tables without cable lengths; the same object for equal values."""
    lengths: tuple[str, ...]
    """The text that `length_tables` prints for the cable at each port; empty where there are no such tables."""


@runtime_checkable
class SharesTables(Protocol):
    """A NOS with tables that many switches share."""

    def length_steps_m(self, view: SwitchView, catalog: Catalog) -> tuple[float, ...]:
        """Return the cable lengths (m, ascending) at which files change; lengths between two of them give the same
        files.
        """

    def shared(self, view: SwitchView, lengths_m: Sequence[float], catalog: Catalog) -> Shared:
        """Return the tables of a switch whose cables have these lengths (m), one a port; 0 for a
        port without a cable.
        """

    def length_tables(
        self, view: SwitchView, lengths: Sequence[str], catalog: Catalog
    ) -> Mapping[str, Mapping[str, Any]]:
        """Return, by template, the values for tables that contain cable lengths; templates must print `lengths`
        unchanged.
        """


class Circuits(NamedTuple):
    """How DHCP requests on one switch name the port at which they came in (RFC 3046, agent circuit id)."""

    form: Mapping[str, str]
    """By fabric whose hosts are relayed: the text, in the fields of `forms.CIRCUIT_ID`; without one it says no port."""
    bond: str
    """The name of a bond, in the field {number}; "" where it has none, so that requests over bonds tell no port."""
    alias: Mapping[str, str]
    """Further names of ports, by the name that the NOS uses."""
    kind: int | None = None
    """The type that may stand before the text, with its length, a byte each; None for none."""


@runtime_checkable
class NamesCircuits(Protocol):
    """A NOS whose DHCP relay names the port at which a request came in."""

    def circuits(self, view: SwitchView, catalog: Catalog) -> Circuits:
        """Return how the relay of a switch names ports, even if the blueprint has no DHCP servers: others may relay to
        some.
        """


@runtime_checkable
class HasPortLanes(Protocol):
    """A NOS that identifies ports by lanes of the ASIC."""

    def port_lanes(self, view: SwitchView, catalog: Catalog) -> Mapping[str, tuple[str, str]]:
        """Return (lanes, alias) of each port of a switch by its name."""


def load_writer(nos: str) -> Any:
    """Import and return the module that writes the files of a NOS; raises KeyError for a NOS that has none."""
    return load_part(nos, "writer")


def known_nos(*, whole_fabric: bool) -> tuple[str, ...]:
    """Return the names, sorted, of the NOSes with a writer for single switches, or for whole fabrics."""
    return tuple(n for n in list_nos("writer") if is_whole_fabric(n) == whole_fabric)


def has_templates(nos: str, *, whole_fabric: bool) -> bool:
    """Whether a NOS has a writer for single switches, or whole fabrics; imports no other module."""
    return nos in list_nos("writer") and is_whole_fabric(nos) == whole_fabric


def is_whole_fabric(nos: str) -> bool:
    """Whether the writer of a NOS renders whole fabrics; raises KeyError for an unknown NOS."""
    return bool(getattr(load_writer(nos), "WHOLE_FABRIC", False))


def keeps_order(nos: str) -> bool:
    """Whether the writer of a NOS never sorts by names, addresses or AS numbers; raises KeyError for an unknown NOS."""
    return bool(getattr(load_writer(nos), "KEEPS_ORDER", False))
