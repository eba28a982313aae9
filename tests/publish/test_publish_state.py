"""What a build remembers of a folder: nothing is made or read twice, and nothing that was touched is trusted."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

import fabricgen.publish.folder as folders
import fabricgen.publish.stager as stagers
import fabricgen.publish.state as states
from fabricgen.publish import Bundle, PublishReport, cache_folder, publish_folder
from fabricgen.publish.exchange import can_exchange
from fabricgen.publish.state import Memory
from tests.publish.publishing import HEADER, A, bundles_of, expected, tree

CONFIGS = {"leaf-1": b"one", "leaf-2": b"two", "leaf-3": b"three"}


class Producer:
    """Bundles of configurations, which remembers what it was asked to make."""

    def __init__(self, target: Path) -> None:
        self.target, self.cache, self.made = target, target.with_name("cache"), list[str]()

    def bundles(self, configs: dict[str, bytes], known: bool) -> Iterable[Bundle]:
        for name, content in configs.items():

            def make(name: str = name, content: bytes = content) -> list[tuple[str, bytes]]:
                self.made.append(name)
                return [(f"configs/{name}/a.cfg", content), (f"configs/{name}/b.cfg", b"")]

            yield Bundle("configs", name, make, (lambda content=content: content) if known else None)

    def build(
        self, configs: dict[str, bytes] = CONFIGS, known: bool = True, parts: frozenset[str] | None = None
    ) -> tuple[PublishReport, list[str]]:
        """Build, after a while, and tell what was made for it."""
        self.made.clear()
        bundles = self.bundles(configs, known)
        report = publish_folder(self.target, bundles, header=HEADER, parts=parts, cache=self.cache)
        found = {path: content for path, content in tree(self.target).items() if path != "manifest.json"}
        assert found == {
            f"configs/{name}/{file}": text for name, content in configs.items() for file, text in _files(content)
        }
        return report, self.made


def _files(content: bytes) -> list[tuple[str, bytes]]:
    return [("a.cfg", content), ("b.cfg", b"")]


@pytest.fixture
def producer(target: Path, monkeypatch: pytest.MonkeyPatch) -> Producer:
    """A producer whose folder was built, long ago as far as clocks can tell."""
    monkeypatch.setattr(states, "_racy", lambda found, now: False)
    made = Producer(target)
    assert made.build() == (PublishReport(6, 0, 0), list(CONFIGS))
    return made


def test_nothing_is_made_again_from_the_same_inputs(producer: Producer) -> None:
    assert producer.build() == (PublishReport(0, 6, 0), [])
    assert producer.build() == (PublishReport(0, 6, 0), [])


def test_only_what_follows_from_other_inputs_is_made(producer: Producer) -> None:
    assert producer.build({**CONFIGS, "leaf-2": b"new"}) == (PublishReport(1, 5, 0), ["leaf-2"])
    report, made = producer.build({**CONFIGS, "leaf-2": b"new", "leaf-4": b"four"})
    assert report.written == 2
    assert set(made) <= {"leaf-2", "leaf-4", *CONFIGS}
    assert "leaf-4" in made


def test_what_was_linked_into_a_new_folder_is_known_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also though it has one name less once the old folder is gone."""
    monkeypatch.setattr(states, "_racy", lambda found, now: False)
    producer, changed = Producer(tmp_path / "out"), {**CONFIGS, "leaf-2": b"new"}
    producer.build()
    inode = producer.target.stat().st_ino
    assert producer.build(changed) == (PublishReport(1, 5, 0), ["leaf-2"])
    assert not can_exchange() or producer.target.stat().st_ino != inode
    assert producer.build(changed) == (PublishReport(0, 6, 0), [])


def test_inputs_say_nothing_of_what_others_made_since(producer: Producer) -> None:
    """As by a user's own templates, whose inputs are unknown, and for a single part."""
    others = dict.fromkeys(CONFIGS, b"by a template")
    assert producer.build(others, known=False, parts=frozenset({"configs"})) == (PublishReport(3, 3, 0), list(CONFIGS))
    assert producer.build() == (PublishReport(3, 3, 0), list(CONFIGS))


