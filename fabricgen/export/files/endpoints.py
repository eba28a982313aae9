"""endpoints.csv: the path from each accelerator to the fabric: its scale-up domain, and every NIC port that serves it.

There is a row for each logical NIC port (a NIC split over planes has several), and one with empty NIC fields for an
accelerator without NIC ports. If nodes are spare, a last column says which.

The node's profile says which port serves which accelerator (`gpu`). If the profile says nothing of compute ports, they
are assigned in order of rail: an equal number of NICs, or else of logical ports, to each accelerator.
"""

from __future__ import annotations

import numpy as np

from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.export.table import encode_positive, yield_table
from fabricgen.numbering.lazy_columns import EncodedColumn, encode_column
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Flags, Ints
from fabricgen.wiring.links.scale_up_places import find_device_domains, name_domains
from fabricgen.wiring.tables import NODE

ON_REQUEST = False


def rows(cluster: Cluster) -> int:
    """Return the work of writing endpoints.csv, counted in rows of links.csv: a quarter of the links."""
    return len(cluster.plan.links) // 4


def make_table(cluster: Cluster) -> Table:
    """Return accelerators by node, each with its NIC ports by fabric and rail."""
    links, segments = cluster.plan.links, cluster.plan.links.segments
    device, accelerator, link = _list_rows(cluster)
    ports, leaf_ports = cluster.port_names.port_columns
    link_columns = {
        "fabric": encode_column([s.fabric for s in segments], links.segment),
        "nic": _name_nics(cluster),
        "port": ports,
        "rail": encode_positive(links.rail),
        "plane": encode_positive(links.plane),
        "leaf": EncodedColumn(cluster.name_column, links.b_device),
        "leaf_port": leaf_ports,
        "speed_gbps": encode_column([s.speed_gbps for s in segments], links.segment),
    }
    columns = {
        "node": EncodedColumn(cluster.name_column, device),
        "accelerator": encode_column(range(int(accelerator.max(initial=-1)) + 1), accelerator),
        "domain": make_domain_column(cluster).take(device),
        **{name: column.take_or_empty(link) for name, column in link_columns.items()},
    }
    if cluster.design.layout.spare:
        columns["spare"] = encode_column(["no", "yes"], _is_spare(cluster)[device].astype(np.int32))
    return Table("endpoints", columns)


files = yield_table(make_table)


def _is_spare(cluster: Cluster) -> Flags:
    """Return whether each device is a spare node; bool."""
    layout, devices = cluster.design.layout, cluster.plan.devices
    slots = np.array(sorted((layout.unit_index(slot), slot.node - 1) for slot in layout.spare), dtype=np.int64)
    most_members = max(kind.members for kind in layout.kinds)
    # one number for the unit and the node in it
    return np.isin(devices.unit * np.int64(most_members) + devices.node, slots[:, 0] * most_members + slots[:, 1]) & (
        devices.node >= 0
    )


def _list_rows(cluster: Cluster) -> tuple[Ints, Ints, Ints]:
    """Return the node, accelerator and link (-1 for none) of every row, in order; int32."""
    devices, links = cluster.plan.devices, cluster.plan.links
    kinds = np.array([c.kind for c in devices.classes], dtype=np.int32)[devices.device_class]
    row_groups: list[tuple[Ints, Ints, Ints]] = []
    for i, segment in enumerate(links.segments):
        if isinstance(segment.a, Attachment):
            rows = np.arange(*links.find_rows(i).indices(len(links)), dtype=np.int32)
            accelerator = assign_accelerators(segment.a)[links.a_port[rows]]
            is_served = (accelerator >= 0) & (kinds[links.a_device[rows]] == NODE)
            row_groups.append((links.a_device[rows[is_served]], accelerator[is_served], rows[is_served]))
    all_accelerators = _list_accelerators(cluster)
    most_per_node = 1 + max(int(numbers.max(initial=0)) for _, numbers, *_ in (all_accelerators, *row_groups))
    # one number for the device and the accelerator
    served = np.zeros(len(devices) * most_per_node, dtype=bool)
    for device, accelerator, _ in row_groups:
        served[device * most_per_node + accelerator] = True
    is_unserved = ~served[all_accelerators[0] * most_per_node + all_accelerators[1]]
    row_groups.append(
        (
            all_accelerators[0][is_unserved],
            all_accelerators[1][is_unserved],
            np.full(int(is_unserved.sum()), -1, dtype=np.int32),
        )
    )
    device, accelerator, link = (np.concatenate(column) for column in zip(*row_groups, strict=True))
    order = np.argsort(device * most_per_node + accelerator, kind="stable")  # stable: keeps links ascending
    return device[order], accelerator[order], link[order]


