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
FORMS = {
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
