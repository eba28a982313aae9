"""The fields of Kubernetes resources that the part `kubernetes` uses, as their types are published.

NicClusterPolicy: Mellanox/network-operator, api/v1alpha1/nicclusterpolicy_types.go. NicConfigurationTemplate:
Mellanox/nic-configuration-operator, api/v1alpha1/nicconfigurationtemplate_types.go. CIDRPool: Mellanox/
nvidia-k8s-ipam, api/v1alpha1/cidrpool_type.go. NetworkAttachmentDefinition: k8snetworkplumbingwg, multi-net-spec.
Device plugin: k8snetworkplumbingwg/sriov-network-device-plugin, README. Names: Kubernetes, Object Names and IDs.
"""

from __future__ import annotations

from typing import Any

NAME = {"type": "string", "pattern": r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "maxLength": 253}
FLAG, TEXT, NUMBER = {"type": "boolean"}, {"type": "string"}, {"type": "integer"}


def record(needed: str, **fields: Any) -> dict[str, Any]:
    """An object with no other fields than these, of which some (by name, after blanks) have to be there."""
    return {"type": "object", "properties": fields, "required": needed.split(), "additionalProperties": False}


def resource(version: str, kind: str, spec: dict[str, Any], *, namespaced: bool) -> dict[str, Any]:
    metadata = record("name", name=NAME, annotations={"type": "object", "additionalProperties": TEXT})
    if namespaced:
        metadata["properties"]["namespace"] = NAME
    fields = {"apiVersion": {"const": version}, "kind": {"const": kind}, "metadata": metadata, "spec": spec}
    return record("apiVersion kind metadata spec", **fields)


IMAGE = record(
    "image",
    image={"type": "string", "pattern": r"[a-zA-Z0-9\-]+"},
    repository={"type": "string", "pattern": r"[a-zA-Z0-9\.\-\/]+"},
    version=TEXT,
    config=TEXT,
    enableWebhook=FLAG,
)
POLICY = record(
    "",
    **{
        "global": record("", repository=TEXT, version=TEXT),
        "nicConfigurationOperator": record("operator configurationDaemon", operator=IMAGE, configurationDaemon=IMAGE),
        "sriovDevicePlugin": IMAGE,
        "secondaryNetwork": record("", cniPlugins=IMAGE, multus=IMAGE),
        "nvIpam": IMAGE,
    },
)
QOS = record(
    "trust pfc",
    trust={"const": "dscp"},
    pfc={"type": "string", "pattern": "^([01],){7}[01]$"},
    tos=NUMBER,
    ecn=record("enabled priority", enabled=FLAG, priority={"type": "integer", "minimum": 0, "maximum": 7}),
    pauseFrames=record("enabled", enabled=FLAG),
)
RING = {"type": "integer", "minimum": 1}
TEMPLATE = record(
    "numVfs linkType",
    numVfs=NUMBER,
    linkType={"enum": ["Ethernet", "Infiniband"]},
    pciPerformanceOptimized=record("enabled", enabled=FLAG, maxReadRequest={"enum": [128, 256, 512, 1024, 2048, 4096]}),
    roceOptimized=record("enabled", enabled=FLAG, qos=QOS, roceMode={"enum": [1, 2]}),
    runtimePerformanceOptimized=record("enabled", enabled=FLAG, rxRingSize=RING, txRingSize=RING),
    rawNvConfig={
        "type": "array",
        "maxItems": 128,
        "items": record(
            "name value", name={"type": "string", "maxLength": 64}, value={"type": "string", "maxLength": 128}
        ),
    },
)
NICS = record("nicSelector template", nicSelector=record("nicType", nicType=TEXT), template=TEMPLATE)
POOL = record(
    "cidr perNodeNetworkPrefix",
    cidr=TEXT,
    perNodeNetworkPrefix=NUMBER,
    staticAllocations={
        "type": "array",
        "items": record("prefix", nodeName=NAME, prefix=TEXT, gateway=TEXT),
    },
    routes={"type": "array", "items": record("dst", dst=TEXT)},
)
MODELS = {
    "NicClusterPolicy": resource("mellanox.com/v1alpha1", "NicClusterPolicy", POLICY, namespaced=False),
    "NicConfigurationTemplate": resource(
        "configuration.net.nvidia.com/v1alpha1", "NicConfigurationTemplate", NICS, namespaced=True
    ),
    "NetworkAttachmentDefinition": resource(
        "k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", record("config", config=TEXT), namespaced=True
    ),
    "CIDRPool": resource("nv-ipam.nvidia.com/v1alpha1", "CIDRPool", POOL, namespaced=True),
}
DEVICES = record(
    "resourceList",
    resourceList={
        "type": "array",
        "items": record(
            "resourceName selectors",
            resourcePrefix=TEXT,
            resourceName={"type": "string", "pattern": "^[a-zA-Z0-9_]+$"},
            selectors=record(
                "vendors pfNames",
                vendors={"type": "array", "items": {"type": "string", "pattern": "^[0-9a-f]{4}$"}},
                pfNames={"type": "array", "items": TEXT, "minItems": 1},
                isRdma=FLAG,
            ),
        ),
    },
)
CNI = record(
    "cniVersion name type ipam",
    cniVersion={"enum": ["0.3.1", "0.4.0", "1.0.0"]},
    name=NAME,
    type={"const": "host-device"},
    device=TEXT,
    ipam=record("", type={"const": "nv-ipam"}, poolName=NAME, poolType={"const": "cidrpool"}),
)
