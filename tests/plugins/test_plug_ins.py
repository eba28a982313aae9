"""Plug-ins: a package that is installed adds an output and a rule, and one that fails is named."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fabricgen.kernel import entry_points as found
from fabricgen.lint import rule
from fabricgen.lint.docs import write_rules_page
from fabricgen.plugins import outputs
from tests.conftest import BLUEPRINTS, Ran

ACME = Path(__file__).parent / "acme_fabric"
SMALL = str(BLUEPRINTS / "leaf-spine.yaml")
Run = Callable[..., Ran]
MODULES = ("acme_fabric", "broken_fabric")


def forget() -> None:
    """Look for plug-ins anew."""
    for cached in (found.list_entry_points, rule.load_plugin_rule):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] in MODULES]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package: its wheel, built and unpacked, which is all that pip does with one of Python alone."""
    target, wheels = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("wheels")
    build = f"from hatchling.build import build_wheel; build_wheel({str(wheels)!r})"
    subprocess.run([sys.executable, "-c", build], check=True, cwd=ACME, capture_output=True)
    (wheel,) = wheels.glob("acme_fabric-2.1-*.whl")
    zipfile.ZipFile(wheel).extractall(target)
    return target


@pytest.fixture
def acme(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """With the package of Acme."""
    monkeypatch.syspath_prepend(str(installed))
    forget()
    yield installed
    monkeypatch.undo()
    forget()


def blueprint(folder: Path, more: str = "") -> str:
    """The small example, and more in it."""
    file = folder / "own.yaml"
    file.write_text(Path(SMALL).read_text(encoding="utf-8") + more, encoding="utf-8")
    return str(file)


def test_a_rule_of_a_package_is_one_of_lint(acme: Path, fabricgen: Run, tmp_path: Path) -> None:
    ran = fabricgen("lint", SMALL, "--select", "ACME1")
    assert re.search(r"leaf-spine\.yaml:\d+:\d+: warning\[ACME101\]: cables of up to 10 m\n", ran.out)
    assert "hint: the stores keep up to 7 m" in ran.out
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 blueprint: 0 errors, 2 warnings, 0 infos")
    assert "ACME101" not in fabricgen("lint", SMALL, "--ignore", "ACME").out
    assert "ACME101" not in fabricgen("lint", SMALL, "--fast").out
    assert "title=ACME101%3A a cable is longer" in fabricgen("lint", SMALL, "--format", "github").out
    (run,) = json.loads(fabricgen("lint", SMALL, "--format", "sarif").out)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]].count("ACME101") == 1
    assert "ACME101" in [result["ruleId"] for result in run["results"]]


def test_settings_know_the_code_of_a_plug_in(acme: Path, fabricgen: Run, tmp_path: Path) -> None:
    grave = blueprint(tmp_path, "lint: {severity: {ACME101: error}}\n")
    assert fabricgen("lint", grave).code == 1
    assert fabricgen("build", grave, "-o", tmp_path / "out", "--only", "links").code == 1
    waived = fabricgen("lint", blueprint(tmp_path, "lint: {waive: [{rule: ACME101, why: they are ordered}]}\n"))
    assert "warning" not in waived.out.replace("0 warnings", "")
    idle = "lint: {waive: [{rule: ACME101, why: they are ordered}]}\nfloor: {unit_rows: 9}\n"
    assert "FG811" not in fabricgen("lint", blueprint(tmp_path, idle)).out
    (tmp_path / ".fabricgen.yaml").write_text("lint: {ignore: [ACME]}\n", encoding="utf-8")
    assert "ACME101" not in fabricgen("lint", blueprint(tmp_path)).out


def test_a_waiver_of_a_package_that_is_not_installed_says_so(fabricgen: Run, tmp_path: Path) -> None:
    ran = fabricgen("lint", blueprint(tmp_path, "lint: {waive: [{rule: ACME101, why: they are ordered}]}\n"))
    assert "warning[FG811]: no rule has the code ACME101\n" in ran.out
    assert "hint: no package that is installed has a rule of this code" in ran.out


