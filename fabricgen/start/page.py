"""The page of a cluster, made of the answers: each network in the first usual form that lints clean.

Forms are tried from the plainest on, each network beside that of the GPUs: a pair of switches, leaves and spines, pods
below cores. Each trial is compiled, wired and linted as the page of a user is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, fault
from fabricgen.lint.engine import LintSettings, lint
from fabricgen.lint.rule import load_all_rules
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.size.hardware import ROLE, Hardware, Ports
from fabricgen.size.page import count_row_racks, format_pitch
from fabricgen.size.wishes import Wishes
from fabricgen.start.answers import Answers, NodeKind
from fabricgen.start.parts import (
    ETHERNET_SWITCH,
    FEWEST_PORTS,
    MANAGEMENT,
    MOST_ON_A_PAIR,
    NAMES,
    OOB_LEAF,
    OOB_SPINE,
    POD_UNITS,
    POOLS,
    WAIVERS,
    NetworkLines,
    NodeKindAnswer,
    carries_bonds,
    list_pods,
    name_routers,
    write_bonds,
    write_exits,
    write_pair,
    write_pools,
    write_tiers,
)

ROLES = {"oob": "bmc"}
"""The role of the nodes' ports for a network, if it is not called like the network."""

PAGE = "cluster.yaml"
"""The name of the file, in messages, of the page that is tried."""

UNUSED_RULE = "FG805"
"""The rule that flags a pool without use, as in a cluster of InfiniBand alone; the page then leaves the pool out."""


