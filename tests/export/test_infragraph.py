"""infragraph loads the infrastructure, and its graph has the links of links.csv."""

from __future__ import annotations

import csv
import json

from infragraph import Infrastructure
from infragraph.infragraph_service import InfraGraphService

from tests.conftest import built_files, example_cluster


def test_infragraph_loads_every_link_between_the_machines_that_it_joins() -> None:
    files = built_files(example_cluster("monday"), "infragraph", "links", "devices", "summary")
    told, names = Infrastructure(), json.loads(files["infragraph/names.json"])
    told.deserialize(files["infragraph/monday.json"].decode())
    service = InfraGraphService()
    service.set_graph(told)
    graph = service.get_networkx_graph()
    between = [
        (*(names[graph.nodes[end]["instance"]][graph.nodes[end]["instance_idx"]] for end in ends), data["bandwidth"])
        for *ends, data in graph.edges(data=True)
        if data["link"] != "inside"
    ]
    planned = [
        (row["a_device"], row["b_device"], f"{float(row['speed_gbps']):g}")
        for row in csv.DictReader(files["links.csv"].decode().splitlines())
    ]
    found = [(*sorted((a, b)), f"{float(rate.split()[0]):g}") for a, b, rate in between]
    assert sorted(found) == sorted((*sorted((a, b)), rate) for a, b, rate in planned)
    devices = {row["device"] for row in csv.DictReader(files["devices.csv"].decode().splitlines())}
    assert {name for some in names.values() for name in some} == devices
    xpus = sum(data["type"] == "xpu" for _, data in graph.nodes(data=True))
    assert xpus == json.loads(files["summary.json"])["accelerators"] > 0
