"""What Junos shows as JSON says the same as braces: names that the command line leaves unsaid are left out.

The JSON is that of Juniper's YANG models of Junos OS Evolved (24.4R1-EVO), whose `nokeyword` leaves these names are.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from fabricgen.nos.junos.reading.text import read_lines

RELAY = {
    "forwarding-options": {
        "dhcp-relay": {
            "forward-only": {},
            "server-group": {"server-group": [{"name": "HOSTS-1", "address": [{"name": "10.9.0.1"}]}]},
            "group": [
                {
                    "name": "HOSTS-1",
                    "active-server-group": {"active-server-group": "HOSTS-1"},
                    "overrides": {"relay-source": "lo0.2"},
                    "relay-option-82": {"circuit-id": {}, "server-id-override": [None]},
                    "interface": [{"name": "irb.100"}],
                }
            ],
        }
    }
}
SEGMENT = {
    "interfaces": {
        "interface": [
            {"name": "et-0/0/0", "ether-options": {"ieee-802.3ad": {"lacp": {"force-up": [None]}, "bundle": "ae1"}}},
            {
                "name": "ae1",
                "esi": {"identifier": "00:02:00:00:21:00:01:00:00:01", "all-active": [None]},
                "aggregated-ether-options": {"lacp": {"active": [None], "system-id": "02:00:00:21:00:01"}},
            },
        ]
    },
    "routing-instances": {
        "instance": [
            {
                "name": "MAC-VRF",
                "instance-type": "mac-vrf",
                "protocols": {
                    "evpn": {
                        "extended-vni-list": ["all"],
                        "vni-options": {"vni": [{"name": 10002, "vrf-target": {"community": "target:10002:33"}}]},
                    }
                },
                "interface": [{"name": "ae1.0"}],
                "vrf-target": {"community": "target:10.0.0.33:65534"},
                "vlans": {"vlan": [{"name": "compute", "vlan-id": 100, "vxlan": {"vni": 10002}}]},
            }
        ]
    },
}
EXITS = {
    "policy-options": {
        "as-path-group": [{"name": "EXITS", "as-path": [{"name": "AS65101", "path": "65101 .*"}]}],
        "policy-statement": [
            {
                "name": "EXIT-wan-IN",
                "term": [{"name": "50", "then": {"as-path-expand": {"last-as": {"count": 8}}, "accept": [None]}}],
            }
        ],
    },
    "routing-options": {
        "rib": [{"name": "inet6.0", "static": {"route": [{"name": "::/0", "next-hop": ["2001:db8::1"]}]}}],
        "static": {"route": [{"name": "0.0.0.0/0", "next-hop": ["192.0.2.1", "192.0.2.3"]}]},
        "aggregate": {"route": [{"name": "172.16.0.0/16", "brief": [None], "discard": [None]}]},
    },
    "protocols": {
        "bgp": {
            "group": [
                {
                    "name": "EXIT-wan",
                    "neighbor": [
                        {
                            "name": "192.0.2.1",
                            "authentication-key": "$9$abc",
                            "local-as": {"as-number": "65000", "private": [None], "no-prepend-global-as": [None]},
                        }
                    ],
                }
            ]
        }
    },
}
FORMS = {
    "exits": (
        EXITS,
        """
        policy-options {
            as-path-group EXITS { as-path AS65101 "65101 .*"; }
            policy-statement EXIT-wan-IN { term 50 { then { as-path-expand last-as count 8; accept; } } }
        }
        routing-options {
            rib inet6.0 { static { route ::/0 next-hop 2001:db8::1; } }
            static { route 0.0.0.0/0 next-hop [ 192.0.2.1 192.0.2.3 ]; }
            aggregate { route 172.16.0.0/16 { brief; discard; } }
        }
        protocols { bgp { group EXIT-wan { neighbor 192.0.2.1 {
            authentication-key "$9$abc";
            local-as 65000 private no-prepend-global-as;
        } } } }
        """,
    ),
    "segment": (
        SEGMENT,
        """
        interfaces {
            et-0/0/0 { ether-options { 802.3ad { lacp { force-up; } ae1; } } }
            ae1 {
                esi { 00:02:00:00:21:00:01:00:00:01; all-active; }
                aggregated-ether-options { lacp { active; system-id 02:00:00:21:00:01; } }
            }
        }
        routing-instances { MAC-VRF {
            instance-type mac-vrf;
            protocols { evpn {
                extended-vni-list all;
                vni-options { vni 10002 { vrf-target target:10002:33; } }
            } }
            interface ae1.0;
            vrf-target target:10.0.0.33:65534;
            vlans { compute { vlan-id 100; vxlan { vni 10002; } } }
        } }
        """,
    ),
    "relay": (
        RELAY,
        """
        forwarding-options { dhcp-relay {
            forward-only;
            server-group { HOSTS-1 { 10.9.0.1; } }
            group HOSTS-1 {
                active-server-group HOSTS-1;
                overrides { relay-source lo0.2; }
                relay-option-82 { circuit-id; server-id-override; }
                interface irb.100;
            }
        } }
        """,
    ),
}


@pytest.mark.parametrize(("shown", "braces"), FORMS.values(), ids=FORMS)
def test_json_says_what_braces_say(shown: dict[str, Any], braces: str) -> None:
    assert read_lines(json.dumps({"configuration": shown})) == read_lines(braces)