class Page:
    """Makes the blueprint of some answers. Raises InputError (FG011, FG150) for unknown or unfit profiles."""

    waivers: Mapping[str, str] = WAIVERS

    def __init__(self, answers: Answers, catalog: Catalog) -> None:
        self.answers, self.catalog = answers, catalog
        several = len(answers.nodes) > 1
        self.kinds = [
            self._make_kind(nodes, f"u{number}" if several else "") for number, nodes in enumerate(answers.nodes, 1)
        ]
        self.switch = answers.switch or self._choose_switch()
        for ports in (kind.hardware.find_ports(self.switch, 1) for kind in self.kinds):
            if isinstance(ports, str):  # why the NICs of a kind do not meet it
                raise fault("FG150", ports, path=("switch",), hint="leave `switch` out: one that fits is found then")

    def _make_kind(self, nodes: NodeKind, name: str) -> NodeKindAnswer:
        """Return a kind of nodes named `name`, with as many in a rack as its power allows. Raises InputError (FG150)
        if a rack may draw less than one node does.
        """
        profile = self.catalog.node(nodes.profile, ("nodes",))
        gpus = profile.accelerators.count if profile.accelerators else 1
        wished_switch = (self.answers.switch,) if self.answers.switch else ()
        wishes = Wishes.model_validate({"gpus": nodes.count * gpus, "node": nodes.profile, "switch": wished_switch})
        hardware = Hardware(wishes, self.catalog)
        in_rack, draw_w = hardware.in_rack, profile.power_w.planning_w
        if self.answers.rack_kw and draw_w and not hardware.rack:
            in_rack = min(in_rack, int(1000 * self.answers.rack_kw // draw_w))
            if not in_rack:
                message = f"a {nodes.profile} draws {draw_w / 1000:g} kW, a rack may draw {self.answers.rack_kw:g} kW"
                raise fault("FG150", message, path=("rack_kw",), hint="state what a rack of this hall may draw")
        return NodeKindAnswer(name, nodes, hardware, in_rack)

    def _choose_switch(self) -> str:
        """Return the switch for the GPUs' network that takes the NICs of all kinds at full speed; of several the
        best by `rate_switch`. Raises InputError (FG150) if there is none.
        """
        protocol = "infiniband" if self.answers.protocol == "infiniband" else "ethernet"
        hardware = self.kinds[0].hardware
        candidates = [
            name
            for name in hardware.switches
            if self.catalog.switch(name).protocol == protocol
            and not self.catalog.switch(name).scheduled
            and all(isinstance(kind.hardware.find_ports(name, 1), Ports) for kind in self.kinds)
            and (protocol == "infiniband" or self._runs_nos(name))
        ]
        if not candidates:
            profiles = ", ".join(kind.nodes.profile for kind in self.kinds)
            running = f" that runs {self.answers.nos}" if protocol == "ethernet" and self.answers.nos else ""
            message = f"no {protocol} switch of the catalogue{running} takes the NICs of {profiles} at full speed"
            raise fault("FG150", message, path=("switch",), hint="name another `protocol`, or a `switch`")

        def rate_switch(name: str) -> tuple[bool, bool, int, str]:
            # of the node's maker, of known power, then with most ports: the fewest switches
            profile, ports = self.catalog.switch(name), hardware.find_ports(name, 1)
            most_ports = ports.count_most_down(None) if isinstance(ports, Ports) else 0
            return profile.vendor == hardware.node.vendor, profile.power_w.planning_w is not None, most_ports, name

        return max(candidates, key=rate_switch)

    def _runs_nos(self, switch: str) -> bool:
        """Whether a switch runs the NOS that the answers name, if they name one."""
        nos = self.answers.nos
        return not nos or nos in self.catalog.list_usable_nos(self.catalog.switch(switch))

    @cached_property
    def ethernet_switch(self) -> str:
        """The switch of storage and in-band: the one that the answers name, else the first that runs their NOS and
        has enough ports that fit the nodes.
        """
        gpu_switches = [self.switch] if self.answers.protocol == "roce" else []
        candidates = [ETHERNET_SWITCH, *gpu_switches, *self.catalog.ids("switches")]
        running = [
            name
            for name in dict.fromkeys(candidates)
            if self.catalog.switch(name).protocol == "ethernet"
            and not self.catalog.switch(name).scheduled
            and self._runs_nos(name)
        ]
        roles = [name for name in ("storage", self._inband_role) if name in self._roles]
        fitting = (n for n in running if all(k.count_ports(r, n) >= FEWEST_PORTS for k in self.kinds for r in roles))
        return self.answers.ethernet_switch or next(fitting, next(iter(running), ETHERNET_SWITCH))

    @cached_property
    def nos(self) -> str:
        """The NOS of the Ethernet switches: the one that the answers name, else one that all of them run and that
        can do the bonds, preferably one with port tables; "" if there is none.
        """
        if self.answers.nos:
            return self.answers.nos
        names = {self.ethernet_switch} | ({self.switch} if self.answers.protocol == "roce" else set())
        usable = [self.catalog.list_usable_nos(self.catalog.switch(name)) for name in sorted(names)]
        shared = [
            nos
            for nos in usable[0]
            if all(nos in others for others in usable) and carries_bonds(self.answers, nos, self.catalog)
        ]
        return next((nos for nos in shared if self.catalog.naming(nos).has_tables), shared[0] if shared else "")

    def find_page(self) -> str:
        """Return the page. Raises InputError (FG150) for an answer that has no effect, and if no form of a network
        lints clean, with the finding against the form that came nearest.
        """
        self._refuse_idle_answers()
        compute = self._choose_form([], self._list_compute_forms())
        networks = [compute]
        for forms in self._list_other_forms(compute):
            networks.append(self._choose_form(networks, forms))
        return self._complete_page(networks)

    @cached_property
    def _roles(self) -> frozenset[str]:
        """The roles of the ports that any kind of nodes has."""
        return frozenset(role for kind in self.kinds for role in kind.hardware.node.roles)

    def _list_networks_without_ports(self) -> list[str]:
        """Return the networks that the answers ask for and that no node has ports for."""
        answers = self.answers
        asked = {"storage": answers.storage, "inband": answers.inband, "oob": answers.oob}
        ports = {**ROLES, "inband": self._inband_role}
        return [name for name, wish in asked.items() if wish != "none" and ports.get(name, name) not in self._roles]

    @cached_property
    def _inband_role(self) -> str:
        """The role of the ports that attach to the in-band network: `inband`, or `frontend` on nodes such as HGX
        servers, which call the ports for all but compute so.
        """
        return "inband" if "inband" in self._roles or "frontend" not in self._roles else "frontend"

    @cached_property
    def _has_own_inband(self) -> bool:
        """Whether in-band has switches of its own: if that was answered, or if it was to share those of storage and
        no node has ports for storage.
        """
        wish, without_ports = self.answers.inband, self._list_networks_without_ports()
        return "inband" not in without_ports and (wish == "own" or (wish == "storage" and "storage" in without_ports))

    def _list_frontend_lines(self) -> list[str]:
        """Return the line of the page that puts nodes with `frontend` ports on the in-band switches: of kinds without
        `inband` ports, if other kinds have these; [] if there are no such kinds.
        """
        roles = [kind.hardware.node.roles for kind in self.kinds]
        if self._inband_role == "frontend" or not any("frontend" in r and "inband" not in r for r in roles):
            return []
        bond = ", bond: node" if self.answers.bonds != "none" else ""
        return [f"  frontend: {{protocol: ethernet, carried_by: inband, vrf: default{bond}}}"]

    def _refuse_idle_answers(self) -> None:
        """Raise InputError (FG150) for each answer that would change nothing."""
        stated, without_ports = self.answers.model_fields_set, self._list_networks_without_ports()
        nodes = ", ".join(kind.nodes.profile for kind in self.kinds)
        idle = {name: f"{nodes} has no ports for {name}" for name in without_ports if name in stated}
        if self.answers.providers and "inband" in without_ports:
            idle["providers"] = f"providers are met in-band, and {nodes} has no ports for that"
        if not self._has_own_inband and not (self.answers.storage == "own" and "storage" not in without_ports):
            if "ethernet_switch" in stated:
                idle["ethernet_switch"] = "there is no network of storage or in-band that has switches of its own"
            if self.answers.bonds != "none":
                idle["bonds"] = "there is no network of storage or in-band whose ports could be bonded"
            if "nos" in stated and self.answers.protocol == "infiniband" and self.answers.oob == "none":
                idle["nos"] = "no switch here is of Ethernet"
        if idle:
            shared = "; files may share the in-band ports: docs/shared-ports.md"
            hint = "leave these answers out" + shared * ("storage" in idle and "inband" not in without_ports)
            raise InputError(
                Diagnostic("FG150", Severity.ERROR, message, (name,), hint) for name, message in idle.items()
            )

    def _complete_page(self, networks: Sequence[NetworkLines]) -> str:
        """Return the page of some networks, without unused pools, and with waivers of the findings that its user has
        to decide on. Raises InputError with all other findings.
        """
        pools, findings = dict(POOLS), [*self._judge(self._write(networks, POOLS))]
        unused = [finding for finding in findings if finding.code == UNUSED_RULE and finding.path[0] == "pools"]
        for finding in unused:
            pools.pop(str(finding.path[1]), None)
        waived_codes = sorted({finding.code for finding in findings if finding.code in self.waivers})
        waivers = [f"    - {{rule: {code}, {self.waivers[code]}}}\n" for code in waived_codes]
        text = self._write(networks, pools) + ("lint:\n  waive:\n" + "".join(waivers) if waivers else "")
        if findings and all(finding in unused or finding.code in self.waivers for finding in findings):
            findings = self._judge(text)
        if findings:
            raise InputError(findings)
        return text

    def _choose_form(self, beside: Sequence[NetworkLines], forms: Iterable[NetworkLines]) -> NetworkLines:
        """Return the first form of a network that lints clean beside other networks. Raises InputError if none does."""
        refusals: list[list[Diagnostic]] = []
        for network in forms:
            try:
                self._complete_page([*beside, network])
            except InputError as error:
                refusals.append([d for d in error.diagnostics if d.code not in self.waivers] or [*error.diagnostics])
            else:
                return network
        nearest = min(refusals, key=len)[0]  # the plainest of those against which least is found
        message = f"no usual form of the network {network.names[0]} lints clean; of the nearest: {nearest.message}"
        hint = "answer otherwise, or begin with `fabricgen size` or an example (`fabricgen init --example list`)"
        path = ("hall",) if nearest.code == "FG067" else ()
        raise fault("FG150", message, path=path, hint=hint)

    def _judge(self, text: str) -> list[Diagnostic]:
        """Return the errors and warnings of lint for a page, or the faults that refuse it."""
        infos = tuple(rule.id for rule in load_all_rules() if rule.severity is Severity.INFO)
        try:
            design = compile_design(PAGE, unsaved={PAGE: text.encode()}, advise=False, catalog=self.catalog)
            settings = LintSettings(ignore=infos)
            findings = lint(design, None, settings).findings
            # most that is refused is refused for its design: spare its wiring
            if not any(f.severity > Severity.INFO and f.code not in (UNUSED_RULE, *self.waivers) for f in findings):
                findings = lint(design, compile_cluster(design), settings).findings
        except InputError as error:
            return [*error.diagnostics]
        return [finding for finding in findings if finding.severity > Severity.INFO]

    def _list_compute_forms(self) -> Iterator[NetworkLines]:
        """Yield forms of the GPUs' network, the plainest first: a pair of switches, leaves of each rail below
        spines, the same in pods below cores.
        """
        head = [f"  {ROLE}:", f"    protocol: {self.answers.protocol}"]
        fewest_units = len(self.answers.tenants) if len(self.kinds) == 1 else 0  # several kinds have pods of their own
        sizes = [kind.list_unit_sizes(self.switch, fewest_units) for kind in self.kinds]
        leaf = f"      leaf: {{switch: {self.switch}, per: [su, rail]}}"
        for step in range(max(map(len, sizes))):
            units = tuple(unit_sizes[min(step, len(unit_sizes) - 1)] for unit_sizes in sizes)
            if not step and sum(kind.nodes.count for kind in self.kinds) <= MOST_ON_A_PAIR:
                pair = f"      leaf: {{switch: {self.switch}, count: 2, spread: stripe}}"
                yield NetworkLines((*head, "    tiers:", pair), units)
            spine = f"      spine: {{switch: {self.switch}}}               # how many follows from the leaves"
            yield NetworkLines((*head, "    tiers:", leaf, spine), units)
            yield NetworkLines((*head, "    tiers:", leaf, f"      spine: {{switch: {self.switch}, count: 4}}"), units)
        # the best size of each kind: one tuple
        for units in zip(*(unit_sizes[:1] for unit_sizes in sizes), strict=True):
            for pod_units in POD_UNITS:
                upper = write_tiers(self.switch, "spine: {per: [pod, rail]}", "core: {per: rail}")
                yield NetworkLines((*head, "    tiers:", leaf, *upper), units, pod_units)

    def _list_other_forms(self, compute: NetworkLines) -> Iterator[list[NetworkLines]]:
        """Yield, for each other network that the answers ask for and that nodes have ports for, the list of its
        forms.
        """
        answers, without_ports = self.answers, self._list_networks_without_ports()
        lower, upper = ("inband", "storage") if answers.providers else ("storage", "inband")
        if answers.inband == "storage" and not {lower, upper} & {*without_ports}:
            bond = ["    bond: node"] if answers.bonds != "none" else []
            carried_lines = (f"  {upper}:", "    protocol: ethernet", f"    carried_by: {lower}", *bond)
            # judged together: switches need ports for both
            forms = self._list_ethernet_forms(lower, compute, answers.providers)
            yield [NetworkLines((*form.lines, *carried_lines)) for form in forms]
        elif answers.storage == "own" and "storage" not in without_ports:
            yield [*self._list_ethernet_forms("storage", compute, ())]
        if self._has_own_inband:
            yield [*self._list_ethernet_forms("inband", compute, answers.providers)]
        if answers.oob == "own" and "oob" not in without_ports:
            yield [*self._list_oob_forms(compute)]

    def _list_ethernet_forms(
        self, name: str, compute: NetworkLines, providers: Sequence[object]
    ) -> Iterator[NetworkLines]:
        """Yield forms of storage or in-band (`name`), the plainest first: a pair of switches, then pairs of leaves
        of each unit or leaves of each rail below two spines.
        """
        answers, switch, bonds = self.answers, self.ethernet_switch, self.answers.bonds
        profile = self.catalog.switch(switch)
        head = [f"  {name}:", "    protocol: ethernet"]
        if name == "inband" and self._inband_role != name:
            head.append(f"    attach: {self._inband_role}")
        pairing = "spread: stripe" + write_pair(answers, profile, self.catalog)
        pair = f"      leaf: {{switch: {switch}, count: 2, {pairing}}}"
        paired_leaves = [f"per: su, count: {count}, {pairing}" for count in (2, 4, 8)]
        leaf_forms = (
            ["per: [su, rail]", paired_leaves[0]] if bonds == "none" else paired_leaves
        )  # bonds are over pairs alone
        head += write_bonds(answers, profile, self.nos, self.catalog)
        frontend_lines = self._list_frontend_lines() if name == "inband" else []
        border = f"      border: {{switch: {switch}, count: 2, below: spine, uplinks: 2 x 400G, breakout: 1 x 400G}}"
        border_lines = [border, *write_exits(answers, "border")] if providers else []
        is_small = sum(kind.nodes.count for kind in self.kinds) <= MOST_ON_A_PAIR
        if bonds != "esi" and (is_small or not providers):  # EVPN has its routes from spines
            pair_exits = write_exits(answers, "leaf") if providers else []
            yield NetworkLines((*head, "    tiers:", pair, *pair_exits, *frontend_lines))
        upper_forms = [["spine: {}"], ["spine: {count: 2}"], ["spine: {count: 4}"]]
        if compute.pod_units:
            upper_forms = [["spine: {per: pod}", "core: {}"], ["spine: {per: pod, count: 2}", "core: {}"], *upper_forms]
        for ratio in ("1:1", "2:1", "4:1", "8:1"):
            for leaf in leaf_forms:
                for upper in upper_forms:
                    tiers = write_tiers(switch, f"leaf: {{{leaf}}}", *upper)
                    yield NetworkLines(
                        (
                            *head,
                            f'    oversubscription: "{ratio}"',
                            "    tiers:",
                            *tiers,
                            *border_lines,
                            *frontend_lines,
                        )
                    )
        if bonds != "esi" and providers and not is_small:
            yield NetworkLines((*head, "    tiers:", pair, *write_exits(answers, "leaf"), *frontend_lines))

    def _list_oob_forms(self, compute: NetworkLines) -> Iterator[NetworkLines]:
        """Yield forms of the out-of-band network, the smallest first: one switch for a few nodes, a leaf of each
        unit or rack below two spines, then below two spines of each pod and cores.
        """
        head = ["  oob:                                 # BMCs, and the management port of every switch"]
        head += ["    protocol: ethernet", "    attach: bmc", "    also: switches", "    tiers:"]
        if sum(kind.nodes.count for kind in self.kinds) <= MOST_ON_A_PAIR:
            alone = f"      leaf: {{switch: {OOB_LEAF}, count: 1}}    # to be linked to where you manage from"
            yield NetworkLines((*head, alone))
        for spine in dict.fromkeys((OOB_SPINE, self.ethernet_switch)):
            for per in ("su", "rack"):
                leaf = f"      leaf: {{switch: {OOB_LEAF}, per: {per}}}"
                yield NetworkLines((*head, leaf, *write_tiers(spine, "spine: {count: 2}")))
        for spine in dict.fromkeys((OOB_SPINE, self.ethernet_switch)) if compute.pod_units else ():
            for per in ("su", "rack"):
                leaf = f"      leaf: {{switch: {OOB_LEAF}, per: {per}}}"
                cores = write_tiers(self.ethernet_switch, "core: {count: 2}")
                yield NetworkLines((*head, leaf, *write_tiers(spine, "spine: {per: pod, count: 2}"), *cores))

    def _write(self, networks: Sequence[NetworkLines], pools: Mapping[str, str]) -> str:
        """Return the text of a page of some networks, the first of which is that of the GPUs."""
        answers, compute = self.answers, networks[0]
        ethernet = answers.protocol == "roce" or len(networks) > 1
        reserve = "   # reserve: units that are numbered now" if self._has_reserve(compute) else ""
        if answers.grow_to > 1 and compute.pod_units:
            reserve = "   # it grows by further pods: add them, or raise `count`"
        without_ports = self._list_networks_without_ports()
        shared = "; files may share those of in-band: docs/shared-ports.md" * (
            without_ports == ["storage"] and self._has_own_inband
        )
        lines = [
            f"# {self._describe_origin()}. Every line is yours to change, and judged by",
            "# `fabricgen lint`. Switches that have names already: `fabricgen lock --import` comes before `lock`.",
            "fabricgen: 1",
            f"name: {answers.name}",
            *self._write_units(compute),
            f"pods: {self._write_pods(compute)}{reserve}",
            *self._write_scale_up(),
            *self._write_tenants(networks),
            "fabrics:",
            *(line for network in networks for line in network.lines),
            *(
                [f"  # no {', '.join(without_ports)}: these nodes have no ports for it{shared}"]
                if without_ports
                else []
            ),
            *self._list_remarks(),
            *write_pools(pools),
            *([f"nos: {self.nos}"] if ethernet and self.nos else []),
            *(MANAGEMENT if ethernet else []),
            *([f'names: {{nodes: "{answers.node_names}"}}'] if answers.node_names else NAMES),
            *self._write_floor(),
            "spares: usual                          # 2 % of cables and optics, 1 % of switches, one of each at least",
        ]
        return "\n".join(lines) + "\n"

    def _describe_origin(self) -> str:
        """Return the comment that says what the page is of, and which command wrote it."""
        return f"{sum(kind.nodes.count for kind in self.kinds):,} nodes, as answered to `fabricgen init --ask`"

    def _list_remarks(self) -> list[str]:
        """Return comment lines that follow the networks."""
        return []

    def _write_floor(self) -> list[str]:
        """Return the line `floor:`: the hall of the answers, else rows of a length that makes the hall about square."""
        pitch = format_pitch(*(kind.hardware for kind in self.kinds))
        if hall := self.answers.hall:
            rows = f"halls: {{h1: {{rows: {hall.rows}, racks_per_row: {hall.racks}}}}}"
            return [f"floor: {{{rows}{pitch}, slack: 10%}}    # walls, aisles and trays: docs/floor.md"]
        racks = sum(-(-kind.nodes.count // kind.in_rack) for kind in self.kinds)
        rows = f"racks_per_row: {count_row_racks(racks)}"
        return [f"floor: {{{rows}{pitch}, slack: 10%}}    # halls and trays: docs/floor.md"]

    def _write_units(self, compute: NetworkLines) -> list[str]:
        """Return the line `scalable_unit:`, or `scalable_units:` with a line for each kind of node."""

        def write_unit(kind: NodeKindAnswer, size: int) -> str:
            rack = kind.hardware.rack
            rack_keys = [f"type: {rack.id}" if rack else f"nodes_per_rack: {min(kind.in_rack, size)}"]
            rack_keys += [f"power_kw: {self.answers.rack_kw:g}"] if self.answers.rack_kw else []
            # the power limit cannot be held where the nodes' power is unknown: the page says so beside it
            is_power_unknown = self.answers.rack_kw and not rack and not kind.hardware.node.power_w.planning_w
            remark = "   # so many by their height: what they draw is not published" if is_power_unknown else ""
            return f"{{nodes: {size} x {kind.nodes.profile}, racks: {{{', '.join(rack_keys)}}}}}{remark}"

        if len(self.kinds) == 1:
            return [f"scalable_unit: {write_unit(self.kinds[0], compute.units[0])}"]
        units = zip(self.kinds, compute.units, strict=True)
        return ["scalable_units:", *(f"  {kind.name}: {write_unit(kind, size)}" for kind, size in units)]

    def _write_pods(self, compute: NetworkLines) -> str:
        """Return the value of `pods:`; each entry is named after the number of its first pod."""
        listed, number = [], 1
        for pod in list_pods(self.kinds, compute):
            words = [f"unit: {pod.kind}"] if pod.kind else []
            words += [f"su: {pod.units}"]
            words += [f"count: {pod.pods}"] if pod.pods > 1 else []
            words += [f"reserve: {pod.units * self.answers.grow_to}"] if self._has_reserve(compute) else []
            words += [f"nodes: {pod.nodes}"] if pod.nodes else []
            listed.append(f"p{number}: {{{', '.join(words)}}}")
            number += pod.pods
        return f"{{{', '.join(listed)}}}"

    def _has_reserve(self, compute: NetworkLines) -> bool:
        """Whether pods reserve slots for growth; a page with several pods grows by further pods instead."""
        return self.answers.grow_to > 1 and not compute.pod_units

    def _write_scale_up(self) -> list[str]:
        """Return the line of the scale-up domains that the profiles of the nodes name; no line if there are none."""
        known_domains = set(self.catalog.ids("scale_up"))
        domains = dict.fromkeys(
            (kind.hardware.node.scale_up, "rack" if kind.hardware.domain_nodes > 1 else "node")
            for kind in self.kinds
            if kind.hardware.node.scale_up in known_domains
        )
        listed = [f"{domain}: {{domain: {domain}, per: {per}}}" for domain, per in domains]
        return [f"scale_up: {{{', '.join(listed)}}}"] if listed else []

    def _write_tenants(self, networks: Sequence[NetworkLines]) -> list[str]:
        """Return the lines of the tenants. They get whole pods in turn, whole units if there are fewer pods than
        tenants, or nodes of each unit if there are fewer units.
        """
        tenants, compute = self.answers.tenants, networks[0]
        if not tenants:
            return []
        # where in-band leads out for all, a VRF of a tenant without providers of its own would have no way out
        names = [name for network in networks for name in network.names]
        kept_apart = [name for name in names if name in (ROLE, "storage")]
        fabrics = f", fabrics: [{', '.join(kept_apart)}]" if self.answers.shared_providers else ""
        leads_out = "inband" in names
        pods, size = list_pods(self.kinds, compute), max(compute.units)
        units = pods[0].units
        lines = ["tenants:                               # whose nodes are whose is yours to say"]
        for number, tenant in enumerate(tenants):
            if sum(pod.pods for pod in pods) >= len(tenants):
                last = sum(pod.pods for pod in pods)
                places = [f"p{pod}" for pod in range(number + 1, last + 1, len(tenants))]
            elif units >= len(tenants):
                places = [f"p1/su-{unit}/node-*" for unit in range(number + 1, units + 1, len(tenants))]
            else:
                places = [f"p1/su-*/node-{node}" for node in range(number + 1, size + 1, len(tenants))]
            words = f", extra: [{name_routers(tenant.name)}]" if tenant.providers and leads_out else fabrics
            lines.append(f"  {tenant.name}: {{nodes: [{', '.join(places)}]{words}}}")
        return lines
