"""The tables of the view. Columns are called as in the files of a build, and hold what these hold.

Text is str in object arrays, "" where a row has no such value. Numbers of units, rails and planes count from 1, and are
0 where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import SupportsIndex, TypeVar

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.export.files import addresses, endpoints
from fabricgen.export.graph import KINDS
from fabricgen.export.table import Table
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, LazyColumn, Strings
from fabricgen.plugins.columns import Columns, column, to_float_array, to_integer_array, to_text_array
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64

Value = TypeVar("Value")


def _pick_values(values: Sequence[Value], index: Ints | Ints64, none: Value) -> list[Value]:
    """Values by index, and `none` where an index is negative."""
    with_none = [*values, none]
    return [with_none[i] for i in index.tolist()]


class _ClusterTable(Columns):
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster


class Devices(_ClusterTable):
    """Nodes, extra devices, switches and scale-up trays, in the order of devices.csv."""

    def path_of(self, row: SupportsIndex) -> Path:
        """The place in the blueprint that a device comes from, for findings."""
        devices = self._cluster.plan.devices
        return devices.classes[int(devices.device_class[row])].path

    def _spread_by_class(self, values: list[str]) -> Strings:
        return to_text_array(values)[self._cluster.plan.devices.device_class]

    @column
    def name(self) -> Strings:
        """Its name."""
        return self._cluster.name_column

    @column
    def kind(self) -> Strings:
        """`node` of a scalable unit, `extra` device, `switch`, or `tray` of a scale-up domain."""
        return self._spread_by_class([KINDS[cls.kind] for cls in self._cluster.plan.devices.classes])

    @column
    def fabric(self) -> Strings:
        """The fabric that owns a switch."""
        return self._spread_by_class([cls.fabric for cls in self._cluster.plan.devices.classes])

    @column
    def tier(self) -> Strings:
        """The tier of a switch; `node` of nodes and extra devices."""
        return self._spread_by_class([cls.tier for cls in self._cluster.plan.devices.classes])

    @column
    def model(self) -> Strings:
        """Id of its profile in the catalogue."""
        return self._spread_by_class([cls.profile.id for cls in self._cluster.plan.devices.classes])

    @column
    def nos(self) -> Strings:
        """Network OS of a switch."""
        return self._spread_by_class([cls.nos for cls in self._cluster.plan.devices.classes])

    @column
    def site(self) -> Strings:
        """Name of its site."""
        return to_text_array(self._cluster.sites)

    @column
    def pod(self) -> Strings:
        """Name of its pod."""
        pods = [pod.name for pod in self._cluster.design.layout.pods]
        return to_text_array(_pick_values(pods, self._cluster.plan.devices.pod, ""))

    @column
    def su(self) -> Ints:
        """Number of its unit in the pod, int32."""
        return self._cluster.plan.devices.su + 1

    @column
    def rack(self) -> Strings:
        """Name of its rack."""
        return to_text_array(_pick_values(self._cluster.plan.racks.names, self._cluster.plan.devices.rack, ""))

    @column
    def u(self) -> Ints:
        """Its lowest rack unit, int32."""
        return np.maximum(self._cluster.plan.devices.u, 0)

    @column
    def rail(self) -> Ints:
        """The rail of a switch that serves one alone, int32."""
        return self._cluster.plan.devices.rail + 1

    @column
    def plane(self) -> Ints:
        """The plane of a switch that serves one alone, int32."""
        return self._cluster.plan.devices.plane + 1

    @column
    def asn(self) -> Ints64:
        """AS number, int64; 0 for none."""
        return self._cluster.addresses.asn.astype(np.int64)

    @column
    def loopback(self) -> Strings:
        """Loopback address: IPv4 where it has one, else IPv6."""
        return to_text_array(self._cluster.addresses.list_device_addresses()[0])

    @column
    def mgmt(self) -> Strings:
        """Management address: IPv4 where it has one, else IPv6."""
        return to_text_array(self._cluster.addresses.list_device_addresses()[1])


class Links(_ClusterTable):
    """Links, port to port, in the order of links.csv: end a is the lower one."""

    def path_of(self, row: SupportsIndex) -> Path:
        """The place in the blueprint that a link comes from, for findings."""
        links = self._cluster.plan.links
        segment = links.segments[int(links.segment[row])]
        return segment.media_path or segment.path

    def _spread_by_cable(self, values: Floats, none: float) -> Floats:
        return np.append(values, none)[self._cluster.plan.links.cable]

    @column
    def name(self) -> Strings:
        """Its name, which no other link has: `a_device:a_port`."""
        device = EncodedColumn(self._cluster.name_column, self._cluster.plan.links.a_device)
        return to_text_array(ConcatenatedColumn((device, ":", self._cluster.port_names.port_columns[0])))

    @column
    def fabric(self) -> Strings:
        """The fabric, or the scale-up domain, whose link it is."""
        links = self._cluster.plan.links
        return to_text_array([segment.fabric for segment in links.segments])[links.segment]

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
        """The port at its lower end."""
        return self._cluster.a_port

    @column
    def a_ip(self) -> Strings:
        """The address of the lower end with its prefix length: IPv4 where it has one, else IPv6."""
        return to_text_array(self._cluster.addresses.list_link_addresses()[0])

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
        """The port at its upper end."""
        return self._cluster.b_port

    @column
    def b_ip(self) -> Strings:
        """The address of the upper end with its prefix length: IPv4 where it has one, else IPv6."""
        return to_text_array(self._cluster.addresses.list_link_addresses()[1])

    @column
    def speed_gbps(self) -> Floats:
        """Speed in one direction, Gb/s, float64."""
        links = self._cluster.plan.links
        return np.array([float(segment.speed_gbps) for segment in links.segments])[links.segment]

    @column
    def rail(self) -> Ints:
        """Its rail, int32."""
        return self._cluster.plan.links.rail

    @column
    def plane(self) -> Ints:
        """Its plane, int32."""
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
        """A link of each cable."""
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
        """Its part number, of a breakout that of the whole."""
        return to_text_array(CableParts(self._cluster).parts[0])

    @column
    def medium(self) -> Strings:
        """What it is: DAC, ACC, AEC, AOC, SR, ..."""
        cables = self._cluster.plan.cables
        return to_text_array([media.medium for media in cables.media])[cables.medium]

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


class _FileTable(Columns):
    def __init__(self, table: Table) -> None:
        self._table = table

    def _read_column(self, name: str) -> EncodedColumn:
        values = self._table.columns[name]
        assert isinstance(values, EncodedColumn)  # noqa: S101 - such are the columns of numbers
        return values

    def _read_texts(self, name: str) -> Strings:
        values = self._table.columns[name]
        return to_text_array(values if isinstance(values, LazyColumn) else list(values))


class Addresses(_FileTable):
    """Every address, in the order of addresses.csv."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(addresses.make_table(cluster))

    @column
    def prefix(self) -> Strings:
        """The address with its prefix length."""
        return self._read_texts("prefix")

    @column
    def kind(self) -> Strings:
        """What it is for: loopback, router-id, management, gateway, own, link, host, exit or vrf-loopback."""
        return self._read_texts("kind")

    @column
    def device(self) -> Strings:
        """The name of the device that has it."""
        return self._read_texts("device")

    @column
    def port(self) -> Strings:
        """The port or interface that has it."""
        return self._read_texts("port")


