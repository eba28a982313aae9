"""Templates of names: what they may say, and what is refused."""

from __future__ import annotations

import pytest

from fabricgen.blueprint.sections.naming import Part, is_host_name, parse_template


def test_text_fields_and_widths_are_read() -> None:
    assert parse_template("a-{pod}su{su:02}{rail-group:03d}-z") == (
        Part("a-", "pod", 0),
        Part("su", "su", 2),
        Part("", "rail-group", 3),
        Part("-z", "", 0),
    )


@pytest.mark.parametrize(
    "template",
    [
        "{pod.name}",
        "{pod[0]}",
        "{pod!r}",
        "{0}",
        "{}",
        "{su:{node}}",
        "{su:2}",
        "{su:>4}",
        "{su:02x}",
        "{su:010}",
        "{su",
        "su}",
        "{{su}}",
        "su_{su}",
        "su.{su}",
        "sü{su}",
        "su {su}",
        "{__class__}",
    ],
)
def test_anything_but_plain_fields_and_widths_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_template(template)


@pytest.mark.parametrize(("text", "good"), [("a", True), ("1-a", True), ("-a", False), ("a-", False), ("", False)])
def test_host_names_are_labels(text: str, good: bool) -> None:
    assert is_host_name(text) is good


def test_host_names_have_at_most_63_characters() -> None:
    assert is_host_name("a" * 63)
    assert not is_host_name("a" * 64)
    assert not is_host_name("a\n")
