"""Every example builds the bytes it built before, with and without a lock.

`tests/digests/NAME.json` has a digest for each part of a build. A change that is not meant to touch an output proves
it here; one that is meant to runs `pytest tests/test_digests.py --regenerate`, and its diff names the parts it touched.
Workbooks are left out: their compression differs between releases of zlib.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import format_lock
from fabricgen.cluster import Cluster
from fabricgen.lint.engine import Judgement
from fabricgen.pipeline import BuildOptions, build_bundles, compile_cluster, compile_design, list_usual_parts
from tests.conftest import BLUEPRINTS, EXAMPLES, bytes_of

DIGESTS = Path(__file__).parent / "digests"
ON_REQUEST = ("bom-trace", "drawings", "hosts", "labels", "scale-up")
TOO_LARGE = ("colossus-200k",)
"""Examples whose parts on request take minutes."""


def part_digests(cluster: Cluster, *parts: str) -> dict[str, str]:
    """Part of a build -> SHA-256 over the paths and contents of its files, in the order of their paths."""
    files: dict[str, dict[str, bytes]] = defaultdict(dict)
    counts = Judgement(cluster.design, cluster).count_severities
    for bundle in build_bundles(cluster, counts, BuildOptions(parts=parts)):
        for path, content in bundle.make():
            files[bundle.part][path] = hashlib.sha256(bytes_of(content)).digest()
    return {part: _digest(found) for part, found in sorted(files.items())}


def _digest(files: dict[str, bytes]) -> str:
    lines = (f"{path} {digest.hex()}\n" for path, digest in sorted(files.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_builds_the_same_bytes(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folder = tmp_path / "blueprints"
    shutil.copytree(BLUEPRINTS, folder)
    blueprint = folder / f"{name}.yaml"
    cluster = compile_cluster(compile_design(str(blueprint)))
    lock = format_lock(cluster.lock)
    plain = part_digests(cluster, *list_usual_parts(), *(() if name in TOO_LARGE else ON_REQUEST))
    blueprint.with_name(f"{name}.lock.yaml").write_text(lock, encoding="utf-8")
    locked = part_digests(compile_cluster(compile_design(str(blueprint))))
    found: dict[str, object] = {"lock": hashlib.sha256(lock.encode()).hexdigest(), "plain": plain, "locked": locked}
    for phase in cluster.design.loaded.blueprint.phases:
        at = compile_cluster(cluster.design, phase)
        assert format_lock(at.lock) == lock  # that of the end, so that building a phase moves no number of the next
        found |= {f"phase {phase}": part_digests(at, *list_usual_parts(), *ON_REQUEST)}
    file = DIGESTS / f"{name}.json"
    if request.config.getoption("--regenerate"):
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(file.read_text(encoding="utf-8"))


def test_every_file_of_digests_is_of_an_example() -> None:
    assert {file.stem for file in DIGESTS.glob("*.json")} == set(EXAMPLES)
