"""What fabricgen writes, fabricgen reads: of a plan's own files every command says that nothing differs."""

from __future__ import annotations

import re
import shutil
import tarfile
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


def take_own_reports(written: Written) -> None:
    """A report of `verify` is what an earlier run knew, and what the page shows of the hall."""
    report, page = written.folder / "report.json", written.folder / "hall.html"
    told = written.run("verify", written.blueprint, written.hall, "-o", report, "--jobs", "1")
    assert (told.code, told.err) == (0, "")
    again = written.run("verify", written.blueprint, written.hall, "--since", report, "--jobs", "1")
    _as_planned(again)
    assert "since the earlier reports: 0 new, 0 still open\n" in again.out
    assert said(written.run("view", written.blueprint, "--verify", report, "-o", page)) == (0, "", "")


def take_what_was_learnt(written: Written) -> None:
    """The inventory table that dumps tell is one that the blueprint takes, and learns again."""
    if written.cluster.design.loaded.inventory:
        return  # which has other addresses than the made-up ones of these dumps
    hardware, again = written.folder / "hardware.csv", written.folder / "again.csv"
    _as_planned(written.run("verify", written.blueprint, written.dumps, "--learn", hardware, "--jobs", "1"))
    blueprint = written.folder / "learnt.yaml"
    blueprint.write_text(f"include: {written.blueprint.name}\ninventory: {hardware.name}\n", encoding="utf-8")
    _as_planned(written.run("verify", blueprint, written.dumps, "--learn", again, "--jobs", "1"))
    assert again.read_bytes() == hardware.read_bytes()


def compare_and_price_by_own_bills(written: Written) -> None:
    bill = written.folder / "bill.csv"
    assert said(written.run("bom", written.blueprint, "-o", bill)) == (0, "", "")
    for old in (bill, written.built, written.built / "bom.csv"):
        ran = written.run("bom", written.blueprint, "--diff", old)
        assert (ran.code, ran.err) == (0, "")
    again = written.run("bom", written.blueprint, "--prices", bill)
    assert said(again) == (0, bill.read_text(encoding="utf-8"), "")


def plan_from_an_unpacked_archive(written: Written) -> None:
    archive, target = written.folder / "archive.tar", written.folder / "unpacked"
    assert written.run("build", written.blueprint, "--archive", archive, "--jobs", "1").code == 0
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    (folder,) = (file.parent for file in target.rglob("manifest.json"))
    assert said(written.run("plan", folder, written.blueprint)) == NO_DIFFERENCES


def build_again(written: Written) -> None:
    """A build over a build changes nothing, under the lock as well."""
    for blueprint, more in ((written.blueprint, ()), (written.locked, ("--locked",))):
        ran = written.run("build", blueprint, "-o", written.built, "--jobs", "1", *more)
        assert ran.code == 0, ran.err
        assert re.search(r": 0 files written, \d+ unchanged, 0 removed in ", ran.err), ran.err


def _as_planned(ran: Ran) -> None:
    told = re.match(r"[\w-]+(?:, only [\w-]+)?: ([\d,]+) cables?: \1 as planned\n", ran.out)
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
        take_own_reports,
        take_what_was_learnt,
        compare_and_price_by_own_bills,
        plan_from_an_unpacked_archive,
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
