"""The tables of the view. Columns are called as in the files of a build, and hold what these hold.

Text is str in object arrays, "" where a row has no such value. Numbers of units, rails and planes count from 1, and are
0 where there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, SupportsIndex

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.sources.power_cords import list_corded
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment, Leg
from fabricgen.design.names.switches import name_interface
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.export.files import devices
from fabricgen.export.files.addresses import is_management_port
from fabricgen.export.graph import KINDS
from fabricgen.export.host_links import name_bond_ports
from fabricgen.export.rdma.files import find_nic_port
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.guids import name_bmc_port
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, Strings
from fabricgen.plugins.columns import (
    Array,
    Column,
    Columns,
    TableColumns,
    column,
    table_column,
    to_flag_array,
    to_float_array,
    to_integer_array,
    to_long_array,
    to_text_array,
)
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64
from fabricgen.wiring.bonds import LACP, MLAG, PEER
from fabricgen.wiring.links.meshes import list_sets
from fabricgen.wiring.links.scale_up_places import find_device_domains
from fabricgen.wiring.tables import NODE, Segment


class _ClusterTable(Columns):
    """A table whose columns are made of the whole cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster


class Devices(TableColumns):
    """Nodes, extra devices, switches and scale-up trays, in the order of devices.csv."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(devices.make_table(cluster))
        self._cluster, self._plan = cluster, cluster.plan.devices

    def path_of(self, row: SupportsIndex) -> Path:
        """Return the place in the blueprint that states a device, for findings."""
        return self._plan.classes[int(self._plan.device_class[row])].path

    name = table_column(to_text_array, "Its name.", "device")

    @column
    def kind(self) -> Strings:
        """`node` of a scalable unit, `extra` device, `switch`, or `tray` of a scale-up domain."""
        return to_text_array([KINDS[cls.kind] for cls in self._plan.classes])[self._plan.device_class]

    @column
    def aisle(self) -> Strings:
        """The aisle that its ports face, `hot` or `cold`, where that is known."""
        return to_text_array([cls.aisle for cls in self._plan.classes])[self._plan.device_class]

    fabric = table_column(to_text_array, "The fabric that owns a switch.")
    tier = table_column(to_text_array, "The tier of a switch; `node` of nodes and extra devices.")
    model = table_column(to_text_array, "Id of its profile in the catalogue.")
    nos = table_column(to_text_array, "Network OS of a switch.")
    site = table_column(to_text_array, "Name of its site.")
    pod = table_column(to_text_array, "Name of its pod.")
    su = table_column(to_integer_array, "Number of its unit in the pod, int32.")
    rack = table_column(to_text_array, "Name of its rack.")
    u = table_column(to_integer_array, "Its lowest rack unit, int32.")
    rail = table_column(to_integer_array, "The rail of a switch that serves one alone, int32.")
    plane = table_column(to_integer_array, "The plane of a switch that serves one alone, int32.")
    asn = table_column(to_long_array, "AS number, int64; 0 for none.")
    loopback = table_column(to_text_array, "Loopback address: IPv4 where it has one, else IPv6.")
    mgmt = table_column(to_text_array, "Management address: IPv4 where it has one, else IPv6.")

    @column
    def serial(self) -> Strings:
        """Its serial number as the inventory has it, '' for none."""
        serials = {row.device: row.serial for row in self._cluster.design.loaded.inventory if not row.port}
        return to_text_array([serials.get(name, "") for name in self._cluster.names])

    @column
    def bmc_mac(self) -> Strings:
        """The MAC of its BMC as the inventory has it, '' for none."""
        macs = self._cluster.design.loaded.macs
        bmc_ports = [name_bmc_port(cls.profile) for cls in self._plan.classes]
        classes = self._plan.device_class.tolist()
        return to_text_array(
            [macs.get((n, bmc_ports[c]), "") for n, c in zip(self._cluster.names, classes, strict=True)]
        )

    @column
    def power_supplies(self) -> Ints:
        """Its power supplies with a cord each, int32; 0 where a busbar feeds it, or nobody says."""
        counts = np.zeros(len(self), dtype=np.int32)
        for cls, rows in list_corded(self._cluster):
            counts[rows] = cls.profile.psu.count if cls.profile.psu else 0
        return counts

    @column
    def torus(self) -> Strings:
        """Its position in each ring that it is in: `3/4 1/4` for the third of four in the first ring, and the first of
        four in the second.

        A switch has one if the `mesh` of its tier makes rings, and a node if its scale-up domain is a torus without
        switches. It is "" for other devices.
        """
        places = np.full(len(self), "", dtype=object)
        # of several domains the widest, and of equal ones the first, has the nodes, as in the column of domains: it is
        # written last
        widest_first = sorted(self._cluster.design.scale_up, key=lambda of: -of.places.nodes)
        for scale_up in reversed(widest_first):
            # the last name, "", is that of nodes in no domain
            names = np.array([*(list_node_places(scale_up) or [""] * scale_up.places.nodes), ""], dtype=object)
            for cls in (cls for cls in self._plan.classes if cls.kind == NODE):
                domain, rank = find_device_domains(self._cluster.design, self._plan, scale_up.places, cls.rows)
                places[cls.rows] = np.where(domain >= 0, names[np.where(domain >= 0, rank, -1)], places[cls.rows])
        for tier in (tier for fabric in self._cluster.design.fabrics for tier in fabric.tiers):
            if {(mesh.reach, mesh.spread) for mesh in tier.meshes} != {(1, False)}:
                continue
            texts = np.full(tier.switches, "", dtype=object)
            for mesh in tier.meshes:
                for switches, numbers in list_sets(tier, mesh):
                    steps = [f"{step}/{len(numbers)} " for step in range(1, len(numbers) + 1)]
                    texts[switches] += np.array(steps, dtype=object)
            places[self._plan.find_tier(tier.key).rows] = [text.rstrip() for text in texts]
        return places


def list_node_places(scale_up: ScaleUpDesign) -> list[str]:
    """Return the position of each node of a domain in its torus, such as `1/1 1/1 3/4`, by its number in the domain.

    `3/4` is the third of four nodes along a dimension; the accelerators of a node are a block of the torus. The list is
    empty if the domain is no torus, has a single node, or has switches that join its cubes, since their settings decide
    on positions.
    """
    profile = scale_up.profile
    if profile.shape != "torus" or profile.switches or not profile.block:
        return []
    lengths = [length // own for length, own in zip(profile.dims, profile.block, strict=True)]
    if prod(lengths) != scale_up.places.nodes or scale_up.places.nodes == 1:
        return []
    # the first dimension turns fastest
    cells = product(*(range(1, length + 1) for length in reversed(lengths)))
    return [" ".join(f"{at}/{length}" for at, length in zip(cell[::-1], lengths, strict=True)) for cell in cells]


def segment_column(convert: Callable[[Any], Array], read: Callable[[Segment], object], doc: str) -> Column[Array]:
    """Return a column of `Links` that is the same for all links of a segment, those from one line of the blueprint.

    `read` returns the value of a segment, and `convert` makes an array of the values of all segments.
    """

    def read_links(table: Links) -> Array:
        links = table._cluster.plan.links
        values: Any = convert([read(segment) for segment in links.segments])
        return values[links.segment]  # type: ignore[no-any-return]

    return column(read_links, doc)


class Links(_ClusterTable):
    """Links, port to port, in the order of links.csv: end a is the lower one."""

    def path_of(self, row: SupportsIndex) -> Path:
        """Return the place in the blueprint that states a link, for findings."""
        links = self._cluster.plan.links
        segment = links.segments[int(links.segment[row])]
        return segment.media_path or segment.path

    def _spread_by_cable(self, values: Floats, none: float) -> Floats:
        """Return for each link the value of its cable; `none` if it has no cable."""
        return np.append(values, none)[self._cluster.plan.links.cable]

    @column
    def name(self) -> Strings:
        """Its name, which no other link has: `a_device:a_port`."""
        device = EncodedColumn(self._cluster.name_column, self._cluster.plan.links.a_device)
        return to_text_array(ConcatenatedColumn((device, ":", self._cluster.port_names.port_columns[0])))

    fabric = segment_column(
        to_text_array, lambda segment: segment.fabric, "The fabric, or the scale-up domain, whose link it is."
    )

    @column
    def a(self) -> Ints:
        """The device at its lower end, a row of `devices`, int32."""
        return self._cluster.plan.links.a_device

    @column
    def a_device(self) -> Strings:
        """The name of the device at its lower end."""
        return self._cluster.name_column[self._cluster.plan.links.a_device]

    @column
    def a_port(self) -> Strings:
        """The name of the port at its lower end, as in links.csv: `Ethernet0` of a switch, `eth1` of a node."""
        return self._cluster.a_port

    @column
    def a_ip(self) -> Strings:
        """The address of the lower end with its prefix length: IPv4 where it has one, else IPv6."""
        return to_text_array(self._cluster.addresses.list_link_addresses()[0])

    @column
    def a_cage(self) -> Strings:
        """The socket at its lower end, as its front panel says it."""
        return self._cluster.port_names.cage_columns[0].texts()

    a_form = segment_column(
        to_text_array, lambda segment: segment.a.form_factor, "The form factor of the port at its lower end."
    )

    a_management = segment_column(
        to_flag_array,
        lambda segment: is_management_port(segment.a),
        "Whether the port at its lower end is for management alone, bool.",
    )

    def _read_legs(self, read: Callable[[Attachment, Leg], str]) -> Strings:
        """Return a text for each link: for one that begins at a node or extra device what `read` makes of its port,
        else "".

        `read` is called with the attachment (which ports of which kind of device attach) and the leg, one of its ports.
        """
        links, legs = self._cluster.plan.links, np.full(len(self), "", dtype=object)
        for i, segment in enumerate(links.segments):
            if isinstance(side := segment.a, Attachment):
                rows = links.find_rows(i)
                legs[rows] = to_text_array([read(side, leg) for leg in side.legs])[links.a_port[rows]]
        return legs

    @column
    def a_interface(self) -> Strings:
        """What the operating system of a node or extra device calls its port."""
        blueprint = self._cluster.design.loaded.blueprint
        return self._read_legs(lambda side, leg: name_interface(blueprint, side.profile.id, leg.name))

    @column
    def a_nic(self) -> Strings:
        """Id of the profile of the NIC of a node's port, where the catalogue says."""
        return self._read_legs(lambda side, leg: find_nic_port(side, leg).nic)

    @column
    def a_bond(self) -> Strings:
        """The bond that its lower end is in: of a host, or of the peer link of a pair."""
        rows, bonds = np.arange(len(self)), self._cluster.plan.bonds
        is_bonded = np.isin(bonds.find_kinds(rows), (LACP, MLAG)) if bonds else np.zeros(len(rows), dtype=bool)
        return np.where(is_bonded, name_bond_ports(self._cluster, rows).texts(), self._name_switch_bonds("a"))

    def _name_switch_bonds(self, end: str) -> Strings:
        """Return the bond of a switch that each link is in at one end, `a` or `b`; "" for none, and for hosts."""
        plan, names = self._cluster.plan, np.full(len(self), "", dtype=object)
        if plan.bonds is None:
            return names
        device_classes = plan.devices.classes
        classes = plan.devices.device_class[plan.links.b_device if end == "b" else plan.links.a_device]
        rows = np.flatnonzero(plan.bonds.of_link >= 0)
        columns = (rows, classes[rows], plan.bonds.find_kinds(rows), plan.bonds.find_numbers(rows))
        for row, of_class, kind, number in zip(*(numbers.tolist() for numbers in columns), strict=True):
            if nos := device_classes[of_class].nos:
                facts = self._cluster.design.catalog.naming(nos).configuration
                form = (kind == PEER and facts.pair_bond) or facts.bond_interface
                names[row] = form.format(number=number)
        return names

    @column
    def b(self) -> Ints:
        """The device at its upper end, a row of `devices`, int32."""
        return self._cluster.plan.links.b_device

    @column
    def b_device(self) -> Strings:
        """The name of the device at its upper end."""
        return self._cluster.name_column[self._cluster.plan.links.b_device]

    @column
    def b_port(self) -> Strings:
        """The name of the port at its upper end, as in links.csv: `Ethernet0`."""
        return self._cluster.b_port

    @column
    def b_ip(self) -> Strings:
        """The address of the upper end with its prefix length: IPv4 where it has one, else IPv6."""
        return to_text_array(self._cluster.addresses.list_link_addresses()[1])

    @column
    def b_cage(self) -> Strings:
        """The socket at its upper end, as its front panel says it."""
        return self._cluster.port_names.cage_columns[1].texts()

    b_form = segment_column(
        to_text_array, lambda segment: segment.b.form_factor, "The form factor of the port at its upper end."
    )

    b_management = segment_column(
        to_flag_array,
        lambda segment: is_management_port(segment.b),
        "Whether the port at its upper end is for management alone, bool.",
    )

    @column
    def b_bond(self) -> Strings:
        """The bond that its upper end is in, as the NOS of the switch calls it."""
        return self._name_switch_bonds("b")

    speed_gbps = segment_column(
        to_float_array, lambda segment: float(segment.speed_gbps), "Speed in one direction, Gb/s, float64."
    )

    lane_gbps = segment_column(
        to_float_array,
        lambda segment: float(segment.lane_gbps),
        "Speed of a lane, Gb/s, float64; on the fibre where an optic has a gearbox.",
    )

    protocol = segment_column(
        to_text_array, lambda segment: segment.protocol, "`infiniband`, `ethernet` or `roce`; '' for scale-up links."
    )

    @column
    def rail(self) -> Ints:
        """The rail that it is of (the n-th NIC of every node), from 1, int32; 0 where it is of none."""
        return self._cluster.plan.links.rail

    @column
    def plane(self) -> Ints:
        """The plane that it is of (a disjoint copy of its fabric), from 1, int32; 0 where it is of none."""
        return self._cluster.plan.links.plane

    @column
    def cable(self) -> Ints:
        """Its cable, a row of `cables`, int32; -1 on a backplane. A breakout carries several links."""
        return self._cluster.plan.links.cable

    @column
    def length_m(self) -> Floats:
        """Length of its cable as ordered, m, float64; NaN on a backplane."""
        return self._spread_by_cable(self._cluster.plan.cables.length_m, np.nan)