class Endpoints(_FileTable):
    """Accelerators and the NIC ports that serve them, in the order of endpoints.csv: a row a port."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(endpoints.make_table(cluster))

    @column
    def node(self) -> Strings:
        """The name of the node."""
        return self._read_texts("node")

    @column
    def accelerator(self) -> Ints:
        """The accelerator's number in the node, from 0 as its vendor counts, int32."""
        return to_integer_array(self._read_column("accelerator"))

    @column
    def domain(self) -> Strings:
        """Its scale-up domain."""
        return self._read_texts("domain")

    @column
    def fabric(self) -> Strings:
        """The fabric of the NIC port; "" where no port serves the accelerator, and so for all that follow."""
        return self._read_texts("fabric")

    @column
    def nic(self) -> Strings:
        """The interface, or the printed name, of the NIC port."""
        return self._read_texts("nic")

    @column
    def port(self) -> Strings:
        """The port: `node:port` is the name of its link."""
        return self._read_texts("port")

    @column
    def rail(self) -> Ints:
        """Its rail, int32."""
        return to_integer_array(self._read_column("rail"))

    @column
    def plane(self) -> Ints:
        """Its plane, int32."""
        return to_integer_array(self._read_column("plane"))

    @column
    def leaf(self) -> Strings:
        """The switch that it is cabled to."""
        return self._read_texts("leaf")

    @column
    def leaf_port(self) -> Strings:
        """The port there."""
        return self._read_texts("leaf_port")

    @column
    def speed_gbps(self) -> Floats:
        """Speed, Gb/s, float64; NaN without a port."""
        return to_float_array(self._read_column("speed_gbps"))

    @column
    def spare(self) -> Flags:
        """Whether the node is kept as a spare, bool."""
        spare_column = self._table.columns.get("spare")
        if spare_column is None:
            return np.zeros(len(self._table), dtype=bool)
        is_spare: Flags = self._read_texts("spare") == "yes"
        return is_spare
