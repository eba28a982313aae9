"""Files that the user edited: a build keeps them, says so, and leaves the new content beside them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fabricgen.publish import FileBundle, PublishReport, publish_folder
from tests.publish.publishing import HEADER, A, B, File, expected, only_entry, publish, refusal, tree

MINE = b"redlined by hand"
WORKBOOK: list[File] = [("technician", "technician/hall.xlsx", b"as built by fabricgen")]
NEWER: list[File] = [("technician", "technician/hall.xlsx", b"with another pod")]
PLACE, BESIDE = "technician/hall.xlsx", "technician/hall.xlsx.new"
TECHNICIAN = frozenset({"technician"})


def edit(target: Path, path: str = PLACE, content: bytes = MINE) -> None:
    (target / path).write_bytes(content)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def digests(target: Path) -> dict[str, str]:
    """What the manifest says of each file."""
    files = json.loads((target / "manifest.json").read_bytes())["files"]
    return {path: entry["sha256"] for path, entry in files.items()}


def files_in(target: Path) -> dict[str, bytes | str | None]:
    return {path: content for path, content in tree(target).items() if path != "manifest.json"}


def test_an_edited_file_is_kept_with_the_new_content_beside_it(target: Path) -> None:
    publish(target, A)
    edit(target, "links.csv")
    assert publish(target, B) == PublishReport(3, 1, 2, {"links.csv": "links.csv.new"})
    assert files_in(target) == {**{p: c for _, p, c in B}, "links.csv": MINE, "links.csv.new": b"a,b\n1,3\n"}
    assert digests(target)["links.csv"] == digest(b"a,b\n1,2\n")
    assert digests(target)["links.csv.new"] == digest(b"a,b\n1,3\n")
    assert only_entry(target.parent, "out")


def test_an_edited_file_that_is_no_longer_built_is_the_users_own_from_then_on(target: Path) -> None:
    """As a workbook is when a plain build, which has no workbooks, follows one of technicians' papers."""
    publish(target, [*WORKBOOK, ("technician", "technician/unread.xlsx", b"")])
    edit(target)
    assert publish(target, A) == PublishReport(5, 0, 1, {PLACE: ""})
    assert tree(target) == expected(A, {PLACE: MINE})
    assert publish(target, A, force=True) == PublishReport(0, 5, 0)
    assert tree(target) == expected(A, {PLACE: MINE})
    assert refusal(lambda: publish(target, [*A, *WORKBOOK]))[0] == "FG020"


def test_an_edited_file_of_a_part_that_is_built_alone_is_kept(target: Path) -> None:
    publish(target, [*A, *WORKBOOK])
    edit(target)
    assert publish(target, NEWER, TECHNICIAN) == PublishReport(1, 0, 0, {PLACE: BESIDE})
    assert (target / PLACE).read_bytes() == MINE
    assert (target / BESIDE).read_bytes() == b"with another pod"


def test_parts_that_are_not_built_keep_what_was_edited_and_what_lies_beside(target: Path) -> None:
    publish(target, [*A, *WORKBOOK])
    edit(target)
    publish(target, NEWER, TECHNICIAN)
    before = digests(target)
    assert publish(target, B[:1], frozenset({"links"})) == PublishReport(1, 0, 0)
    assert (target / PLACE).read_bytes() == MINE
    assert (target / BESIDE).read_bytes() == b"with another pod"
    assert {**digests(target), "links.csv": ""} == {**before, "links.csv": ""}


def test_the_same_build_after_an_edit_touches_nothing(target: Path) -> None:
    publish(target, A)
    edit(target, "links.csv")
    publish(target, A)
    before = {path: path.stat().st_ino for path in [target, *target.rglob("*")]}
    assert publish(target, A) == PublishReport(0, 5, 0, {"links.csv": "links.csv.new"})
    assert {path: path.stat().st_ino for path in [target, *target.rglob("*")]} == before


def test_each_build_after_an_edit_brings_what_lies_beside_up_to_date(target: Path) -> None:
    publish(target, A)
    edit(target, "links.csv")
    for files in (A, B, A, B):
        publish(target, files)
        assert (target / "links.csv").read_bytes() == MINE
        assert (target / "links.csv.new").read_bytes() == files[0][2]
    edit(target, "links.csv", b"edited once more")
    publish(target, A)
    assert (target / "links.csv").read_bytes() == b"edited once more"


