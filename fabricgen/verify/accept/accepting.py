"""The hall wins: actions that are accepted become redlines of cables, and names of boxes, in an overlay.

A redline says where the end of a planned cable really is; a box that stands in the place of another keeps its name, and
the place takes it. The blueprint that includes the overlay then verifies as planned with the same dumps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fabricgen.as_built.sheets.merging import with_overrides
from fabricgen.as_built.sheets.stated import CABLE_OF, OverrideFields, merged_overrides, overlay_text, read_stated
from fabricgen.cluster import build_cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.verify.accept.boxes import Names, accepted_names
from fabricgen.verify.accept.cables import Redlines, accepted_ends
from fabricgen.verify.accept.chosen import Chosen, chosen
from fabricgen.verify.accept.faults import refused
from fabricgen.verify.accept.places import Places

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.verify.actions import Diagnosis

OVERLAY = "as-built.yaml"


def accepted(
    cluster: Cluster, diagnosis: Diagnosis, ids: Sequence[str], overlay: str | None = None, name: str = OVERLAY
) -> bytes:
    """The overlay (YAML) that accepts some actions and harmless cables, by id, or `all` that can be accepted.

    It has what `overlay`, a file that may not exist, states already; without one, all that the blueprint states of
    cables and names. `name` is what the overlay says of itself.

    Raises InputError (FG076) for ids that there are not, for what cannot be accepted, and where the blueprint states
    something else, which wins.
    """
    whole = cluster.phase.whole if cluster.phase else cluster
    stated = read_stated(whole.design.loaded, overlay)
    places = Places(whole)
    picked = chosen(places, diagnosis, ids)
    ends = accepted_ends(places, picked)
    names = accepted_names(places, picked, stated)
    redlines = Redlines(places, stated)
    redlines.add(ends)
    mine = names.renamed(redlines.mine, stated.others)
    _try(whole, picked, names, merged_overrides(mine, stated.others))
    return overlay_text(mine, name, names.own).encode()


def _try(whole: Cluster, picked: Chosen, names: Names, stated: Mapping[str, OverrideFields]) -> None:
    """Build the cluster with what is accepted; raises InputError (FG076) where that cannot be."""
    try:
        build_cluster(with_overrides(whole.design, stated, names.devices))
    except InputError as error:
        raise InputError(_of_action(found, picked) for found in error.diagnostics) from error


def _of_action(found: Diagnostic, picked: Chosen) -> Diagnostic:
    """A fault of the cluster as accepted, at the action that asked for it where that is known."""
    cable = str(found.path[1]) if found.path[:1] == (CABLE_OF,) and len(found.path) > 1 else ""
    action = picked.action_of(cable)
    return refused(action, found.message, found.hint).diagnostics[0] if action else found
