"""Names that SONiC's models refuse. They are not written: with them a switch would refuse the rest of the file.

Sources: sonic-buildimage, src/sonic-yang-models/yang-models: sonic-snmp.yang (SNMP_USER name), sonic-gnmi.yang.
"""

from __future__ import annotations

import re

from fabricgen.blueprint.sections.management import Tls

SHORTEST_SNMP_USER = 4
"""Characters of the shortest name of a user of SNMPv3; the language's longest, 31, is within SONiC's 32."""

_STEM = "[A-Za-z0-9_-]+"


def takes_snmp_user(name: str) -> bool:
    """Whether SONiC takes the name of a user of SNMPv3."""
    return len(name) >= SHORTEST_SNMP_USER


def takes_file_names(tls: Tls) -> bool:
    """Whether SONiC takes the file names of a certificate and its key."""
    return bool(re.fullmatch(rf"{_STEM}\.cer", tls.certificate) and re.fullmatch(rf"{_STEM}\.key", tls.key))
