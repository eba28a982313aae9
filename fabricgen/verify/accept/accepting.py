"""The hall wins: actions that are accepted become redlines of cables, and names of boxes, in an overlay.

A redline says where the end of a planned cable really is; a box that stands in the place of another keeps its name, and
the place takes it. The blueprint that includes the overlay then verifies as planned with the same dumps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fabricgen.as_built.merging import with_overrides
from fabricgen.as_built.stated import CABLE_OF, merged_overrides, overlay_text, read_stated
from fabricgen.cluster import build_cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.verify.accept.boxes import accepted_names
from fabricgen.verify.accept.cables import Redlines, accepted_ends, renamed_text
from fabricgen.verify.accept.chosen import chosen
from fabricgen.verify.accept.faults import refused
from fabricgen.verify.accept.places import Places

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.model import Design
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
    asked_by = {renamed_text(places.cable_of(each.link), names.new): each.asked for each in ends}
    design = with_overrides(whole.design, merged_overrides(mine, stated.others), names.devices)
    _check_cluster(design, asked_by, ids)
    return overlay_text(mine, name, names.own).encode()


def _check_cluster(design: Design, asked_by: Mapping[str, str], ids: Sequence[str]) -> None:
    """Build the cluster with what is accepted; raises InputError (FG076) at the ids for which that cannot be.

    `asked_by` has the id by which each cable is accepted, by cable id.
    """
    try:
        build_cluster(design)
    except InputError as error:
        faults = [_of_id(found, asked_by, ids) for found in error.diagnostics]
        raise InputError(dict.fromkeys(faults)) from error


def _of_id(found: Diagnostic, asked_by: Mapping[str, str], ids: Sequence[str]) -> Diagnostic:
    """A fault of the cluster as accepted, at the id that asked for it, or at all of them."""
    cable = str(found.path[1]) if found.path[:1] == (CABLE_OF,) and len(found.path) > 1 else ""
    asked = asked_by.get(cable, "")
    what = f"{asked} cannot be accepted" if asked else "this cannot be accepted together"
    return refused(asked or ",".join(ids), f"{what}: {found.message}", "move the plugs as it says").diagnostics[0]
