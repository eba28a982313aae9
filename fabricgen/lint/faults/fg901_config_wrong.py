"""A SONiC configuration has what the switch would refuse or ignore."""

from __future__ import annotations

from fabricgen.lint.fault import CHECK, Fault


class ConfigWrong(Fault):
    """`check` read a config_db.json that breaks SONiC's own rules: a table or field that there is none of, a value out
    of its range, a port that is not in the platform's table, a reference to nothing.

    SONiC loads much of this without a word and then leaves a service down; the rules are those of its YANG models
    (sonic-buildimage, src/sonic-yang-models). The message has the key and what was wanted. Correct the template or
    snippet that wrote it.
    """

    id = "FG901"
    kind = CHECK
    title = "a SONiC configuration has what the switch would refuse or ignore"
    in_words = True
    bad = """
        "PORT": {"Ethernet0": {"mtu": "ten thousand"}}
    """
    good = """
        "PORT": {"Ethernet0": {"mtu": "9216"}}
    """
