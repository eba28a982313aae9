"""The neutral form in the words of those who run a fabric."""

from __future__ import annotations

LABELS = {
    "access_vlan": "the untagged VLAN",
    "addresses": "addresses",
    "admin_up": "state",
    "announced": "announced prefixes",
    "asn": "the own AS number",
    "bfd": "BFD",
    "bgp": "BGP",
    "bond": "the bond it is in",
    "class_of": "classes of DSCPs",
    "detect_ms": "the time to detect, ms",
    "discard": "dropping what no next hop takes",
    "dns": "resolvers",
    "ecn": "ECN",
    "families": "address families",
    "fec": "FEC",
    "gnmi_port": "the gNMI port",
    "hold_s": "the hold time, s",
    "hops": "next hops",
    "interval_ms": "the interval, ms",
    "keepalive_s": "the keepalive time, s",
    "keys": "SSH keys",
    "limit": "the limit, %",
    "link_local": "IPv6 link-local addressing",
    "login_banner": "the banner before a login",
    "max_paths": "equal paths",
    "max_prefixes": "the limit of prefixes",
    "mlag_id": "the MLAG id",
    "mtu": "the MTU",
    "multipath_relax": "equal paths over different AS numbers",
    "ntp": "time servers",
    "own": "own addresses",
    "own_as_in": "own AS number taken in paths",
    "pfc": "no-drop priorities (PFC)",
    "poll_ms": "the polling time, ms",
    "policy_in": "what it takes",
    "policy_out": "what it announces",
    "qos": "QoS",
    "queue_of": "queues of classes",
    "remote_asn": "the neighbour's AS number",
    "restore_ms": "the time to restore, ms",
    "router_id": "the router id",
    "share": "the share, %",
    "snmp_users": "SNMP users",
    "speed_gbps": "the speed, Gb/s",
    "syslog": "syslog collectors",
    "syslog_level": "the syslog level",
    "tagged_vlans": "tagged VLANs",
    "vrf": "the VRF",
    "vrfs": "VRFs",
    "watchdog": "the PFC watchdog",
    "watched": "priorities under the watchdog",
}
"""What fields are called where the name itself is no word of the field."""

THINGS = {
    "interfaces": "port",
    "subinterfaces": "sub-interface",
    "vlans": "VLAN",
    "bonds": "bond",
    "routes": "static route",
    "peers": "session",
    "ports": "QoS of port",
    "queues": "queue",
    "users": "user",
}
"""What the entries of mappings are."""

SAID = {
    ("admin_up", False): "is shut down",
    ("admin_up", True): "is up, and planned to be shut down",
    ("shut", True): "is shut down",
    ("shut", False): "is up, and planned to be shut down",
    ("bfd", None): "has no BFD",
    ("policy_in", None): "takes every prefix: it has no policy",
    ("policy_out", None): "announces every prefix: it has no policy",
    ("ecn", None): "has no ECN",
    ("watchdog", None): "has no PFC watchdog",
    ("qos", None): "has no QoS",
    ("drained", True): "is drained, and is planned to carry traffic",
    ("drained", False): "is not drained, and is planned to be in maintenance",
    ("link_local", False): "has no session over link-local addresses",
}
"""What is found, where a word says more than a value."""

MILD = {"description", "login_banner", "motd", "timezone"}
"""Differences that carry no packet."""

UNSAID = {"password_hash", "password", "cak"}
"""Secrets are not compared: the plan is read without them, and devices show some encrypted. They are never printed."""

NEEDED = {"password": "password", "cak": "key"}
"""Those of links and sessions, which do not come up where one end has none."""


def label(name: str) -> str:
    """What a field is called."""
    return LABELS.get(name, name.replace("_", " "))
