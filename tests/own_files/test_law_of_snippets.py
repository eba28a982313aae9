"""Snippets of a user's own, which fabricgen does not read, stop no command that reads what it wrote with them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.catalog.loader import Catalog
from fabricgen.lab.files import Build
from fabricgen.lab.inside import cut_to_lab
from fabricgen.lint.rule import load_all_rules
from tests.conftest import BLUEPRINTS
from tests.docs.pages import BY_HAND, blocks, yaml_of
from tests.laws import law_cases
from tests.own_files.test_law_of_own_files import (
    check_of_what_runs,
    plan_from_the_folder,
    plan_to_the_folder,
    said,
    view_against_the_folder,
)
from tests.own_files.written import Run, Written

SONIC, CUMULUS, EOS = "sn4700", "sn5600", "7060dx5-64s"
SWITCHES = {"sonic": SONIC, "cumulus": CUMULUS, "eos": EOS}

USUAL = {
    ("eos", "end"): ("hardware counter feature ip in", "ip access-list MINE\n   10 permit ip any any"),
    ("eos", "top"): ("terminal length 0", "lldp timer 10"),
    ("eos", "interfaces"): ("interface Loopback99\n   description mine",),
    ("eos", "bgp"): ("bgp convergence time 10",),
    ("sonic", "config-db"): ({"CRM": {"Config": {"polling_interval": "60"}}},),
    ("sonic", "frr"): (
        "ip nht resolve-via-default",
        "ip prefix-list MINE seq 5 permit any",
        "ip route 192.0.2.0/24 Null0",
        "log syslog informational",
        "route-map MINE permit 10\n set metric 5",
    ),
    ("sonic", "bgp"): ("bgp graceful-restart", "neighbor 192.0.2.1 remote-as 64999"),
    ("cumulus", "set"): ({"system": {"wjh": {"state": "enabled"}}},),
}
"""By NOS and place, what people put there."""


@dataclass(frozen=True)
class Snippet:
    """A snippet, as a blueprint states it."""

    name: str
    stated: dict[str, Any]

    @property
    def nos(self) -> str:
        """The NOS that it is for."""
        return str(self.stated["nos"])


def usual() -> Iterator[Snippet]:
    for (nos, place), contents in USUAL.items():
        for number, content in enumerate(contents, start=1):
            key = "text" if isinstance(content, str) else "tree"
            yield Snippet(f"{nos}-{place}-{number}", {"nos": nos, "at": place, key: content})


def documented() -> Iterator[Snippet]:
    """Snippets of pages that are written by hand, and of the good examples of rules."""
    told = [(block.place, yaml_of(block)) for page in BY_HAND for block in blocks(page) if "snippets:" in block.text]
    yaml = YAML(typ="safe", pure=True)
    told += [(rule.id, yaml.load(rule.examples[1])) for rule in load_all_rules() if "snippets:" in rule.examples[1]]
    for place, data in told:
        yield from (Snippet(f"{place} {name}", stated) for name, stated in data["snippets"].items())


SNIPPETS = {snippet.name: snippet for snippet in (*usual(), *documented())}


def test_every_place_has_a_snippet_and_pages_have_some() -> None:
    catalog = Catalog()
    named = {nos: catalog.naming(nos).configuration.places for nos in SWITCHES}
    assert USUAL.keys() == {(nos, place) for nos, places in named.items() for place in places}
    assert len([name for name in SNIPPETS if name.startswith("docs/configs.md")]) == 2


def with_snippet(snippet: Snippet, folder: Path, run: Run) -> Written:
    """The smallest example with a snippet on a NOS; SONiC has an frr.conf where there are limits of prefixes."""
    shutil.copy(BLUEPRINTS / "leaf-spine.yaml", folder)
    switch = SWITCHES[snippet.nos]
    overlay = {
        "include": "leaf-spine.yaml",
        "nos": snippet.nos,
        "routing": {"max_prefixes": 10000},
        "fabrics": {"compute": {"tiers": {"leaf": {"switch": switch}, "spine": {"switch": switch}}}},
        "snippets": {"own": snippet.stated},
    }
    blueprint = folder / "site.yaml"
    with blueprint.open("w", encoding="utf-8") as stream:
        YAML().dump(overlay, stream)
    return Written(blueprint, run)


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("name", law_cases("builds with snippets are read", SNIPPETS))
def test_a_build_with_a_snippet_is_read(name: str, tmp_path: Path, fabricgen: Run) -> None:
    written = with_snippet(SNIPPETS[name], tmp_path, fabricgen)
    for reader in (plan_from_the_folder, plan_to_the_folder, view_against_the_folder, check_of_what_runs):
        reader(written)
    if SNIPPETS[name].nos == "sonic":
        assert said(fabricgen("check", written.built)) == (0, "8 files: 0 problems\n", "")
    paths = [file for file in written.built.rglob("*") if file.is_file()]
    files = {file.relative_to(written.built).as_posix(): file.read_text() for file in paths}
    lab = cut_to_lab(Build(files))
    assert lab.numbers == (8, 8, 32)
    assert all(lab.build.make_frr_config(switch) for switch in lab.build.switches)
    assert fabricgen("build", written.blueprint, "-o", tmp_path / "lab", "--only", "containerlab-frr").code == 0
