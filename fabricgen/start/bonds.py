"""Bonds of a page: the ports that a node has in storage and in-band as one interface over two switches."""

from __future__ import annotations

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.switch_models import SwitchProfile
from fabricgen.start.answers import Answers


def carries_bonds(answers: Answers, nos: str, catalog: Catalog) -> bool:
    """Whether hosts may have the bonds that were asked for, if any, over two switches of a NOS in all of its images."""
    intent = {"none": "", "mlag": "mlag", "esi": "evpn-multihoming"}[answers.bonds]
    configuration = catalog.naming(nos).configuration
    return not intent or (intent in configuration.claims and not configuration.pairs.mlag_by_image)


def write_pair(answers: Answers, switch: SwitchProfile, catalog: Catalog) -> str:
    """Return what makes two leaves a pair for bonds: two links between them at full speed, or EVPN."""
    if answers.bonds != "mlag":
        return ", pair: evpn" if answers.bonds == "esi" else ""
    fastest = max(cages.speed_gbps for cages in switch.cages)
    return f", peer: 2 x {fastest:g}G" + ", pair: mclag" * _has_mlag_by_image(answers, catalog)


def write_bonds(answers: Answers, switch: SwitchProfile, nos: str, catalog: Catalog) -> list[str]:
    """Return lines of a network whose hosts have bonds; with a NOS of its own where the page has none (`nos`) for
    all.
    """
    if answers.bonds == "none":
        return []
    lines = ["    bond: node                         # one interface of all ports that a node has here"]
    if answers.bonds == "esi":
        lines += ["    routing: {overlay: evpn}"]
    elif _has_mlag_by_image(answers, catalog):
        lines += ["    # `pair: mclag` says that your image has ICCPd (INCLUDE_ICCPD = y); community images have not"]
    carrying = (
        [] if nos else [name for name in catalog.list_usable_nos(switch) if carries_bonds(answers, name, catalog)]
    )
    return lines + [f"    nos: {name}" for name in carrying[:1]]


def _has_mlag_by_image(answers: Answers, catalog: Catalog) -> bool:
    """Whether the NOS that was named has MLAG in some images only."""
    return bool(answers.nos) and catalog.naming(answers.nos).configuration.pairs.mlag_by_image