class Cables(_ClusterTable):
    """Cables, in the order of cables.csv, a row each."""

    @cached_property
    def _first_links(self) -> Ints64:
        """The row of one link of each cable, that of its first end row; int64."""
        cables = self._cluster.plan.cables
        return cables.end_link[cables.find_first_rows()].astype(np.int64)

    @column
    def name(self) -> Strings:
        """Its stable id: the device and connector of its common end."""
        return to_text_array(self._cluster.cable_ids)

    @column
    def fabric(self) -> Strings:
        """The fabric whose links it carries."""
        links = self._cluster.plan.links
        return to_text_array([segment.fabric for segment in links.segments])[links.segment[self._first_links]]

    @column
    def part(self) -> Strings:
        """Its part number; a breakout has one for all of its ends."""
        return to_text_array(CableParts(self._cluster).parts[0])

    @column
    def medium(self) -> Strings:
        """What it is: DAC, ACC, AEC, AOC, SR, ..."""
        cables = self._cluster.plan.cables
        return to_text_array([media.medium for media in cables.media])[cables.medium]

    @column
    def fibre(self) -> Strings:
        """The kind of its fibre: mmf-om4, smf-os2, ..."""
        cables = self._cluster.plan.cables
        return to_text_array([media.fibre for media in cables.media])[cables.medium]

    @column
    def length_m(self) -> Floats:
        """Length as ordered, or as built, m, float64."""
        return self._cluster.plan.cables.length_m

    @column
    def run_m(self) -> Floats:
        """Length of its run, computed from the floor, m, float64."""
        return self._cluster.plan.cables.run_m

    @column
    def links(self) -> Ints64:
        """How many links it carries, int64."""
        cables = self._cluster.plan.cables
        return np.bincount(cables.end_cable, weights=cables.end_links, minlength=len(cables)).astype(np.int64)


