"""QoS, the choice among equal paths, and sessions: the nearest profile, and what differs from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, Vote, find_majority, state_by_fabric
from fabricgen.blueprint.sections.qos import Trim
from fabricgen.blueprint.sections.routing import FLOW_AGING_S, LoadBalance
from fabricgen.design.qos import QosIntent, compute_ecn_thresholds
from fabricgen.switch.qos import SwitchQos
from fabricgen.switch.routing import Peer, SessionBfd
from fabricgen.views.balancing import choose_hash_seed
from fabricgen.views.model.routing import is_routed_by_daemon

AUTO = LoadBalance.model_construct(seeds="auto")


def infer_qos(draft: Draft) -> list[Stated]:
    """The keys of `qos` in which a fabric differs from what the page gives it."""
    ballots: dict[tuple[str, str], list[tuple[str, Any]]] = defaultdict(list)
    for pair in draft.list_pairs():
        for key, value in _list_qos(draft, pair) if pair.view.ports else ():
            ballots[pair.fabric, key].append((pair.view.name, value))
    votes = {
        place: vote for place, ballot in ballots.items() if (vote := find_majority(ballot)) and vote.value is not None
    }
    return [
        Stated(("fabrics", f, "qos", key), vote.value, vote.facts, vote.against) for (f, key), vote in votes.items()
    ]


def _list_qos(draft: Draft, pair: Pair) -> Iterator[tuple[str, Any]]:
    """(key, value) of what a switch has, None where it is as the page gives it."""
    intent, qos, trimming = pair.view.fabric.qos, pair.running.qos, pair.running.trimming
    lossless = bool(qos and (qos.watchdog or any(port.pfc for port in qos.ports.values())))
    profile = "best-effort" if qos is None else "roce-lossless" if lossless else "roce-lossy"
    planned = "roce-lossless" if intent.lossless else "roce-lossy" if intent.marks else "best-effort"
    # what may drop packets is said beside the trimming of them
    yield "profile", profile if profile != planned or (trimming and not intent.trim) else None
    if not pair.view.lacks("packet-trim"):
        usual, cut = Trim.model_construct(), trimming
        present = (intent.trim.dscp, intent.trim.size, intent.trim.traffic_class) if intent.trim else None
        trim = (cut.dscp, cut.size, cut.traffic_class) if cut else None
        names = zip(("dscp", "size", "traffic_class"), trim or (), strict=False)
        keys = {name: value for name, value in names if value != getattr(usual, name)}
        yield "trim", keys if trim and trim != present else None
    if qos is not None and qos.ports:
        yield from _list_classes(draft, pair, qos, intent)


def _list_classes(draft: Draft, pair: Pair, qos: SwitchQos, intent: QosIntent) -> Iterator[tuple[str, Any]]:
    """The same of RoCE's class, where there is one, and of the watchdog."""
    try:
        _, cnp_class, roce_class = qos.classes
        queues = next(iter(qos.ports.values())).queues
        data, notifications = queues[roce_class], queues[cnp_class]
    except (LookupError, StopIteration):
        draft.tell("unexplained", f"{pair.view.name}.qos", "its queues are not those of RoCE and of its notifications")
        return
    values: dict[str, Any] = {"roce_class": roce_class, "cnp_class": cnp_class, "roce_percent": data.share}
    for key, traffic_class in (("roce_dscp", roce_class), ("cnp_dscp", cnp_class)):
        dscps = [dscp for dscp, number in enumerate(qos.class_of) if number == traffic_class]
        values[key] = dscps[0] if len(dscps) == 1 else getattr(intent, key)
        if len(dscps) != 1:
            draft.tell("unexplained", f"{pair.view.name}.qos.{key}", f"class {traffic_class} has DSCPs {dscps}")
    if data.ecn:
        values["mark_percent"] = data.ecn.percent
    if not pair.view.lacks("cnp-shaping"):
        values["cnp_max_percent"] = notifications.limit
    for key, value in values.items():
        yield key, value if value != getattr(intent, key) else None
    if not pair.view.dialect.ecn_fill:
        yield "ecn", _list_thresholds(pair, qos, intent)
    if qos.watchdog:
        lacks = {"restore_ms": pair.view.lacks("watchdog-restore"), "poll_ms": pair.view.lacks("watchdog-poll")}
        times = ("detect_ms", "restore_ms", "poll_ms")
        running = {key: getattr(qos.watchdog, key) for key in times if not lacks.get(key)}
        running |= {} if pair.view.lacks("watchdog-forward") else {"action": qos.watchdog.action}
        named = {"action": intent.watchdog_action} | {key: getattr(intent, key) for key in times}
        yield "watchdog", running if any(v != named[key] for key, v in running.items()) else None


