"""A YANG model refuses a SONiC configuration."""

from __future__ import annotations

from fabricgen.lint.fault import CHECK, Fault


class YangRefuses(Fault):
    """`check --yang` gave a config_db.json to libyang with SONiC's YANG models, and it refuses a row.

    This is the judge that the switch itself has (RFC 7950 validation of sonic-yang-models): what fails here fails
    `config replace`. The message is libyang's, at the row. Correct the template or snippet that wrote it.
    """

    id = "FG902"
    kind = CHECK
    title = "a YANG model refuses a SONiC configuration"
    in_words = True
    bad = """
        "VLAN_MEMBER": {"Vlan100|Ethernet0": {"tagging_mode": "maybe"}}
    """
    good = """
        "VLAN_MEMBER": {"Vlan100|Ethernet0": {"tagging_mode": "untagged"}}
    """