@pytest.mark.parametrize("damage", ["remove", "manifest"])
def test_what_was_touched_is_made_again(producer: Producer, damage: str) -> None:
    path = producer.target / "configs/leaf-2/a.cfg"
    if damage == "manifest":
        text = (producer.target / "manifest.json").read_text()
        data = json.loads(text)
        data["files"]["configs/leaf-2/a.cfg"]["sha256"] = "0" * 64
        (producer.target / "manifest.json").write_text(json.dumps(data))
    else:
        path.unlink()
    assert producer.build()[1] == ["leaf-2"]
    manifest = expected([("configs", f"configs/{n}/{f}", t) for n, c in CONFIGS.items() for f, t in _files(c)])
    assert tree(producer.target) == manifest


@pytest.mark.parametrize("damage", ["remove", "cut", "flip", "of others", "link", "not ours", "folder"])
def test_a_damaged_cache_makes_builds_slower_only(producer: Producer, damage: str) -> None:
    (state,) = producer.cache.glob("folder-*.state")
    assert state.stat().st_mode & 0o777 == 0o600
    text = state.read_bytes()
    state.unlink()
    if damage == "cut":
        state.write_bytes(text[: len(text) // 2])
    elif damage == "flip":
        state.write_bytes(text.replace(b"leaf-1", b"leaf-9"))
    elif damage == "of others":
        state.write_bytes(text)
        state.chmod(0o666)
    elif damage == "link":
        (state.parent / "elsewhere").write_bytes(text)
        state.symlink_to("elsewhere")
    elif damage == "not ours":
        state.write_bytes(b"x\n[]")
    elif damage == "folder":
        state.mkdir()
    assert producer.build() == (PublishReport(0, 6, 0), list(CONFIGS))


def test_another_release_makes_everything_again(producer: Producer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "tool_stamp", lambda: "another")
    assert producer.build() == (PublishReport(0, 6, 0), list(CONFIGS))


def test_other_parts_are_still_known_after_a_build_of_one(producer: Producer) -> None:
    links = Bundle("links", "links", lambda: [("links.csv", b"")], lambda: b"inputs")
    publish_folder(producer.target, [links], header=HEADER, parts=frozenset({"links"}), cache=producer.cache)
    producer.made.clear()
    both = [*producer.bundles(CONFIGS, True), links]
    report = publish_folder(producer.target, both, header=HEADER, cache=producer.cache)
    assert report == PublishReport(0, 7, 0)


def test_a_build_that_changes_nothing_leaves_the_cache_alone(producer: Producer) -> None:
    (state,) = producer.cache.glob("folder-*.state")
    before = state.stat().st_ino
    producer.build()
    assert state.stat().st_ino == before


def test_untouched_files_are_not_read(producer: Producer, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: str, content: bytes) -> bool:
        raise AssertionError(path)

    monkeypatch.setattr(stagers, "same_content", read)
    assert producer.build(known=False) == (PublishReport(0, 6, 0), list(CONFIGS))


@pytest.mark.parametrize(("later_ns", "trusted"), [(0, 0), (10**6, 0), (10**9, 6)])
def test_what_changed_just_now_is_not_trusted(
    target: Path, later_ns: int, trusted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a tick of the clock, a file could change again and look the same."""

    def clock(real: str) -> int:
        return later_ns + 1 + min(path.stat().st_ctime_ns for path in Path(real).rglob("*.cfg"))

    monkeypatch.setattr(states, "_clock_of", clock)
    producer = Producer(target)
    producer.build()
    known = Memory(os.path.realpath(target), producer.cache, folders.tool_stamp()).state.files
    assert len(known) == trusted


def test_only_so_many_folders_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "KEPT", 2)
    monkeypatch.setattr(states, "_racy", lambda found, now: False)
    for name in "abc":
        publish_folder(tmp_path / name, bundles_of(A), header=HEADER, cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_a_cache_that_cannot_be_written_is_no_fault(target: Path) -> None:
    target.with_name("cache").write_bytes(b"a file")
    assert Producer(target).build()[0].written == 6


def test_the_cache_is_where_users_keep_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    for name in ("FABRICGEN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache_folder() == Path("/home/ada/.cache/fabricgen")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, so not to be used")
    assert cache_folder() == Path("/home/ada/.cache/fabricgen")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/fabricgen")
    monkeypatch.setenv("FABRICGEN_CACHE_DIR", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")
