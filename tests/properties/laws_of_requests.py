"""Laws of what a blueprint asks for: it is wired, and what has no cable is told of."""

from __future__ import annotations

from collections import Counter, defaultdict

from fabricgen.design.attach import list_unattached
from fabricgen.design.fabric_model import Attachment
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, ManagementPort
from tests.properties.case import Case


def every_port_is_wired_omitted_or_reported(case: Case) -> None:
    """Of every node that is there, each port of a role has its links, or the role is among those without a cable.

    Omitted nodes have no row. A port that is split has a link for each part. Of extra devices a blueprint may state
    how many `ports` attach.
    """
    design, devices = case.cluster.design, case.cluster.plan.devices
    wired: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for link in case.network:
        if isinstance(link.segment.a, Attachment):
            leg = link.segment.a.legs[link.a_port]
            wired[link.a][link.segment.a.role, leg.name] += 1
    reported = {(one.path, role) for one in list_unattached(design) for role in one.missing}
    asked = {
        (extra.name, extra.attachment.role): {leg.name for leg in extra.attachment.legs}
        for fabric in design.fabrics
        for extra in fabric.extras
    }
    for cls in devices.classes:
        for row in range(cls.first, cls.first + cls.count) if cls.kind in (NODE, EXTRA) else ():
            assert set(wired[row].values()) <= {1}
            for role, nic in cls.profile.roles.items():
                found = {name for of, name in wired[row] if of == role}
                if (cls.path, role) in reported:
                    assert not found
                elif cls.kind == EXTRA:
                    assert cls.profile.external or found == asked[cls.label, role]
                else:
                    assert {name.partition("/")[0] for name in found} == {port.name for port in nic.ports}


def roles_that_fabrics_ask_for_attach(case: Case) -> None:
    """A fabric that states `attach`, or is named like a role of some node, attaches the nodes that have it."""
    design = case.cluster.design
    attached = {(fabric.name, a.role) for fabric in design.fabrics for _, a in fabric.attachments}
    for name, spec in design.loaded.blueprint.fabrics.items():
        role = spec.attach or name
        if spec.attach or any(role in nodes.profile.roles for nodes in design.layout.node_sets):
            assert (name, role) in attached


def what_is_stated_of_links_is_there(case: Case) -> None:
    """Extra devices, peer links, spans and management ports that a blueprint states have links, all switches some."""
    design, devices = case.cluster.design, case.cluster.plan.devices
    paths = Counter(link.segment.path for link in case.network)
    linked = {end for link in case.links for end in (link.a, link.b)}
    for name, spec in design.loaded.blueprint.fabrics.items():
        stated = [("extra", key) for key in spec.extra] + [("spans", key) for key in spec.spans]
        stated += [("tiers", key, "peer") for key, tier in spec.tiers.items() if tier.peer]
        for path in stated:
            assert paths["fabrics", name, *path]
        if spec.also:
            managed = [link.a for link in case.network if isinstance(link.segment.a, ManagementPort)]
            others = [c for c in devices.classes if c.kind in (SWITCH, TRAY) and c.fabric != name]
            assert sorted(managed) == sorted(row for c in others for row in range(c.first, c.first + c.count))
    for cls in devices.classes:
        for row in range(cls.first, cls.first + cls.count) if cls.kind == SWITCH else ():
            tier = design.tier(cls.key)
            assert row in linked or tier.uplink is None


LAWS = (
    every_port_is_wired_omitted_or_reported,
    roles_that_fabrics_ask_for_attach,
    what_is_stated_of_links_is_there,
)