class Ends(TableColumns):
    """Ends of cables, in the order of cables.csv: one row for each far end; a breakout has several."""

    cable = table_column(to_text_array, "The name of the cable.")
    a_device = table_column(to_text_array, "The device at its lower end.")
    a_cage = table_column(to_text_array, "The socket there.")
    a_transceiver = table_column(to_text_array, "The transceiver in it.")
    label_a = table_column(to_text_array, "The label of that end.")
    b_device = table_column(to_text_array, "The device at its upper end.")
    b_cage = table_column(to_text_array, "The socket there.")
    b_transceiver = table_column(to_text_array, "The transceiver in it.")
    label_b = table_column(to_text_array, "The label of that end.")


class Addresses(TableColumns):
    """Every address, in the order of addresses.csv."""

    prefix = table_column(to_text_array, "The address with its prefix length.")
    kind = table_column(
        to_text_array,
        "What it is for: loopback, router-id, management, gateway, own, link, host, exit, srv6 or vrf-loopback.",
    )
    device = table_column(to_text_array, "The name of the device that has it.")
    port = table_column(to_text_array, "The port or interface that has it.")
    vrf = table_column(to_text_array, "The VRF that it is in on its switch; '' for the default one.")


class Endpoints(TableColumns):
    """Accelerators and the NIC ports that serve them, in the order of endpoints.csv: a row for each port."""

    node = table_column(to_text_array, "The name of the node.")
    accelerator = table_column(
        to_integer_array, "The accelerator's number in the node, from 0 as its vendor counts, int32."
    )
    domain = table_column(to_text_array, "Its scale-up domain.")
    fabric = table_column(
        to_text_array,
        "The fabric of the NIC port; '' where no port serves the accelerator, and so for all that follow.",
    )
    nic = table_column(to_text_array, "The interface, or the printed name, of the NIC port.")
    port = table_column(to_text_array, "The port: `node:port` is the name of its link.")
    rail = table_column(to_integer_array, "Its rail, int32.")
    plane = table_column(to_integer_array, "Its plane, int32.")
    leaf = table_column(to_text_array, "The switch that it is cabled to.")
    leaf_port = table_column(to_text_array, "The port there.")
    speed_gbps = table_column(to_float_array, "Speed, Gb/s, float64; NaN without a port.")

    @column
    def spare(self) -> Flags:
        """Whether the node is kept as a spare, bool."""
        texts = self._table.columns.get("spare", ())
        return to_text_array(texts) == "yes" if texts else np.zeros(len(self), dtype=bool)
