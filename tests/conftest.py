"""What tests share: example blueprints compiled once, and a command line that runs in this process."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.pipeline import BuildOptions, build_bundles
from fabricgen.publish.manifest import Content
from tests.laws import Asked, take_tenth
from tests.needs import LEFT_OUT, MARKS, Running, require

BLUEPRINTS = Path(__file__).resolve().parent.parent / "blueprints"
EXAMPLES = tuple(sorted(p.stem for p in BLUEPRINTS.glob("*.yaml") if not p.stem.endswith(".lock")))

SMALLER: dict[str, tuple[str, ...]] = {
    "multi-plane": ("pods.p1.su=2",),
    "colossus-200k": (
        "pods.p1.count=1",
        "pods.p1.su=4",
        "pods.p49.su=4",
        "pods.p49.nodes=232",
        "fabrics.compute.tiers.core.count=4",
    ),
}
"""What is changed of examples that are too large to expand in every test; their whole size has tests of its own."""

settings.register_profile(
    "thorough",
    settings.get_profile("default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=1000,
    derandomize=False,
)
"""The search for new cases, others in each run: `pytest --whole --hypothesis-profile=thorough tests/properties`. A case
that is found becomes a test of its own."""

settings.register_profile("usual", settings.get_profile("thorough"), max_examples=100, derandomize=True, database=None)
"""The same cases for everyone: what a test finds depends on neither chance, nor earlier runs, nor how busy the machine
is."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let Python look for garbage in what tests make alone.

    All modules, some ten thousand tests and the clusters that are kept between them stay to the end: to look through
    them again and again was a fifth of all work. What has a single owner goes at once as ever.
    """
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Take the usual cases unless others are asked for; modules that import this one change nothing of that.

    Python looks for garbage seldom, from before tests are collected on: they stay, and it was an eighth of that.
    Workers, and the hundreds of processes that tests start, compile no module again that one of them has compiled.
    """
    gc.set_threshold(50_000, 20, 50)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("usual")
    Asked.whole = config.getoption("--whole")
    config.pluginmanager.register(Reporter(config), "reporter")
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # as containers have it: keep the tree clean, and compile once
        os.environ["PYTHONPYCACHEPREFIX"] = str(config.rootpath / ".pytest_cache" / "bytecode")
        sys.dont_write_bytecode, sys.pycache_prefix = False, os.environ["PYTHONPYCACHEPREFIX"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """As many as there are processors; one more where labs of daemons run, which wait more than they work."""
    return (os.cpu_count() or 1) + (config.option.markexpr != LEFT_OUT)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="Write golden files anew; review the difference by eye.")
    parser.addoption("--whole", action="store_true", help="Judge all cases of each law, not a seeded tenth of them.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Call slow all but a seeded tenth of the cases of each test that is marked `tenth`.

    Tests over examples take the same ones, which are compiled once for all. `--regenerate` takes all.
    """
    if config.option.regenerate:
        return
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("tenth"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        kept = set(take_tenth("", cases, lambda case: case.nodeid.partition("[")[2]))
        for case in cases:
            if case not in kept:
                case.add_marker("slow")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    Running.test = item


class Reporter:
    """Says in the terminal which test failed as soon as it has, and at the end what was left out."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name a failed test and its reason at once: a run that is killed has no summary."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal:
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = (crash.message if crash else report.longreprtext).partition("\n")[0]
            terminal.line("")
            terminal.write_line(f"FAILED {report.nodeid} ({report.when}): {reason[:300]}", red=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what a run leaves out, and how to have it."""
        if self._config.option.markexpr == LEFT_OUT:
            terminalreporter.write_line(f"left out: tests marked {', '.join(MARKS)}; `.ci/run`, or -m '', has them")
        if not Asked.whole:
            terminalreporter.write_line("laws judge a seeded tenth of their cases; --whole judges all")


@cache
def example_design(name: str, *sets: str) -> Design:
    """The design of an example blueprint with some values changed."""
    return build_design(load_blueprint(str(BLUEPRINTS / f"{name}.yaml"), sets or SMALLER.get(name, ())))


@cache
def example_cluster(name: str, *sets: str) -> Cluster:
    """The cluster of an example blueprint with some values changed."""
    return build_cluster(example_design(name, *sets))


def built_files(cluster: Cluster, *parts: str) -> dict[str, bytes]:
    """What a build writes but the manifest, by path: of some parts, or of the usual ones."""
    made = (file for bundle in build_bundles(cluster, dict, BuildOptions(parts=parts)) for file in bundle.make())
    return {path: bytes_of(content) for path, content in made}


def bytes_of(content: Content) -> bytes:
    """What a file holds, whether it comes at once or in pieces."""
    return content if isinstance(content, bytes) else b"".join(content)


@pytest.fixture(scope="session")
def vtysh() -> str:
    """FRR's own parser."""
    found = shutil.which("vtysh")
    require("" if found else "vtysh is missing: `apt-get install frr` to check frr.conf files with FRR's own parser")
    return found or ""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def fabricgen(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Ran]:
    """Run the command line in this process."""
    from fabricgen.cli.main import run_command

    def call(*arguments: str | Path) -> Ran:
        code = run_command([str(a) for a in arguments])
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(errors="replace"), err.decode())

    return call


@pytest.fixture
def design_of(tmp_path: Path) -> Callable[..., Design]:
    """Design a blueprint given as text."""

    def make(text: str, sets: Sequence[str] = ()) -> Design:
        file = tmp_path / "blueprint.yaml"
        file.write_text(text, encoding="utf-8")
        return build_design(load_blueprint(str(file), sets))

    return make


def sites_of(count: int, spans: str, manager: str) -> str:
    """A blueprint of InfiniBand at so many sites, called a, b, ..., of which `ab bc` links those of each pair."""
    names = "abcdefgh"[:count]
    pods = "\n".join(f"  {site}: {{su: 1, site: {site}}}" for site in names)
    between = "\n".join(
        f"      {pair}: {{between: [{pair[0]}, {pair[1]}], km: 1, links: 4 x 400G}}" for pair in spans.split()
    )
    return f"""\
fabricgen: 1
name: sites
scalable_unit: {{nodes: 2 x dgx-h100}}
pods:
{pods}
fabrics:
  compute:
    protocol: infiniband
    subnet_manager: {manager}
    tiers:
      leaf: {{switch: qm9700, per: su, count: 2}}
      spine: {{switch: qm9700, count: 2}}
    spans:
{between}
"""
