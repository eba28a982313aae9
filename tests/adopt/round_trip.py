"""Pages found again: what the devices of a cluster would say, and a list of them, given to `adopt`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fabricgen.addons.emulation.emulate import emulate_hall
from fabricgen.adopt.adopting import Adoption, adopt
from fabricgen.adopt.words import write_files
from fabricgen.api import ClusterView, compile_blueprint, make_files
from fabricgen.verify.planned import make_plan
from fabricgen.verify.report import VerifyRequest
from fabricgen.verify.verification import verify
from tests.conftest import BLUEPRINTS, SMALLER
from tests.hall.examples import EXAMPLES

Link = frozenset[tuple[str, str]]
PAGES = Path(__file__).parent / "pages"
"""Clusters that no example shows."""


@dataclass(frozen=True)
class Returned:
    """What came back of an example: links in all, and those that the page does not give, or gives beside them."""

    adoption: Adoption
    page: str
    links: int
    lost: int
    beside: int


def compile_example(example: str) -> ClusterView:
    """An example in the size in which it is tried, or a page of these tests."""
    name = example.partition(" ")[0]
    page = PAGES / f"{name}.yaml"
    file = page if page.is_file() else BLUEPRINTS / f"{name}.yaml"
    return compile_blueprint(str(file), EXAMPLES.get(example, SMALLER.get(name, ())))


def compile_renamed(page: Path, call: Callable[[str], str], folder: Path) -> ClusterView:
    """A cluster whose devices are called otherwise; its page is written to a folder."""
    usual = [row["device"] for row in list_devices(compile_blueprint(str(page)))]
    rows = "".join(f"    {name}: {call(name)}\n" for name in usual)
    renamed = folder / page.name
    renamed.write_text(f"{page.read_text(encoding='utf-8')}names:\n  devices:\n{rows}", encoding="utf-8")
    return compile_blueprint(str(renamed))


def list_devices(view: ClusterView) -> list[dict[str, str]]:
    """The rows of devices.csv."""
    return list(csv.DictReader(io.StringIO(make_files(view, "devices")["devices.csv"].decode())))


def list_links(view: ClusterView) -> set[Link]:
    """The links of a cluster with a cable but those of scale-up, which no dump tells, by device and port."""
    rows = csv.DictReader(io.StringIO(make_files(view, "links")["links.csv"].decode()))
    told = [r for r in rows if r["cable"] and not r["a_port"].startswith("gpu")]
    return {frozenset(((r["a_device"], r["a_port"]), (r["b_device"], r["b_port"]))) for r in told}


def lay_out_hall(view: ClusterView, folder: Path, faults: int = 0, seed: int = 0) -> tuple[Path, Path]:
    """(dumps of a cluster's devices, the list of its devices), written to a folder."""
    dumps = folder / "dumps"
    for name, text in emulate_hall(view, faults, seed).write_dumps().items():
        file = dumps / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    devices = folder / "devices.csv"
    devices.write_bytes(make_files(view, "devices")["devices.csv"])
    return dumps, devices


def list_actions(view: ClusterView, dumps: Path) -> set[tuple[str, frozenset[tuple[str, str]]]]:
    """What `verify` says has to be done: the kind of each action, and the ports that it is about."""
    report = verify(make_plan(view._cluster), [str(dumps)], VerifyRequest((), None, False), 1).report
    return {(a.kind.value, frozenset((end.device, end.port) for end in a.ends)) for a in report.actions}


def list_names_and_models(view: ClusterView, folder: Path) -> Path:
    """A list of devices that tells no more than what each is."""
    file = folder / "models.csv"
    rows = [f"{row['device']},{row['model']},{row['nos']}\n" for row in list_devices(view)]
    file.write_text(f"name,device_type,platform\n{''.join(rows)}", encoding="utf-8")
    return file


def write_found(found: Adoption, folder: Path) -> Path:
    """A page that was found, with the tables beside it, written to a folder."""
    page = folder / "page.yaml"
    for path, content in write_files(found.words, str(page)).items():
        Path(path).write_bytes(content)
    return page


def adopt_example(example: str, folder: Path, *, lists: bool = False) -> Returned:
    """Adopt an example from its dumps and the list of its devices, and hold what its page builds against it.

    With `lists` the links are those of links.csv, not of dumps.
    """
    view = compile_example(example)
    if lists:
        files = {name: folder / f"{name}.csv" for name in ("links", "devices")}
        for name, file in files.items():
            file.write_bytes(make_files(view, name)[file.name])
        found = adopt(example.partition(" ")[0], [], list(map(str, files.values())), jobs=1)
    else:
        dumps, devices = lay_out_hall(view, folder)
        found = adopt(example.partition(" ")[0], [str(dumps)], [str(devices)], jobs=1)
    page = write_found(found, folder)
    again, links = list_links(compile_blueprint(str(page))), list_links(view)
    return Returned(found, page.read_text(encoding="utf-8"), len(links), len(links - again), len(again - links))
