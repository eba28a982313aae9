"""What of NVUE's object model the templates may write: every key, and the form of every value.

Written by hand from NVIDIA's documents on Cumulus Linux 5.15 and 5.16: the NVUE Command Reference ("nv set" commands,
whose words are the keys of the tree), the user guide's printed startup.yaml files, and "New and Changed NVUE Commands"
for what moved in 5.15. A key `<form>` stands for keys of that form; a value is the form of a scalar, a list of one
form, or more of the tree. Every key may be left out.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

NAME = r"[A-Za-z][A-Za-z0-9_-]*"


def _address(text: Any) -> bool:
    return isinstance(text, str) and "/" not in text and bool(ipaddress.ip_address(text))


def _interface_address(text: Any) -> bool:
    return isinstance(text, str) and "/" in text and bool(ipaddress.ip_interface(text))


def _prefix(text: Any) -> bool:
    return isinstance(text, str) and "/" in text and bool(ipaddress.ip_network(text))


def _host(text: Any) -> bool:
    return isinstance(text, str) and bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.:-]*", text))


def _digits(low: int, high: int) -> Callable[[Any], bool]:
    return lambda key: isinstance(key, str) and key.isdecimal() and low <= int(key) <= high


def whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def text(form: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and bool(re.fullmatch(form, value))


def one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


FREE = text(r"(?s:.+)")
LINE = text(r".+")
STATE = one_of("enabled", "disabled")
ENABLE = one_of("enable", "disable")
EMPTY: dict[str, Any] = {}
ASN = whole(1, 4294967295)
VRF = text(NAME)

KEY_FORMS: dict[str, Callable[[Any], bool]] = {
    "<address>": _address,
    "<interface address>": _interface_address,
    "<prefix>": _prefix,
    "<host>": _host,
    "<name>": text(NAME),
    "<port>": text(r"swp[0-9]+(s[0-9]+)?"),
    "<vlan>": _digits(1, 4094),
    "<interface>": text(r"(swp|vlan|peerlink|lo)[a-z0-9._]*"),
    "<l4 port>": _digits(0, 65535),
    "<rule>": _digits(1, 65535),
    "<distance>": _digits(1, 255),
    "<priority>": _digits(0, 7),
    "<dscp>": _digits(0, 63),
    "<community>": text(r"\d{1,5}:\d{1,5}"),
    "<ways>": text(r"[2-8]x|disabled"),
    "<passphrase>": FREE,
    "<target>": text(r"[0-9]+:[0-9]+"),
    "<vni>": _digits(1, 16777215),
}

PROFILE = {"profile": text(NAME)}
FAMILY = {"address": {"<interface address>": EMPTY}, "gateway": {"<address>": EMPTY}}
ADDRESSED = {"ipv4": FAMILY, "ipv6": FAMILY, "description": LINE, "vrf": VRF}
MTU = whole(552, 9216)
OF_VLAN = {**ADDRESSED, "vlan": whole(1, 4094), "link": {"mtu": MTU}}
DISCOVERY = {
    "prefix": {"<prefix>": {"autoconfig": STATE}},
    "rdnss": {"<address>": EMPTY},
    "router-advertisement": {
        "lifetime": whole(0, 9000),
        "managed-config": STATE,
        "other-config": STATE,
        "state": STATE,
    },
}
NAMES = {"<interface>": EMPTY}
SERVICE = {
    "dhcp-relay": {
        "<name>": {
            "agent": {"state": STATE, "use-pif-circuit-id": {"state": STATE}},
            "gateway-interface": {"<interface>": {"address": _address}, "<name>": {"address": _address}},
            "downstream-interface": {"<interface>": {"server-group-name": text(NAME)}},
            "server-group": {"<name>": {"server": {"<address>": EMPTY}, "upstream-interface": NAMES}},
        }
    },
    "dhcp-relay6": {
        "<name>": {
            "interface": {
                "downstream": NAMES,
                "upstream": {key: {"server-address": {"<address>": EMPTY}} for key in ("<interface>", "<name>")},
            }
        }
    },
}
SHARED = {**FAMILY, "vrr": {"address": {"<interface address>": EMPTY}, "state": STATE}}
BRIDGED = {
    "access": whole(1, 4094),
    "untagged": lambda value: value == "none" or whole(1, 4094)(value),
    "vlan": {"<vlan>": EMPTY},
    "stp": {"admin-edge": STATE, "bpdu-guard": STATE},
}
ACL = {"<name>": {"inbound": EMPTY}}
PORT = {
    **ADDRESSED,
    "acl": ACL,
    "storm-control": dict.fromkeys(("broadcast", "multicast", "unknown-unicast"), whole(1, 4294967295)),
    "type": one_of("swp"),
    "evpn": {"multihoming": {"uplink": STATE}},
    "bridge": {"domain": {"br_default": BRIDGED}},
    "link": {
        "breakout": {"<ways>": {"lanes-per-port": one_of("1", "2", "4")}},
        "fec": one_of("rs", "baser", "off", "auto"),
        "lanes": one_of("1", "2", "4", "8"),
        "mtu": MTU,
        "speed": text(r"(1|10|25|40|50|100|200|400|800)G"),
        "state": {"up": EMPTY, "down": EMPTY},
    },
    "packet-trim": {"egress-eligibility": {"traffic-class": {"<priority>": EMPTY}}},
    "qos": {
        **dict.fromkeys(("congestion-control", "egress-scheduler", "egress-shaper", "mapping", "pfc"), PROFILE),
        "pfc-watchdog": {"state": ENABLE},
    },
    "router": {"adaptive-routing": {"state": STATE}},
}
BOND = {
    "acl": ACL,
    "type": one_of("bond"),
    "description": LINE,
    "evpn": {
        "multihoming": {
            "segment": {
                "local-id": whole(1, 16777215),
                "mac-address": text(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}"),
                "state": STATE,
            }
        }
    },
    "bond": {
        "lacp-bypass": STATE,
        "lacp-rate": one_of("fast", "slow"),
        "member": {"<port>": EMPTY},
        "mode": one_of("lacp", "static"),
        "mlag": {"id": whole(1, 65535), "state": STATE},
    },
    "bridge": {"domain": {"br_default": BRIDGED}},
    "link": {"mtu": MTU, "state": {"up": EMPTY, "down": EMPTY}},
}
INTERFACES = {
    r"swp[0-9]+(s[0-9]+)?": PORT,
    r"bond[0-9]+": BOND,
    r"peerlink": {**BOND, "type": one_of("peerlink")},
    r"peerlink\.[0-9]+": {**OF_VLAN, "type": one_of("sub"), "base-interface": one_of("peerlink")},
    r"swp[0-9]+(s[0-9]+)?\.[0-9]+": {
        **OF_VLAN,
        "type": one_of("sub"),
        "base-interface": text(r"swp[0-9]+(s[0-9]+)?"),
    },
    r"vlan[0-9]+": {
        **OF_VLAN,
        "ipv4": SHARED,
        "ipv6": {**SHARED, "neighbor-discovery": DISCOVERY},
        "type": one_of("svi"),
    },
    r"lo": {**ADDRESSED, "type": one_of("loopback")},
    r"eth0": {**ADDRESSED, "type": one_of("eth")},
}
QOS = {
    "congestion-control": {
        "<name>": {
            "traffic-class": {
                "<priority>": {
                    "ecn": ENABLE,
                    "max-threshold": whole(1, 1 << 31),
                    "min-threshold": whole(1, 1 << 31),
                    "probability": whole(1, 100),
                }
            }
        }
    },
    "egress-queue-mapping": {"default-global": {"switch-priority": {"<priority>": {"traffic-class": whole(0, 7)}}}},
    "egress-scheduler": {
        "<name>": {"traffic-class": {"<priority>": {"bw-percent": whole(0, 100), "mode": one_of("dwrr", "strict")}}}
    },
    "egress-shaper": {"<name>": {"traffic-class": {"<priority>": {"max-rate": whole(1, 1 << 40)}}}},
    "mapping": {"<name>": {"dscp": {"<dscp>": {"switch-priority": whole(0, 7)}}, "trust": one_of("l3")}},
    "pfc": {
        "<name>": {
            "cable-length": whole(1, 20_000_000),
            "rx": ENABLE,
            "tx": ENABLE,
            "switch-priority": {"<priority>": EMPTY},
        }
    },
    "pfc-watchdog": {"polling-interval": whole(100, 5000), "robustness": whole(1, 1000)},
    "traffic-pool": {key: {"memory-percent": whole(1, 100)} for key in ("default-lossless", "default-lossy")},
}
POLICY = {
    "as-path-list": {"<name>": {"rule": {"<rule>": {"action": one_of("permit", "deny"), "aspath-exp": LINE}}}},
    "prefix-list": {
        "<name>": {
            "rule": {
                "<rule>": {
                    "action": one_of("permit", "deny"),
                    "match": {"<prefix>": {"min-prefix-len": whole(0, 128), "max-prefix-len": whole(0, 128)}},
                }
            },
            "type": one_of("ipv4", "ipv6"),
        }
    },
    "route-map": {
        "<name>": {
            "rule": {
                "<rule>": {
                    "action": {"permit": EMPTY, "deny": EMPTY},
                    "match": {
                        "as-path-list": LINE,
                        "ip-prefix-list": LINE,
                        "source-vrf": LINE,
                        "type": one_of("ipv4", "ipv6"),
                    },
                    "set": {
                        "as-path-prepend": {"as": ASN, "last-as": whole(1, 10)},
                        "community": {"<community>": EMPTY},
                        "source-ip": _address,
                    },
                }
            }
        }
    },
}
ROUTER = {
    "adaptive-routing": {"state": STATE},
    "bfd": {
        "profile": {
            "<name>": {
                "detect-multiplier": whole(2, 255),
                "min-rx-interval": whole(50, 60000),
                "min-tx-interval": whole(50, 60000),
            }
        },
        "state": STATE,
    },
    "bgp": {
        "autonomous-system": ASN,
        "graceful-shutdown": STATE,
        "router-id": _address,
        "state": STATE,
        "wait-for-install": STATE,
    },
    "policy": POLICY,
}
GROUP_FAMILY = {
    "aspath": {"allow-my-asn": {"occurrences": whole(1, 10), "state": STATE}},
    "policy": {"inbound": {"route-map": LINE}, "outbound": {"route-map": LINE}},
    "prefix-limits": {"inbound": {"maximum": whole(1, 4294967295)}},
    "state": STATE,
}
TARGETS = {"route-target": {"<target>": EMPTY}}
EVPN_FAMILY = {
    "aspath": {"allow-my-asn": {"occurrences": whole(1, 10), "state": STATE}},
    "attribute-mod": {"nexthop": STATE},
    "policy": {"inbound": {"route-map": LINE}, "outbound": {"route-map": LINE}},
    "state": STATE,
}
OWN_FAMILY = {
    "aggregate-route": {"<prefix>": EMPTY},
    "route-export": {"to-evpn": {"state": STATE}},
    "route-import": {"from-vrf": {"list": {"<name>": EMPTY}, "route-map": LINE, "state": STATE}},
    "multipaths": {"ebgp": whole(1, 128)},
    "redistribute": {key: {"route-map": LINE, "state": STATE} for key in ("connected", "static")},
    "state": STATE,
}
TIMERS = dict.fromkeys(("connection-retry", "hold", "keepalive"), whole(1, 65535))
NEIGHBOUR = {
    "address-family": {"ipv4-unicast": GROUP_FAMILY, "ipv6-unicast": GROUP_FAMILY},
    "bfd": PROFILE,
    "local-as": {"asn": ASN, "prepend": STATE, "replace": STATE, "state": STATE},
    "password": FREE,
    "timers": TIMERS,
    "description": LINE,
    "peer-group": text(NAME),
    "remote-as": ASN,
    "type": one_of("numbered", "unnumbered"),
    "multihop-ttl": whole(1, 255),
    "update-source": LINE,
}
BLACKHOLE = {"blackhole": {"type": one_of("blackhole")}}
VRFS = {
    "<name>": {
        "evpn": {"state": STATE, "vlan": whole(1, 4094), "vni": {"<vni>": EMPTY}},
        "loopback": {"ip": {"address": {"<interface address>": EMPTY}}},
        "router": {
            "rib": {word: {"fib-filter": {"protocol": {"bgp": {"route-map": LINE}}}} for word in ("ipv4", "ipv6")},
            "bgp": {
                "address-family": {
                    "ipv4-unicast": OWN_FAMILY,
                    "ipv6-unicast": OWN_FAMILY,
                    "l2vpn-evpn": {"state": STATE},
                },
                "rd": text(r"[0-9.]+:[0-9]+"),
                "route-export": {"to-evpn": TARGETS},
                "route-import": {"from-evpn": TARGETS},
                "autonomous-system": ASN,
                "neighbor": {"<host>": NEIGHBOUR},
                "path-selection": {"multipath": {"aspath-ignore": STATE}},
                "peer-group": {
                    "<name>": {
                        "address-family": {
                            "ipv4-unicast": GROUP_FAMILY,
                            "ipv6-unicast": GROUP_FAMILY,
                            "l2vpn-evpn": EVPN_FAMILY,
                        },
                        "bfd": PROFILE,
                        "capabilities": {"extended-nexthop": STATE},
                    }
                },
                "router-id": _address,
                "state": STATE,
                "timers": TIMERS,
            },
            "static": {
                "<prefix>": {
                    "address-family": one_of("ipv4-unicast", "ipv6-unicast"),
                    "distance": {"<distance>": {"via": BLACKHOLE}},
                    "via": {
                        **BLACKHOLE,
                        "<address>": {"interface": LINE, "type": one_of("ipv4-address", "ipv6-address")},
                    },
                }
            },
        },
    }
}
CLASS = {"action": one_of("allow"), "command-path": {"/": {"permission": one_of("all", "ro")}}}
ROLES = {"nvue-admin": ("nvapply",), "nvue-monitor": ("nvshow",), "system-admin": ("nvapply", "sudo")}
AAA_SERVER = {"priority": whole(1, 8), "secret": FREE}
SYSTEM = {
    "aaa": {
        "authentication": {"order": [one_of("tacacs", "radius", "local")]},
        "class": dict.fromkeys(("nvapply", "nvshow", "sudo"), CLASS),
        "radius": {"server": {"<host>": AAA_SERVER}, "vrf": VRF},
        "role": {role: {"class": dict.fromkeys(classes, EMPTY)} for role, classes in ROLES.items()},
        "tacacs": {"server": {"<host>": {**AAA_SERVER, "prefer-ip-version": whole(6, 6)}}, "vrf": VRF},
        "user": {
            "<name>": {
                "hashed-password": FREE,
                "role": one_of(*ROLES),
                "ssh": {
                    "authorized-key": {
                        "<name>": {
                            "key": text(r"[A-Za-z0-9+/=]+"),
                            "type": one_of(
                                "ssh-rsa", "ssh-ed25519", *(f"ecdsa-sha2-nistp{n}" for n in (256, 384, 521))
                            ),
                        }
                    }
                },
            }
        },
    },
    "api": {"certificate": LINE, "state": STATE},
    "control-plane": {"acl": {key: {"inbound": EMPTY} for key in ("acl-default-dos", "acl-default-whitelist")}},
    "date-time": {"timezone": text(r"[A-Za-z_]+(/[A-Za-z0-9_+-]+)*")},
    "dns": {"domain": LINE, "server": {"<address>": {"priority": whole(1, 65535), "vrf": VRF}}},
    "forwarding": {
        "hash-seed": whole(0, 4294967295),
        "packet-trim": {
            "remark": {"dscp": whole(0, 63)},
            "size": whole(256, 1024),
            "state": STATE,
            "switch-priority": whole(0, 7),
        },
    },
    "gnmi-server": {
        "certificate": LINE,
        "listening-address": {"<address>": EMPTY},
        "port": whole(1, 65535),
        "state": STATE,
    },
    "hostname": text(r"[a-zA-Z0-9][a-zA-Z0-9-]{0,62}"),
    "lldp": {"state": STATE},
    "message": {"post-login": FREE, "pre-login": FREE},
    "ntp": {"server": {"<host>": {"iburst": STATE}}, "state": STATE, "vrf": VRF},
    "snmp-server": {
        "listening-address": {"<address>": {"vrf": VRF}},
        "state": STATE,
        "system-contact": LINE,
        "system-location": LINE,
        "username": {"<name>": {"auth-sha": {"<passphrase>": {"encrypt-aes": {"<passphrase>": EMPTY}}}}},
    },
    "ssh-server": {"state": STATE, "vrf": {"<name>": EMPTY}},
    "syslog": {
        "server": {"<host>": {"vrf": VRF}},
        "severity": one_of("emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"),
    },
}
UDP_PORT = {"<l4 port>": EMPTY}
FILTERS = {
    "<name>": {
        "type": one_of("ipv4", "ipv6"),
        "rule": {
            "<rule>": {
                "action": {"deny": EMPTY, "permit": EMPTY},
                "match": {
                    "ip": {
                        "protocol": one_of("udp", "tcp", "icmp", "icmpv6"),
                        "icmpv6-type": one_of("router-advertisement", "router-solicitation"),
                        "udp": {"source-port": UDP_PORT, "dest-port": UDP_PORT},
                    }
                },
            }
        },
    }
}
TREE = {
    "acl": FILTERS,
    "evpn": {
        "multihoming": {"state": STATE},
        "state": STATE,
        "vni": {"<vni>": {"rd": text(r"[0-9.]+:[0-9]+"), "route-target": {"both": {"<target>": EMPTY}}}},
    },
    "nve": {
        "vxlan": {
            "decapsulation": {"dscp": {"action": one_of("copy", "preserve", "derive")}},
            "encapsulation": {"dscp": {"action": one_of("copy", "set", "derive")}},
            "source": {"address": _address},
            "state": STATE,
        }
    },
    "bridge": {"domain": {"br_default": {"vlan": {"<vlan>": {"vni": {"<vni>": EMPTY}}}}}},
    "interface": {f"<{form}>": model for form, model in INTERFACES.items()},
    "mlag": {
        "backup": {"<address>": {"vrf": VRF}},
        "mac-address": text(r"44:38:39:ff:[0-9a-f]{2}:[0-9a-f]{2}"),
        "peer-ip": one_of("linklocal"),
        "state": STATE,
    },
    "qos": QOS,
    "router": ROUTER,
    "service": SERVICE,
    "system": SYSTEM,
    "vrf": VRFS,
}
KEY_FORMS |= {f"<{form}>": text(form) for form in INTERFACES}


def faults(value: Any, model: Any = None, at: str = "set") -> Iterator[str]:
    """Each place of a tree that NVUE, as far as the model knows it, would not take."""
    model = TREE if model is None else model
    if isinstance(model, list):
        yield from (f for n, item in enumerate(value) for f in faults(item, model[0], f"{at}[{n}]"))
    elif not isinstance(model, Mapping):
        if not _fits(model, value):
            yield f"{at}: {value!r}"
    elif not isinstance(value, Mapping):
        yield f"{at}: {value!r} is no tree"
    else:
        for key, inner in value.items():
            forms = [f for f in model if f == key] or [f for f in model if f in KEY_FORMS and _fits(KEY_FORMS[f], key)]
            if forms:
                yield from faults(inner, model[forms[0]], f"{at}/{key}")
            else:
                yield f"{at}/{key}: not known"


def _fits(form: Callable[[Any], bool], value: Any) -> bool:
    try:
        return form(value)
    except ValueError:
        return False
