"""What the hall says: cables by their states, actions that one can go to, and no report that harms."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.export.view.page import make_page
from fabricgen.export.view.source import PageExtras
from fabricgen.export.view.verification import read_verification
from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.report import write_report
from tests.conftest import example_cluster
from tests.verify.reports.made import NAUGHTY, dark, exchanged, made, swapped
from tests.view.reports_of_verify import Hall
from tests.view.waiting import resize

NAME, SMALL = "superpod-b200", "leaf-spine"
BLUEPRINT = f"blueprints/{SMALL}.yaml"
LEAF = "compute-leaf-p1-su01-r1-01"
STATES = "() => FG.verified.load().then(v => [...v.cable].map(state => v.words[state]))"


@cache
def hall() -> Hall:
    """A SuperPOD with a swap, an exchange, a shift, a dark uplink, and cables that no dump shows."""
    made = Hall(example_cluster(NAME))
    rails = sorted((p for p in made.ports("p1-su01-n001") if "compute" in made.at[p][1]), key=lambda p: made.at[p][1])
    made.swap(*(":".join(made.at[p][1:]) for p in (rails[0], rails[2])))
    made.exchange("p1-su01-n012", "p1-su01-n013")
    down = [p for p in made.ports("compute-leaf-p1-su02-r4-01") if "-n0" in made.at[p][1]][:5]
    made.act("shift", down, "shifted by one", steps=list(zip(down[1:], down, strict=False)))
    made.dark(f"{LEAF}:17/1")
    made.unseen.update(made.at[p][0] for p in made.ports("p1-su04-n020"))
    return made


def written(tmp_path: Path, report: object) -> str:
    """The file of a report."""
    file = tmp_path / "report.json"
    file.write_text(report if isinstance(report, str) else json.dumps(report), encoding="utf-8")
    return str(file)


def page_text(report: str, name: str) -> str:
    """The page of an example with a report, by its file."""
    cluster = example_cluster(name)
    return make_page(cluster, PageExtras(verification=read_verification(report, cluster)))


def opened(pages, tmp_path, report, fragment="", name=NAME):
    """The page of an example with a report, when it is coloured."""
    text = page_text(written(tmp_path, report), name)
    shown = pages.of(example_cluster(name), fragment, text)
    shown.wait_for_selector("html[data-overlay=verify]")
    shown.wait_for_selector("#legend li")
    return shown


def test_cables_have_the_states_of_the_report(pages, tmp_path):
    shown, found = opened(pages, tmp_path, hall().report(NAME)), Counter()
    states = dict(zip(hall().ids, shown.evaluate(STATES), strict=True))
    for one, state in states.items():
        found[state] += 1
        wanted = hall().wrong.get(one, "unseen" if one in hall().unseen else "as planned")
        last = hall().actions[2]["cables"][-1]
        assert state == ("dark" if one == last else wanted)
    told = shown.locator("#legend > ul li").all_inner_texts()
    assert f"as planned: {found['as planned']:,}" in told[0]
    assert "unseen: " in told[2]
    assert [text.strip()[0] for text in told] == ["✓", "≈", "·", "?", "○", "≠", "n"]


def test_a_node_that_shares_breakouts_with_exchanged_ones_is_as_planned(pages, tmp_path):
    shown = opened(pages, tmp_path, hall().report(NAME))
    states = shown.evaluate("() => FG.verified.load().then(v => [...v.device].map(state => v.words[state]))")
    node = dict(zip(hall().devices, states, strict=True))
    shared = {hall().at[p][0] for p in hall().ports("p1-su01-n010")} & hall().wrong.keys()
    assert shared
    assert (node["p1-su01-n010"], node["p1-su01-n012"], node["p1-su01-n013"]) == ("as planned", *["elsewhere"] * 2)
    texts = [shown.evaluate("id => FG.overlay.of('link', id).text", row) for row in links_of("p1-su01-n010")]
    assert all(text.startswith("as planned") for text in texts)


def links_of(device: str) -> list[int]:
    """Rows of the links of a node."""
    links, row = example_cluster(NAME).plan.links, hall().devices.index(device)
    return [i for i, end in enumerate(links.a_device.tolist()) if end == row]


def test_ribbons_and_units_say_how_many(pages, tmp_path):
    shown = opened(pages, tmp_path, hall().report(NAME))
    shown.wait_for_function("() => FG.fabricWay.bundleText.includes('1 of 256 dark')")
    texts = shown.evaluate("() => FG.fabricWay.bundleText")
    assert sum(" elsewhere" in text for text in texts) >= 4
    boxes = shown.evaluate("() => [...FG.fabricWay.boxes.level.keys()].map(i => FG.fabricWay.boxText(i)[0])")
    ends = [{hall().at[p][0] for p in hall().ports(d)} for d in hall().devices if "su02" in d]
    wrong = Counter(hall().wrong[one] for one in set().union(*ends) if one in hall().wrong)
    second = next(text for text in boxes if text.startswith(("p1 su02", "su02")))
    assert second.endswith(f"{wrong['elsewhere'] - 1} elsewhere, 1 dark")
    shown.evaluate("() => FG.set({ overlay: '' })")
    shown.wait_for_function("() => !FG.fabricWay.bundleText.includes('1 of 256 dark')")


def test_an_action_shows_where_its_plugs_are_and_belong(pages, tmp_path):
    shown = opened(pages, tmp_path, hall().report(NAME))
    shown.locator("#legend .todo button").first.click()
    shown.wait_for_selector("#inspector[data-shown='action:0'] .steps")
    shown.wait_for_function("() => FG.verified.now?.id === 0")
    now = shown.evaluate(
        "() => [FG.verified.now.planned, FG.verified.now.found].map(all => all.map(({a, b}) => [a, b]))"
    )
    planned, found = ([{hall().devices[row] for row in pair} for pair in pairs] for pairs in now)
    other = LEAF.replace("r1", "r3")
    assert [{LEAF, "p1-su01-n001"} in planned, {other, "p1-su01-n001"} in planned] == [True, True]
    assert found == [{"p1-su01-n001", LEAF}, {"p1-su01-n001", other}]
    steps = shown.locator("#inspector .steps li").first.inner_text()
    assert steps.startswith(f"pull {LEAF}:1/1 · rack-1 U12\nput in {other}:1/1 · rack-1 U12")
    bounds = "const [x, y, w, h] = FG.way.bounds({kind: 'device', id: row})"
    sees = f"row => {{ {bounds}; return FG.camera.sees(x + w / 2, y + h / 2); }}"
    assert all(shown.evaluate(sees, hall().devices.index(name)) for name in (LEAF, other, "p1-su01-n001"))
    assert shown.locator("#legend .now").count() == 1
    shown.get_by_text("Action ›").click()
    shown.wait_for_selector("#inspector[data-shown='action:1']")
    shown.wait_for_function("() => location.hash.includes('at=action%3Aexchange')")


@pytest.mark.parametrize("way", ["fabric", "hall"])
def test_an_action_is_a_place_that_one_can_link_to(pages, tmp_path, way):
    action = hall().actions[1]["id"]
    shown = opened(pages, tmp_path, hall().report(NAME), f"way={way}&action={action}")
    shown.wait_for_selector("#inspector[data-shown='action:1']")
    shown.wait_for_function("() => FG.verified.now?.exchange")
    assert set(shown.evaluate("() => [...FG.verified.now.texts.values()]")) == {"p1-su01-n012", "p1-su01-n013"}
    assert "swap the two boxes" in shown.locator("#inspector").inner_text()


def test_the_sheets_of_cables_and_devices_lead_to_their_actions(pages, tmp_path):
    shown = opened(pages, tmp_path, hall().report(NAME), f"at={LEAF}")
    shown.wait_for_selector("#inspector[data-shown^='device']")
    told = shown.locator("#inspector section").first.inner_text()
    assert "What the hall says" in told
    assert "the worst of its cables: elsewhere" in told
    assert "see nobody" in told


def test_the_keys_of_the_contract_are_enough(pages, tmp_path):
    """Without a list of what was verified, unseen cables cannot be told from those as planned, and the page says so."""
    shown = opened(pages, tmp_path, hall().contract())
    states = Counter(shown.evaluate(STATES))
    assert states["as planned"] == 0
    assert states["unseen"] == len(hall().ids) - len(hall().wrong)
    assert "(or as planned: the report does not say which)" in shown.locator("#legend").inner_text()
    shown.locator("#legend .todo button").first.click()
    shown.wait_for_selector("#inspector[data-shown='action:0']")
    green = {
        "cables": dict.fromkeys(("as_planned", "dark", "elsewhere", "unseen", "harmless", "extra"), 0),
        "actions": [],
    }
    green["cables"]["as_planned"] = len(hall().ids)
    shown = opened(pages, tmp_path, green)
    assert Counter(shown.evaluate(STATES)) == {"as planned": len(hall().ids)}
    assert "Nothing is to be done" in shown.locator("#legend").inner_text()


def test_the_report_that_verify_writes(fabricgen, pages, tmp_path):
    """With the words of consequences, and a name that would run if it could."""
    report = made(replace(swapped(), text=f"<img src=x onerror=alert(1)> {NAUGHTY}"), dark(), exchanged())
    content = write_report("json", report).decode()
    file = tmp_path / "cluster.html"
    ran = fabricgen("view", BLUEPRINT, "--verify", written(tmp_path, content), "-o", file)
    assert ran.code == 0, ran.err
    shown = pages.at(file.as_uri())
    moves = [bool(action["steps"]) for action in json.loads(content)["actions"]]  # the costliest comes first
    shown.locator("#legend .todo button").nth(moves.index(True)).click()
    shown.wait_for_selector("#inspector .steps")
    told = shown.locator("#inspector").inner_text()
    assert "<img src=x onerror=alert(1)>" in told
    assert "rails crossed (compute 1->2)" in told
    assert "another lies there" in told
    assert shown.locator("img").count() == 0
    for i in (0, 1, 2):
        shown.locator("#legend .todo button").nth(i).click()
        shown.wait_for_selector(f"#inspector[data-shown='action:{i}']")


def small() -> dict:
    """A report of the small example that is as planned."""
    return json.loads(write_report("json", made()))


WRONG = {
    "truncated": lambda text: text[: len(text) // 2],
    "no JSON": lambda _: "a,b\n1,2\n",
    "an array": lambda _: "[]",
    "nothing": lambda _: "",
    "deep": lambda _: "[" * 100_000,
    "no actions": lambda text: text.replace('"actions"', '"others"'),
    "counts below zero": lambda text: text.replace('"dark": 0', '"dark": -1'),
    "counts of text": lambda text: text.replace('"dark": 0', '"dark": "many"'),
    "an action of text": lambda text: text.replace('"actions": []', '"actions": ["swap"]'),
    "half a character": lambda text: text.replace("leaf-spine", "\\ud800"),
    "another blueprint": lambda text: text.replace('"name": "leaf-spine"', '"name": "other"'),
    "more cables": lambda text: text.replace('"as_planned": 24', '"as_planned": 999'),
    "unknown cables": lambda text: text.replace(f'"{LEAF}"', '"leaf-of-another"'),
    "control characters": lambda text: text + "\x07",
    "binary": lambda text: text + "\0",
}


@pytest.mark.tenth
@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_report_of_this_hall_is_refused_at_its_place(fabricgen, tmp_path, case):
    file, page = written(tmp_path, WRONG[case](json.dumps(small(), indent=2))), tmp_path / "cluster.html"
    ran = fabricgen("view", BLUEPRINT, "--verify", file, "-o", page)
    assert ran.code == 2, ran.err
    assert ran.err.startswith(f"{file}:")
    assert "error[FG066]" in ran.err or "error[FG00" in ran.err
    assert not page.exists()


def test_the_line_is_that_of_the_fault(tmp_path):
    text = json.dumps(small(), indent=2)
    cluster = example_cluster(SMALL)
    with pytest.raises(InputError) as refused:
        read_verification(written(tmp_path, text[:200]), cluster)
    assert refused.value.diagnostics[0].span.line == text[:200].count("\n") + 1
    odd = text.replace(f'"{LEAF}": "', f'"{LEAF}": "99 ')
    with pytest.raises(InputError, match=f"the blueprint has no cable '{LEAF}:99'"):
        read_verification(written(tmp_path, odd), cluster)
    with pytest.raises(InputError, match="no such file"):
        read_verification(str(tmp_path / "none.json"), cluster)


def test_a_picture_has_no_report(fabricgen, tmp_path):
    file = written(tmp_path, small())
    ran = fabricgen("view", BLUEPRINT, "--verify", file, "-o", tmp_path / "cluster.svg")
    assert ran.code == 2
    assert "by a page" in ran.err


def test_a_page_without_a_report_has_nothing_of_it():
    assert "FG.verified" not in make_page(example_cluster(SMALL))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([LEAF, f"{LEAF}:29", "dark"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("device"), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=80)
@given(st.data())
def test_a_report_with_anything_in_any_place_is_shown_or_refused(tmp_path_factory, data):
    report = json.loads(write_report("json", made(swapped(), dark(), exchanged())))
    for _ in range(data.draw(st.integers(1, 3))):
        place = report
        while isinstance(place, dict | list) and place:
            keys = sorted(place) if isinstance(place, dict) else range(len(place))
            key = data.draw(st.sampled_from(keys))
            if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
                place[key] = data.draw(JSON)
                break
            place = place[key]
    file = tmp_path_factory.getbasetemp() / "any.json"
    file.write_text(json.dumps(report), encoding="utf-8")
    cluster = example_cluster(SMALL)
    refused = ()
    try:
        found = read_verification(str(file), cluster)
        assert make_page(cluster, PageExtras(verification=found)).encode()
    except InputError as error:
        refused = error.diagnostics
    assert all(each.span for each in refused)


def test_on_a_phone_what_is_to_be_done_comes_first(pages, tmp_path):
    shown = opened(pages, tmp_path, hall().report(NAME))
    resize(shown, 390, 844)

    def top(place):
        return shown.locator(place).first.bounding_box()["y"]

    shown.wait_for_selector("#inspector h3")
    assert top("#side") <= top("#legend") < top("#legend .todo") < top("#inspector"), (
        "before what the cluster is in all"
    )
    shown.locator("#legend .todo .go").first.click()
    shown.wait_for_selector("#inspector .steps")
    assert top("#side") <= top("#inspector h2") < top("#inspector .told") < top("#inspector .steps") < top("#legend")
    assert top("#inspector .steps") < top("#inspector section:has(h3:text('Cables'))")