def _list_thresholds(pair: Pair, qos: SwitchQos, intent: QosIntent) -> dict[str, str] | None:
    """Thresholds of all speeds of a switch where one of them is not as derived, else None."""
    speeds = {port.name: port.speed_gbps for port in pair.view.ports}
    found = dict[int, tuple[int, int]]()
    for name, port in qos.ports.items():
        marking = next((queue.ecn for queue in port.queues.values() if queue.ecn), None)
        if name in speeds and marking:
            found.setdefault(speeds[name], (marking.min_kb, marking.max_kb))
    as_derived = all(kb == compute_ecn_thresholds(intent, pair.view.is_lowest, speed) for speed, kb in found.items())
    return None if as_derived else {f"{speed}G": f"{low}-{high}" for speed, (low, high) in sorted(found.items())}


def infer_balancing(draft: Draft) -> list[Stated]:
    """`load_balance` of fabrics: by load, by flow or in turn, and what hashes begin with."""
    votes = dict[str, Vote]()
    for fabric in (fabric for fabric in draft.list_fabrics() if fabric.tiers):
        pairs = [pair for pair in draft.list_pairs() if pair.fabric == fabric.name]
        modes = find_majority((pair.view.name, mode) for pair in pairs if (mode := _find_mode(pair)))
        if not pairs:
            continue
        running = [pair.running.balancing for pair in pairs if not pair.view.lacks("hash-queue-pairs")]
        seeds = {p.view.tier.name: p.running.balancing.seed for p in pairs if p.running.balancing.seed is not None}
        derived = {p.view.tier.name: choose_hash_seed(AUTO, p.view.tier.name, p.view.level) for p in pairs}
        aging = find_majority((p.view.name, p.running.balancing.aging_s) for p in pairs if p.running.balancing.groups)
        stated: dict[str, Any] = {
            "mode": modes.value if modes else "hash",
            "queue_pairs": any(balancing.queue_pairs for balancing in running),
            "seeds": "auto" if seeds and all(derived[tier] == seed for tier, seed in seeds.items()) else seeds,
            "flow_aging_s": aging.value if aging and aging.value != FLOW_AGING_S else 0,
        }
        setting = {key: value for key, value in stated.items() if value}
        if modes and modes.value == "dynamic" and any(not pair.view.lacks("packet-spray") for pair in pairs):
            text = "`dynamic` or `spray`: what is read of a configuration does not tell which"
            draft.tell("unsure", f"fabrics.{fabric.name}.routing.load_balance", text, modes.facts)
        value = setting if len(setting) > 1 else setting["mode"]
        votes[fabric.name] = Vote(value, modes.facts if modes else len(pairs), modes.against if modes else ())
    return state_by_fabric(votes, ("routing", "load_balance"), "hash")


def _find_mode(pair: Pair) -> str:
    """The mode of a switch, "" where its NOS has but one."""
    balancing = pair.running.balancing
    if balancing.groups:
        return "cluster"
    if balancing.by_load:
        return "spray" if pair.view.lacks("dynamic-load-balance") else "dynamic"
    by_load = not (pair.view.lacks("dynamic-load-balance") and pair.view.lacks("packet-spray"))
    return "hash" if by_load and pair.view.is_lowest else ""


def infer_sessions(draft: Draft) -> list[Stated]:
    """BFD and limits of prefixes on sessions between switches."""
    names = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]

    def ask_bfd(fabric: str, pair: Pair) -> Iterator[bool | Mapping[str, int]]:
        if pair.fabric == fabric:
            yield from (write_bfd(peer.bfd) for peer in list_inner_peers(pair))

    def ask_limit(fabric: str, pair: Pair) -> Iterator[int | None]:
        if pair.fabric == fabric:
            running = {find_limit(peer) for peer in list_inner_peers(pair)}
            planned = 0 if is_routed_by_daemon(pair.view) else pair.view.fabric.max_prefixes
            if running:
                yield None if running == {planned} else max(running)

    bfd = draft.count_votes(names, ask_bfd)
    limits = {n: v for n, v in draft.count_votes(names, ask_limit).items() if v.value is not None}
    return state_by_fabric(bfd, ("routing", "bfd"), False) + state_by_fabric(limits, ("routing", "max_prefixes"))


def find_limit(peer: Peer) -> int:
    """The prefixes that a neighbour may announce, 0 for any number."""
    return max(peer.max_prefixes.values(), default=0)


def write_bfd(bfd: SessionBfd | None) -> bool | Mapping[str, int]:
    """BFD as the page has it."""
    if bfd is None or bfd == SessionBfd():
        return bfd is not None
    return {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier}


def list_inner_peers(pair: Pair) -> Iterator[Peer]:
    """The sessions of the default VRF over links to other switches."""
    bgp = pair.running.bgp.get("")
    names = {port.name for port in pair.list_links()}
    far = {end.far for name in names for end in pair.far_ends.get(name, ())}
    for key, peer in bgp.peers.items() if bgp else ():
        if key in names or key in far:
            yield peer