def test_rules_lists_and_explains_those_of_packages(acme: Path, fabricgen: Run) -> None:
    listed = fabricgen("rules").out
    assert listed.endswith(
        "ACME1xx acme-fabric\n  ACME101  warning  plug-in rule a cable is longer than the stores keep\n"
    )
    page = fabricgen("rules", "acme101").out
    assert page.startswith("ACME101 a cable is longer than the stores keep (warning, plug-in rule, acme-fabric)\n")
    assert page.endswith("or waive it for what is ordered.\n")
    assert json.loads(fabricgen("rules", "ACME", "--format", "json").out)[0]["family"] == "acme-fabric"
    assert "ACME101" not in write_rules_page()  # the manual is of fabricgen alone


def test_an_output_of_a_package_is_a_part(acme: Path, fabricgen: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert fabricgen("build", SMALL, "-o", out, "--only", "rack-cards,racks").code == 0
    cards = {file.stem: file.read_text(encoding="utf-8") for file in (out / "rack-cards").iterdir()}
    assert len(cards) == (out / "racks.csv").read_text(encoding="utf-8").count("\n") - 1
    assert cards["p1-su01-net01"].splitlines()[1] == "U46 compute-leaf-p1-su01-r1-01 (sn4700)"
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["files"]
    assert manifest["rack-cards/p1-su01-net01.txt"]["part"] == "rack-cards"
    assert fabricgen("build", SMALL, "-o", out, "--only", "rack-cards", "--set", "pods.p1.su=1").code == 0
    assert not (out / "rack-cards" / "p1-su02-net01.txt").exists()
    assert (out / "racks.csv").exists()
    assert fabricgen("build", SMALL, "-o", tmp_path / "usual").code == 0
    assert not (tmp_path / "usual" / "rack-cards").exists()
    assert "did you mean 'rack-cards'?" in fabricgen("build", SMALL, "-o", out, "--only", "rack-card").err


def test_worker_processes_make_the_same_bytes(acme: Path, fabricgen: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "1.tar", tmp_path / "2.tar"
    for target, jobs in ((one, "1"), (two, "2")):
        only = ("--only", "rack-cards,devices", "--jobs", jobs)
        assert fabricgen("build", SMALL, "--archive", target, *only).code == 0
    assert one.read_bytes() == two.read_bytes()


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A package with the code and the entry points that a test says."""
    folder = tmp_path / "site"

    def install(code: str, group: str, *lines: str, package: str = "broken-fabric") -> None:
        info = folder / f"{package.replace('-', '_')}-0.3.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.3\n", encoding="utf-8")
        (info / "entry_points.txt").write_text("\n".join([f"[fabricgen.{group}]", *lines, ""]), encoding="utf-8")
        (folder / "broken_fabric.py").write_text(RULE + code, encoding="utf-8")
        monkeypatch.syspath_prepend(str(folder))
        forget()

    yield install
    monkeypatch.undo()
    forget()


RULE = """
from fabricgen.api import Diagnostic, Severity, ViewRule

class Rule(ViewRule):
    '''It says so.'''
    id, severity, title = "BAD101", Severity.INFO, "it says so"
"""
HERE = "BAD101 = broken_fabric:Rule"


@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        ("    def check(self, view): return [1 / 0]", HERE, "failed: ZeroDivisionError: division by zero"),
        ("    def check(self, view): raise SystemExit('no')", HERE, "failed: SystemExit: no"),
        ("    def check(self, view): raise BaseException('no')", HERE, "failed: BaseException: no"),
        ("    def check(self, view): raise GeneratorExit", HERE, "failed: GeneratorExit: "),
        ("    def check(self, view): raise type('Mute', (Exception,), {'__str__': 1})", HERE, "failed: Mute: (it has"),
        ("    def __init__(self): raise RuntimeError('not made')", HERE, "failed: RuntimeError: not made"),
        ("raise BaseException('of the module')", HERE, "failed: BaseException: of the module"),
        ("    title = 7", HERE, "Rule has no title"),
        ("    def check(self, view): return [self.flag((), 'x', 7)]", HERE, "whose hint or span is none"),
        ("    def check(self, view): return [self.flag((), 'x', fix=[7])]", HERE, "whose fix is no tuple of edits"),
        (
            """    def check(self, view):
        while True:
            yield self.flag((), 'x')""",
            HERE,
            "it yields more than 10,000 findings",
        ),
        ("", HERE, "failed: TypeError: 'NoneType' object is not iterable"),
        ("    def check(self, view): return ['found']", HERE, "it yields str"),
        ("    def check(self, view): return [Diagnostic('FG101', 1, 'x')]", HERE, "it yields a finding of FG101"),
        ("    def check(self, view): return [Diagnostic('BAD101', 1, 'x')]", HERE, "without message or severity"),
        ("    def check(self, view): return [self.flag('fabrics', 'x')]", HERE, "it yields a finding at 'fabrics'"),
        ("import nowhere_at_all", HERE, "failed: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("", "BAD101 = broken_fabric:Ruler", "has no attribute 'Ruler'"),
        ("", "BAD101 = broken_fabric:Severity", "it is no class of fabricgen.api.ViewRule"),
        ("", "BAD101 = broken_fabric:ViewRule", "ViewRule has no id, severity, title"),
        ("", "BAD102 = broken_fabric:Rule", "Rule says that its id is BAD101"),
        ("", "FG990 = broken_fabric:Rule", "its name is not a code"),
    ],
)
def test_a_rule_that_cannot_be_used_is_named(
    code: str, line: str, said: str, broken: Callable[..., None], fabricgen: Run
) -> None:
    broken(code, "rules", line)
    ran = fabricgen("lint", SMALL, *(["--select", "BAD"] if line.startswith("BAD") else []))
    (told,) = [each for each in ran.out.splitlines() if "[FG870]" in each]
    assert ran.code == 1
    assert f"fabricgen.rules: '{line.partition(' ')[0]}' of the package broken-fabric 0.3" in told
    assert said in told
    assert "Traceback" not in ran.out + ran.err


def test_a_rule_that_fails_has_a_line_and_is_left_out_on_request(
    broken: Callable[..., None], fabricgen: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken("    def check(self, view):\n        raise ValueError('of this line')", "rules", HERE)
    assert re.search(r"site/broken_fabric\.py:8:1: error\[FG870\]: .* of this line\n", fabricgen("lint", SMALL).out)
    assert fabricgen("lint", SMALL, "--ignore", "BAD").code == 0
    assert fabricgen("show", SMALL).code == 0
    monkeypatch.setenv("FABRICGEN_TRACEBACK", "1")
    with pytest.raises(ValueError, match="of this line"):
        fabricgen("lint", SMALL)


def test_a_rule_that_does_not_load_blocks_nothing_else(
    broken: Callable[..., None], fabricgen: Run, tmp_path: Path
) -> None:
    broken("import nowhere_at_all", "rules", HERE)
    ran = fabricgen("build", SMALL, "-o", tmp_path / "out", "--only", "links")
    assert (ran.code, (tmp_path / "out" / "links.csv").exists()) == (1, True)
    assert ran.err.count("error[FG870]") == 1
    listed = fabricgen("rules", "FG870")
    assert (listed.code, listed.err.count("error[FG870]"), "a plug-in cannot be used" in listed.out) == (0, 1, True)
    for form in ("text", "json", "sarif", "github"):
        assert "No module named 'nowhere_at_all'" in fabricgen("lint", SMALL, "--format", form).out
    assert fabricgen("show", SMALL).code == 0


def test_an_interruption_is_not_the_fault_of_a_plug_in(broken: Callable[..., None], fabricgen: Run) -> None:
    broken("    def check(self, view): raise KeyboardInterrupt", "rules", HERE)
    assert fabricgen("lint", SMALL).code == 130


def test_two_packages_have_no_code_and_no_output_together(broken: Callable[..., None], fabricgen: Run) -> None:
    broken("", "rules", HERE)
    broken("", "rules", HERE, package="other-fabric")
    told = "'BAD101' of the package other-fabric 0.3: broken-fabric has a rule of this code too"
    assert told in fabricgen("lint", SMALL).out


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        ("yield '../out.txt', ''", "bad = broken_fabric:make", "it yields the path '../out.txt'"),
        ("yield '/etc/out.txt', ''", "bad = broken_fabric:make", "it yields the path '/etc/out.txt'"),
        ("yield 'a\\n.txt', ''", "bad = broken_fabric:make", "it yields the path 'a\\n.txt'"),
        ("yield 'a' * 300, ''", "bad = broken_fabric:make", "it yields the path 'aaa"),
        ("yield 'a', ''; yield 'a', ''", "bad = broken_fabric:make", "it yields the path 'a' twice"),
        ("yield 'a/b', ''; yield 'a', ''", "bad = broken_fabric:make", "both a file and a folder"),
        ("yield 'a', ''; yield 'a/b', ''", "bad = broken_fabric:make", "both a file and a folder"),
        ("yield 'a', ''; raise BaseException('late')", "bad = broken_fabric:make", "failed: BaseException: late"),
        ("yield 'a', ''; raise GeneratorExit", "bad = broken_fabric:make", "failed: GeneratorExit"),
        ("yield 'a', '\\ud800'", "bad = broken_fabric:make", "failed: UnicodeEncodeError"),
        ("yield 'a', 7", "bad = broken_fabric:make", "'a' is int"),
        ("yield 'a'", "bad = broken_fabric:make", "it yields str"),
        ("return 'a'", "bad = broken_fabric:make", "it returns str"),
        ("view.devices.name[0] = 'x'", "bad = broken_fabric:make", "failed: ValueError: assignment destination is rea"),
        (
            "import itertools; yield from ((f'{n}', '') for n in itertools.count())",
            "bad = broken_fabric:make",
            "it yields more than 50 files or 1 MiB",
        ),
        (
            "import itertools; yield from ((f'{n}', 'x' * 90000) for n in itertools.count())",
            "bad = broken_fabric:make",
            "it yields more than 50 files or 1 MiB",
        ),
        ("yield", "bad = broken_fabric:RULE", "has no attribute 'RULE'"),
        ("yield", "bad = broken_fabric:__doc__", "it cannot be called"),
        ("yield", "Bad = broken_fabric:make", "its name is that of no folder"),
        ("yield", "links = broken_fabric:make", "fabricgen has a part of this name"),
        ("yield", "slurm = broken_fabric:make", "fabricgen has a part of this name"),
    ],
)
def test_an_output_that_cannot_be_used_is_named_and_nothing_is_written(
    code: str, line: str, said: str, broken: Callable[..., None], fabricgen: Run, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(outputs, "MOST_FILES", 50)
    monkeypatch.setattr(outputs, "MOST_BYTES", 1 << 20)
    broken(f"def make(view):\n    {code}\n", "outputs", line)
    name, out = line.partition(" ")[0], tmp_path / "out"
    ran = fabricgen("build", SMALL, "-o", out, "--only", name)
    assert (ran.code, out.exists()) == (2, False)
    assert f"error[FG870]: fabricgen.outputs: '{name}' of the package broken-fabric 0.3" in ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert fabricgen("build", SMALL, "-o", out, "--only", "devices").code == 0


def test_an_output_may_refuse_a_cluster(broken: Callable[..., None], fabricgen: Run, tmp_path: Path) -> None:
    refusal = "raise view.refuse('BAD201', 'no rack has a door', path=('pods', 'p1'), hint='buy doors')"
    broken(f"def make(view):\n    yield 'a', ''\n    {refusal}\n", "outputs", "doors = broken_fabric:make")
    out = tmp_path / "out"
    ran = fabricgen("build", SMALL, "-o", out, "--only", "doors,links", "--jobs", "1")
    assert (ran.code, out.exists()) == (2, False)
    assert re.search(r"leaf-spine\.yaml:\d+:\d+: error\[BAD201\]: no rack has a door\n  hint: buy doors\n", ran.err)


def test_an_add_on_that_fails_is_a_defect_of_ours(
    fabricgen: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(view: object) -> Iterator[object]:
        raise ZeroDivisionError("of our own")
        yield

    monkeypatch.setattr("fabricgen.addons.slurm.files", fail)
    ran = fabricgen("build", SMALL, "-o", tmp_path / "out", "--only", "slurm", "--jobs", "1")
    assert (ran.code, "FG870" in ran.err, "of our own" in ran.err) == (3, False, True)


def test_the_package_is_the_one_of_the_manual() -> None:
    text = (BLUEPRINTS.parent / "docs" / "api.md").read_text(encoding="utf-8")
    shown = re.findall(r"```(?:python|toml)\n(.*?)```", text.partition("## Plug-ins")[2], re.DOTALL)
    files = {
        file.name: file.read_text(encoding="utf-8") for file in ACME.rglob("*.*") if file.suffix in (".py", ".toml")
    }
    assert [sum(block in text for text in files.values()) for block in shown] == [1, 1, 1]
