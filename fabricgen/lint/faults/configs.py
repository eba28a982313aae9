"""Templates, snippets and secrets of configurations, and what `fabricgen check` finds in them."""

from __future__ import annotations

from fabricgen.lint.fault import CHECK, Fault

FG033 = Fault(
    id="FG033",
    name="TemplateFails",
    title="a template of the user fails",
    text="""
    A template in the user's own folder has a syntax error, uses a value that there is none of, tries what the
    sandbox forbids, or makes what is no JSON or YAML where the file is one.

    A configuration with a hole would be accepted by a switch up to that line. The message has the template's file
    and line. Templates run in Jinja2's sandbox (jinja.palletsprojects.com, Sandbox), since they may come with a
    pull request.
    """,
    in_words=True,
    bad="""
    {{ switch.hostname }}, where a switch has no `hostname`
    """,
    good="""
    {{ switch.name }}
    """,
)

FG051 = Fault(
    id="FG051",
    name="SecretMissing",
    title="a secret is not there when it is needed",
    text="""
    A build needs a secret whose variable is not set, whose file cannot be read, or that cannot be written to a
    configuration.

    Blueprints say where a secret is kept, never what it is, so that it stays out of git (CWE-312). Set the variable
    or write the file where the build runs; `--redact-secrets` builds with references in their place, for review.
    """,
    in_words=True,
    bad="""
    management: {aaa: {servers: 10.0.0.1, key: "env:FABRICGEN_TACACS"}}, built where FABRICGEN_TACACS is not set
    """,
    good="""
    FABRICGEN_TACACS=... fabricgen build example.yaml -o out
    """,
)

FG052 = Fault(
    id="FG052",
    name="SnippetWithoutPlace",
    title="a snippet cannot be put where it says",
    text="""
    A snippet is for a NOS or a place that there is none of, is a text where a tree is taken or the reverse, or
    holds what the NOS would refuse.

    A snippet goes to one place of the file that templates make; docs/configs.md and docs/catalog.md list those of
    each NOS. A place that no template has would lose it without a word. Correct `nos`, `at` or the form.
    """,
    bad="""
    snippets: {motd: {nos: eos, at: begin, text: "banner motd"}}  # <-
    """,
    good="""
    snippets: {motd: {nos: eos, at: top, text: "lldp timer 10"}}
    """,
)

FG053 = Fault(
    id="FG053",
    name="ConfiguredNobody",
    title="configuration is stated for no switch, or for no cabled port",
    text="""
    `config_of` names a device that is no switch of this cluster, or a port that has no cable.

    What is stated for a misspelt name would be applied nowhere. The hint has the nearest name; devices.csv and
    links.csv list all of them.
    """,
    bad="""
    config_of:
      compute-leaf-p1-su01-r1-1: {ports: {}}  # <-
    """,
    good="""
    config_of:
      compute-leaf-p1-su01-r1-01: {ports: {}}
    """,
)

FG056 = Fault(
    id="FG056",
    name="NoYangReader",
    title="libyang, which judges by YANG models, is not installed",
    text="""
    `check --yang` needs libyang, a C library with a Python binding that is not installed.

    SONiC validates its configuration with the same library (src/sonic-yang-mgmt), so no other judge would say the
    same. Install it as the hint says, or leave `--yang` out: the built-in checks need nothing.
    """,
    in_words=True,
    bad="""
    fabricgen check out --yang sonic-yang-models, without libyang
    """,
    good="""
    fabricgen check out
    """,
)

FG901 = Fault(
    id="FG901",
    name="ConfigWrong",
    kind=CHECK,
    title="a SONiC configuration has what the switch would refuse or ignore",
    text="""
    `check` read a config_db.json that breaks SONiC's own rules: a table or field that there is none of, a value out
    of its range, a port that is not in the platform's table, a reference to nothing.

    SONiC loads much of this without a word and then leaves a service down; the rules are those of its YANG models
    (sonic-buildimage, src/sonic-yang-models). The message has the key and what was wanted. Correct the template or
    snippet that wrote it.
    """,
    in_words=True,
    bad="""
    "PORT": {"Ethernet0": {"mtu": "ten thousand"}}
    """,
    good="""
    "PORT": {"Ethernet0": {"mtu": "9216"}}
    """,
)

FG902 = Fault(
    id="FG902",
    name="YangRefuses",
    kind=CHECK,
    title="a YANG model refuses a SONiC configuration",
    text="""
    `check --yang` gave a config_db.json to libyang with SONiC's YANG models, and it refuses a row.

    This is the judge that the switch itself has (RFC 7950 validation of sonic-yang-models): what fails here fails
    `config replace`. The message is libyang's, at the row. Correct the template or snippet that wrote it.
    """,
    in_words=True,
    bad="""
    "VLAN_MEMBER": {"Vlan100|Ethernet0": {"tagging_mode": "maybe"}}
    """,
    good="""
    "VLAN_MEMBER": {"Vlan100|Ethernet0": {"tagging_mode": "untagged"}}
    """,
)
