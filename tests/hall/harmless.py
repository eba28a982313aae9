"""Which links may be exchanged for each other, as far as the lists of a plan say."""

from __future__ import annotations

from collections import defaultdict

from fabricgen.addons.emulation.plan import Plan, Port, Row


def parallel(plan: Plan) -> dict[frozenset[Port], str]:
    """The class of each link that has others beside it which are alike in all that links.csv says but their ports.

    That is, between the same two devices, without an address at one end at least (a bridged port takes any host) and of
    one speed. Whether their configurations are alike in what no list says is left open: such an exchange may be told or
    not.
    """
    classes: dict[str, list[frozenset[Port]]] = defaultdict(list)
    for link, row in plan.links.items():
        if not row["a_ip"] or not row["b_ip"]:
            classes[_class(row)].append(link)
    return {link: key for key, links in classes.items() if len(links) > 1 for link in links}


def _class(row: Row) -> str:
    return "|".join([*sorted((row["a_device"], row["b_device"])), row["speed_gbps"]])