@pytest.mark.tenth
@pytest.mark.parametrize("how", ["revert", "delete", "take the new content", "move the new content", "force"])
def test_the_new_content_takes_the_place_of_an_edit_that_is_given_up(target: Path, how: str) -> None:
    publish(target, A)
    edit(target, "links.csv")
    publish(target, B)
    if how == "revert":
        edit(target, "links.csv", b"a,b\n1,2\n")
    elif how == "delete":
        (target / "links.csv").unlink()
    elif how == "take the new content":
        edit(target, "links.csv", b"a,b\n1,3\n")
    elif how == "move the new content":
        (target / "links.csv.new").replace(target / "links.csv")
    newest: list[File] = [("links", "links.csv", b"a,b\n1,4\n"), *B[1:]]
    assert publish(target, newest, force=how == "force").kept == {}
    assert tree(target) == expected(newest)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"a,b\n1,3\n"])
def test_an_edit_that_comes_to_what_is_built_is_none(target: Path, content: bytes) -> None:
    publish(target, A)
    edit(target, "links.csv")
    publish(target, B)
    edit(target, "links.csv", content)
    publish(target, B)
    assert tree(target) == expected(B)


def test_force_removes_what_is_no_longer_built(target: Path) -> None:
    publish(target, [*A, *WORKBOOK])
    edit(target)
    assert publish(target, B, force=True) == PublishReport(3, 1, 3)
    assert tree(target) == expected(B)


def test_what_lies_beside_may_be_edited_too(target: Path) -> None:
    publish(target, A)
    edit(target, "links.csv")
    publish(target, A)
    edit(target, "links.csv.new", b"merged by hand")
    report = publish(target, B)
    assert report.kept == {"links.csv": "links.csv.new.new", "links.csv.new": "links.csv.new.new"}
    assert (target / "links.csv").read_bytes() == MINE
    assert (target / "links.csv.new").read_bytes() == b"merged by hand"
    assert (target / "links.csv.new.new").read_bytes() == b"a,b\n1,3\n"
    (target / "links.csv.new").replace(target / "links.csv")
    publish(target, A)
    assert (target / "links.csv").read_bytes() == b"merged by hand"
    assert (target / "links.csv.new").read_bytes() == b"a,b\n1,2\n"
    assert not (target / "links.csv.new.new").exists()


def test_a_file_of_the_user_where_the_new_content_would_lie_is_kept(target: Path) -> None:
    publish(target, A)
    edit(target, "links.csv")
    (target / "links.csv.new").write_bytes(b"a name that the user took")
    publish(target, B)
    publish(target, B)
    assert (target / "links.csv.new").read_bytes() == b"a name that the user took"
    assert (target / "links.csv.new.new").read_bytes() == b"a,b\n1,3\n"
    assert "links.csv.new" not in digests(target)
    publish(target, B, force=True)
    assert tree(target) == expected(B, {"links.csv.new": b"a name that the user took"})


def test_a_link_in_place_of_a_file_is_kept(target: Path) -> None:
    publish(target, A)
    (target / "bom.csv").unlink()
    (target / "bom.csv").symlink_to("links.csv")
    publish(target, B)
    assert (target / "bom.csv").readlink() == Path("links.csv")
    assert (target / "bom.csv.new").read_bytes() == b"part\n"
    publish(target, B, force=True)
    assert tree(target) == expected(B)


def test_an_edited_file_where_a_folder_would_be_is_named(target: Path) -> None:
    publish(target, [("x", "a", b"1")])
    edit(target, "a")
    code, message = refusal(lambda: publish(target, [("x", "a/b", b"2")]))
    assert (code, message) == (
        "FG020",
        f"{target / 'a'} is in the way and was not written by fabricgen, or edited since",
    )
    assert (target / "a").read_bytes() == MINE
    publish(target, [("x", "a/b", b"2")], force=True)
    assert tree(target) == expected([("x", "a/b", b"2")])


def test_an_edited_list_that_comes_in_pieces_is_kept(target: Path) -> None:
    def lists(last: bytes) -> list[FileBundle]:
        def make() -> Iterator[tuple[str, Iterator[bytes]]]:
            yield "links.csv", iter([b"a,b\n", last])

        return [FileBundle("links", "links", make)]

    build = partial(publish_folder, target, header=HEADER)
    build(lists(b"1,2\n"))
    edit(target, "links.csv")
    assert build(lists(b"1,3\n")) == PublishReport(1, 0, 0, {"links.csv": "links.csv.new"})
    assert files_in(target) == {"links.csv": MINE, "links.csv.new": b"a,b\n1,3\n"}
    assert build(lists(b"1,3\n")) == PublishReport(0, 1, 0, {"links.csv": "links.csv.new"})
    assert files_in(target) == {"links.csv": MINE, "links.csv.new": b"a,b\n1,3\n"}
    assert build(lists(b"1,3\n"), force=True) == PublishReport(1, 0, 1)
    assert files_in(target) == {"links.csv": b"a,b\n1,3\n"}


def test_a_new_time_stamp_is_no_edit(target: Path) -> None:
    publish(target, A)
    os.utime(target / "links.csv", ns=(10**18, 10**18))
    assert publish(target, B).kept == {}
    assert tree(target) == expected(B)