def _list_accelerators(cluster: Cluster) -> tuple[Ints, Ints]:
    """Return the node and the number of every accelerator; int32."""
    nodes, numbers = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    for cls in cluster.plan.devices.classes:
        if cls.kind == NODE and isinstance(cls.profile, NodeProfile) and cls.profile.accelerators:
            per_node = cls.profile.accelerators.count
            nodes.append(np.repeat(np.arange(cls.first, cls.first + cls.count, dtype=np.int32), per_node))
            numbers.append(np.tile(np.arange(per_node, dtype=np.int32), cls.count))
    return np.concatenate(nodes), np.concatenate(numbers)


def assign_accelerators(attachment: Attachment) -> Ints:
    """Return the accelerator that each leg of an attachment serves, as the vendor numbers it, -1 for none; int32.

    A leg is one logical port of a node. Compute ports for which the profile states no accelerators are assigned in
    order: an equal number of rails to each accelerator; if rails cannot be divided so, an equal number of legs; else
    none.
    """
    legs, accelerators = attachment.legs, attachment.profile.accelerators
    stated_gpus = [-1 if leg.gpu is None else leg.gpu for leg in legs]
    if accelerators is None or attachment.role != "compute" or max(stated_gpus, default=0) >= 0:
        return np.array(stated_gpus, dtype=np.int32)
    # the profile does not say which NIC serves which accelerator: rails are shared out evenly, else legs in their order
    rails = sorted({leg.rail for leg in legs})
    if len(rails) % accelerators.count == 0:
        rails_per_accelerator = len(rails) // accelerators.count
        return np.array([rails.index(leg.rail) // rails_per_accelerator for leg in legs], dtype=np.int32)
    if len(legs) % accelerators.count == 0:
        return np.arange(len(legs), dtype=np.int32) // (len(legs) // accelerators.count)
    return np.array(stated_gpus, dtype=np.int32)


def _name_nics(cluster: Cluster) -> EncodedColumn:
    """Return the interface name of the NIC port of each link, else the printed name of the port; "" without a NIC."""
    links, codes_by_name = cluster.plan.links, {"": 0}
    link_codes = np.zeros(len(links), dtype=np.int32)
    for i, segment in enumerate(links.segments):
        if isinstance(segment.a, Attachment):
            ports = {p.rail: p.interface or p.name for p in segment.a.profile.roles[segment.a.role].ports}
            names = (ports[leg.rail] for leg in segment.a.legs)
            leg_codes = np.array([codes_by_name.setdefault(name, len(codes_by_name)) for name in names], dtype=np.int32)
            rows = links.find_rows(i)
            link_codes[rows] = leg_codes[links.a_port[rows]]
    return encode_column(list(codes_by_name), link_codes)


def make_domain_column(cluster: Cluster) -> EncodedColumn:
    """Return the scale-up domain of every device, the widest if it is in several; "" for none."""
    design, devices = cluster.design, cluster.plan.devices
    names, device_codes = [""], np.zeros(len(devices), dtype=np.int32)
    width = np.zeros(len(devices), dtype=np.int32)
    for scale_up in design.scale_up:
        for cls in devices.classes:
            if cls.kind == NODE:
                domain, _ = find_device_domains(design, devices, scale_up.places, cls.rows)
                is_wider = (domain >= 0) & (scale_up.places.nodes > width[cls.rows])
                device_codes[cls.rows] = np.where(is_wider, domain + len(names), device_codes[cls.rows])
                width[cls.rows] = np.where(is_wider, scale_up.places.nodes, width[cls.rows])
        names += name_domains(design, scale_up)
    return encode_column(names, device_codes)
