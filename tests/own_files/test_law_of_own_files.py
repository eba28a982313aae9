"""What fabricgen writes, fabricgen reads: of a plan's own files every command says that nothing differs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import EXAMPLES, Ran
from tests.laws import law_cases
from tests.own_files.written import Run, Written, write_example

NO_DIFFERENCES = (0, "no differences\n", "")


def said(ran: Ran) -> tuple[int, str, str]:
    """The exit code, and what was written to standard output and standard error."""
    return ran.code, ran.out, ran.err


def plan_from_the_folder(written: Written) -> None:
    assert said(written.run("plan", written.built, written.blueprint)) == NO_DIFFERENCES


def plan_to_the_folder(written: Written) -> None:
    assert said(written.run("plan", written.blueprint, written.built)) == NO_DIFFERENCES


def plan_of_the_folder_alone(written: Written) -> None:
    assert said(written.run("plan", written.built, written.built)) == NO_DIFFERENCES


def plan_under_the_lock(written: Written) -> None:
    assert said(written.run("plan", written.built, written.locked)) == NO_DIFFERENCES


def view_against_the_folder(written: Written) -> None:
    page = written.folder / "page.html"
    assert said(written.run("view", written.blueprint, "--against", written.built, "-o", page)) == (0, "", "")


def check_of_tables(written: Written) -> None:
    files = len(list(written.built.glob("configs/*/config_db.json")))
    ran = written.run("check", written.built)
    if files:
        assert said(ran) == (0, f"{files} file{'s' * (files > 1)}: 0 problems\n", "")
    else:
        assert (ran.code, "there is no config_db.json in" in ran.err) == (2, True)


def check_of_what_runs(written: Written) -> None:
    """The built configurations are what devices run; no plan of InfiniBand alone has any."""
    folders = [folder for folder in written.built.glob("configs/*") if folder.is_dir()]
    configured = sum(not (folder / "topology.net").exists() for folder in folders)
    for plan in (written.blueprint, written.built):
        ran = written.run("check", plan, "--running", written.built, "--strict", "--jobs", "1")
        if configured:
            count = f"{configured:,} device{'s' * (configured > 1)}"
            assert said(ran) == (0, f"{count} compared: 0 errors, 0 warnings, 0 infos\n", "")
        else:
            assert (ran.code, "FG144" in ran.err) == (2, True)


def verify_a_hall_as_planned(written: Written) -> None:
    for plan in (written.blueprint, written.built):
        _as_planned(written.run("verify", plan, written.hall, "--jobs", "1"))


def verify_what_opensm_is_given(written: Written) -> None:
    """The topology of an InfiniBand fabric is a dump in the words of ibnetdiscover."""
    for topology in written.built.glob("configs/*/topology.net"):
        ran = written.run("verify", written.blueprint, topology, "--only", topology.parent.name, "--jobs", "1")
        _as_planned(ran)


def take_an_untouched_sheet(written: Written) -> None:
    for sheet in (written.sheet, written.saved_as_csv):
        _untouched(written.run("as-built", written.blueprint, sheet))


def take_untouched_workbooks(written: Written) -> None:
    _untouched(written.run("as-built", written.blueprint, *written.workbooks))


def import_own_lists(written: Written) -> None:
    lock = written.locked.with_suffix(".lock.yaml")
    before = lock.read_bytes()
    for own in (written.netbox, written.built / "devices.csv", written.built / "links.csv"):
        assert said(written.run("lock", written.locked, "--import", own)) == (0, "", f"{lock} is up to date\n")
        assert lock.read_bytes() == before


def build_again(written: Written) -> None:
    """A build over a build changes nothing, under the lock as well."""
    for blueprint, more in ((written.blueprint, ()), (written.locked, ("--locked",))):
        ran = written.run("build", blueprint, "-o", written.built, "--jobs", "1", *more)
        assert ran.code == 0, ran.err
        assert re.search(r": 0 files written, \d+ unchanged, 0 removed in ", ran.err), ran.err


def _as_planned(ran: Ran) -> None:
    told = re.match(r"[\w-]+: ([\d,]+) cables?: \1 as planned\n", ran.out)
    assert (ran.code, bool(told), ran.err) == (0, True, ""), ran.out[:1000] + ran.err


def _untouched(ran: Ran) -> None:
    told = re.fullmatch(r"no new changes\n([\d,]+) cables? listed of \1: 0 done, \1 open, 0 faulty\n", ran.out)
    assert (ran.code, bool(told), ran.err) == (0, True, ""), ran.out[:1000] + ran.err


READERS: dict[str, Callable[[Written], None]] = {
    reader.__name__: reader
    for reader in (
        plan_from_the_folder,
        plan_to_the_folder,
        plan_of_the_folder_alone,
        plan_under_the_lock,
        view_against_the_folder,
        check_of_tables,
        check_of_what_runs,
        verify_a_hall_as_planned,
        verify_what_opensm_is_given,
        take_an_untouched_sheet,
        take_untouched_workbooks,
        import_own_lists,
        build_again,
    )
}

CASES = law_cases("own files are read", [(name, reader) for name in EXAMPLES for reader in READERS])


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, Run], Written]]:
    """Examples as written; one is kept at a time, as cases of one follow each other."""
    kept: dict[str, Written] = {}

    def example(name: str, run: Run) -> Written:
        if name not in kept:
            _remove(kept)
            kept[name] = write_example(name, tmp_path_factory.mktemp(name) / "site", run)
        kept[name].run = run
        return kept[name]

    yield example
    _remove(kept)


def _remove(kept: dict[str, Written]) -> None:
    for written in kept.values():
        shutil.rmtree(written.folder)
    kept.clear()


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize(("name", "reader"), CASES, ids=[f"{name}-{reader}" for name, reader in CASES])
def test_own_files_say_nothing(name: str, reader: str, examples: Callable[[str, Run], Written], fabricgen: Run) -> None:
    READERS[reader](examples(name, fabricgen))
