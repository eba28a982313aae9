"""Make the JSON Schema of SONiC's config_db.json from its YANG models, without their texts.

    python tools/sonic_schema.py FOLDER SOURCE > schemas/sonic-config-db.schema.json

FOLDER is `src/sonic-yang-models` of sonic-buildimage, or any folder of YANG files; SOURCE names repository and commit.
How YANG becomes config_db is that of `src/sonic-yang-mgmt/sonic_yang_ext.py`: a container in the top container of a
module is a table; its containers are rows by their name, its lists are rows whose key is the list's keys between bars;
a list in a list is a map. All scalars are text, so numbers and their ranges become patterns.

Keywords beside those of JSON Schema 2020-12:

- `x-keys`, in a row: the types of the parts of its key;
- `x-ref`, beside a type: [table, parts of the key, part or field] whose values it may have, a leafref;
- `x-range`, beside the pattern of a number: the ranges that it says;
- `x-separator`, in a list: what is between its items where config_db has it as one text.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from pyang import context, error, repository, statements

from fabricgen.render.checks.yang import render_models

Json: TypeAlias = dict[str, Any]

SEPARATORS = {
    ("BGP_ALLOWED_PREFIXES", "prefixes_v4"): ",",
    ("BGP_ALLOWED_PREFIXES", "prefixes_v6"): ",",
    ("BUFFER_PORT_EGRESS_PROFILE_LIST", "profile_list"): ",",
    ("BUFFER_PORT_INGRESS_PROFILE_LIST", "profile_list"): ",",
    ("MIRROR_SESSION", "src_ip"): ",",
    ("NTP", "src_intf"): ";",
    ("PORT", "adv_interface_types"): ",",
    ("PORT", "adv_speeds"): ",",
}
"""(table, leaf-list) that config_db has as one text: LEAF_LIST_WITH_STRING_VALUE_DICT of sonic_yang_ext.py."""

NUMBERS = {f"{sign}int{bits}": (bits, sign) for bits in (8, 16, 32, 64) for sign in ("", "u")}
WORDS = re.compile(r"[\w -]+(\|[\w -]+)*", re.ASCII)
"""A pattern that is an enumeration of words."""

TABLE_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
"""Other containers are events, which are no configuration (sonic-events-*.yang)."""

PLAIN = {r"(/([a-zA-Z0-9._-]+|\.)+)+": "(/[a-zA-Z0-9._-]+)+"}
"""Patterns that backtrack for a time that doubles with each character, and others that match the same texts."""

PART, BAR = "[^|]*", r"\|"

PENDING: Json = {
    "SWITCH_HASH": {
        f"{kind}_hash_{packets}": {
            "type": "array",
            "uniqueItems": True,
            "items": {
                "anyOf": [{"$ref": "#/$defs/sonic-hash:hash-field"}, {"enum": ["RDMA_BTH_OPCODE", "RDMA_BTH_DEST_QP"]}]
            },
        }
        for kind in ("ecmp", "lag")
        for packets in ("ipnip", "ipv4", "ipv4_rdma", "ipv6", "ipv6_rdma")
    }
}
"""Fields of the row GLOBAL that open pull requests add, and that fabricgen writes where they are asked for (FG763):
sonic-buildimage 27335.
"""

LONG = 50
"""Types whose text is longer and that two leaves have are defined once."""


def sonic_schema(folder: Path, source: str) -> Json:
    """The schema of the models in a folder; raises ValueError for what YANG says and this generator does not know."""
    with tempfile.TemporaryDirectory() as scratch:
        models = folder / "yang-models" if (folder / "yang-models").is_dir() else folder
        files = sorted([*models.glob("*.yang"), *render_models(folder / "yang-templates", Path(scratch))])
        places = repository.FileRepository(f"{models}:{scratch}", use_env=True)
        modules = context.Context(places)
        parsed = [modules.add_module(file.stem, file.read_text(encoding="utf-8")) for file in files]
        modules.validate()
    wrong = [f"{pos}: {tag} {args}" for pos, tag, args in modules.errors if error.is_error(error.err_level(tag))]
    if wrong:
        raise ValueError("\n".join(wrong))
    tables = {table.arg: Table(modules, table).schema() for module in parsed for table in _tables(module)}
    definitions = Definitions(tables)
    return add_pending_fields(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "SONiC config_db.json",
            "x-source": source,
            "type": "object",
            "additionalProperties": False,
            "properties": {name: definitions.referring(table) for name, table in sorted(tables.items())},
            "$defs": dict(sorted(definitions.types.items())),
        }
    )


def add_pending_fields(schema: Json) -> Json:
    """Add the fields of `PENDING` to the tables that the models have, sorted among theirs."""
    for table, fields in PENDING.items():
        if table in schema["properties"]:
            row = schema["properties"][table]["properties"]["GLOBAL"]
            row["properties"] = dict(sorted({**fields, **row["properties"]}.items()))
    return schema


def _tables(module: Any) -> Iterator[Any]:
    for top in module.i_children:
        if top.keyword == "container":
            yield from (t for t in top.i_children if t.keyword == "container" and TABLE_NAME.fullmatch(t.arg))


class Type(dict[str, Any]):
    """The schema of a value.

    `name` is that of its typedef, or of the leaf that has it; a number has its range for a name, text its length. What
    is `known` by its name is defined by it; other types only where they are long and two leaves have them.
    """

    def __init__(self, name: str, *, known: bool, **schema: Any) -> None:
        super().__init__(schema)
        self.name, self.known = name, known
        if "x-range" in schema:
            self.name, self.known = " ".join(f"{low}..{high}" for low, high in schema["x-range"]), True
        elif not known and schema.keys() <= {"type", "minLength", "maxLength"}:
            self.name = f"text {schema.get('minLength', 0)}..{schema.get('maxLength', '')}"


class Table:
    """A table's container as JSON Schema."""

    def __init__(self, modules: Any, container: Any) -> None:
        self.modules = modules
        self.container = container
        self.name = container.arg

    def schema(self) -> Json:
        """The schema of the table; raises ValueError for two lists whose keys have as many parts."""
        schema: Json = {"type": "object", "additionalProperties": False}
        lists = [node for node in self.container.i_children if node.keyword == "list"]
        named = {node.arg: self.row(node) for node in self.container.i_children if node.keyword == "container"}
        if named:
            schema["properties"] = dict(sorted(named.items()))
        if lists:
            # a pattern of JSON Schema is asked of rows by name too, so it leaves them out
            but = f"(?!(?:{'|'.join(map(re.escape, sorted(named)))})$)" if named else ""
            patterns = {f"^{but}{BAR.join([PART] * len(node.i_key))}$": self.keyed(node) for node in lists}
            schema["patternProperties"] = dict(sorted(patterns.items()))
        if len(lists) + len(named) != len(self.container.i_children) or len(schema.get("patternProperties", ())) < len(
            lists
        ):
            raise ValueError(f"{self.name}: fields outside of rows, or two lists with as many keys")
        limit = lists[0].search_one("max-elements") if len(lists) == 1 and not named else None
        if limit is not None:
            schema["maxProperties"] = int(limit.arg)
        return schema

    def keyed(self, node: Any) -> Json:
        """A list: its rows, with the types of the parts of their keys."""
        return {"x-keys": [self.typed(key) for key in node.i_key], **self.row(node)}

    def row(self, node: Any) -> Json:
        """The fields of a container or of an entry of a list; of a map where there is a list in it."""
        inner = [child for child in node.i_children if child.keyword == "list"]
        if not inner:
            return {"type": "object", "additionalProperties": False, **self.fields(node)}
        if len(inner) > 1 or len(inner[0].i_key) != 1 or len(inner[0].i_children) != 2:
            raise ValueError(f"{self.name}/{node.arg}: lists in it that are no map of one key to one value")
        (key,) = inner[0].i_key
        (value,) = (child for child in inner[0].i_children if child is not key)
        return {"type": "object", "propertyNames": self.typed(key), "additionalProperties": self.typed(value)}

    def fields(self, node: Any) -> Json:
        """`properties` and what is asked of them together: mandatory ones, and choices between them."""
        properties: Json = {}
        required: list[str] = []
        exclusive: list[list[str]] = []
        for leaf, optional in self.leaves(node, optional=False, exclusive=exclusive):
            properties[leaf.arg] = self.field(leaf)
            mandatory, least = leaf.search_one("mandatory", "true"), leaf.search_one("min-elements")
            if (mandatory or (least and int(least.arg))) and not optional and not leaf.search_one("when"):
                required.append(leaf.arg)
        schema: Json = {"properties": dict(sorted(properties.items()))}
        if required:
            schema["required"] = sorted(required)
        if exclusive:
            schema["allOf"] = [{"not": {"required": pair}} for pair in sorted(exclusive)]
        return schema

    def leaves(self, node: Any, *, optional: bool, exclusive: list[list[str]]) -> Iterator[tuple[Any, bool]]:
        """(leaf or leaf-list, whether a choice is above it) of a row; `exclusive` gains pairs that choices forbid."""
        for child in node.i_children:
            if child.keyword == "choice":
                cases = [list(self.leaves(case, optional=True, exclusive=exclusive)) for case in child.i_children]
                yield from itertools.chain(*cases)
                for one, other in itertools.combinations(cases, 2):
                    exclusive += [[a.arg, b.arg] for (a, _), (b, _) in itertools.product(one, other)]
            elif child.keyword in ("leaf", "leaf-list"):
                yield child, optional
            else:
                raise ValueError(f"{self.name}/{child.arg}: a {child.keyword} in a row")

    def field(self, leaf: Any) -> Json:
        """The type of a leaf or leaf-list, with its default."""
        kind = self.typed(leaf)
        defaults = [text.arg for text in leaf.search("default")] or _inherited_default(leaf.search_one("type"))
        if leaf.keyword == "leaf":
            return {**kind, "default": defaults[0]} if defaults else kind
        schema: Json = {"type": "array", "uniqueItems": True, "items": kind}  # RFC 7950, 7.7
        if defaults:
            schema["default"] = defaults
        for keyword, limit in (("minItems", "min-elements"), ("maxItems", "max-elements")):
            stated = leaf.search_one(limit)
            if stated is not None and stated.arg != "unbounded":
                schema[keyword] = int(stated.arg)
        separator = SEPARATORS.get((self.name, leaf.arg))
        return {**schema, "type": ["array", "string"], "x-separator": separator} if separator else schema

    def typed(self, leaf: Any) -> Json:
        """The type of a leaf, or of an item of a leaf-list."""
        return self.type_of(leaf.search_one("type"), leaf)

    def type_of(self, kind: Any, leaf: Any) -> Json:
        """The schema of a `type` statement of a leaf, through its typedefs down to the built-in type."""
        chain = [kind]
        while chain[-1].i_typedef is not None:
            chain.append(chain[-1].i_typedef.search_one("type"))
        base, typedef = chain[-1], None if kind.substmts else kind.i_typedef
        name = f"{typedef.i_module.i_modulename}:{typedef.arg}" if typedef is not None else f"{self.name}.{leaf.arg}"
        made = partial(Type, name, known=typedef is not None)
        if base.arg == "leafref":
            return self.reference(base, leaf)
        if base.arg == "union":
            members = [self.type_of(member, leaf) for member in base.search("type")]
            return made(anyOf=list({json.dumps(member): member for member in members}.values()))
        if base.arg in NUMBERS:
            bits, unsigned = NUMBERS[base.arg]
            ranges = _bounds(
                chain, "range", (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            )
            return made(**{"type": "string", "pattern": whole_pattern(ranges), "x-range": ranges})
        if base.arg == "decimal64":
            return made(type="string", **_decimal(chain))
        if base.arg == "boolean":
            return made(enum=["true", "false"])
        if base.arg == "enumeration":
            return made(enum=[word.arg for word in next(k for k in chain if k.search("enum")).search("enum")])
        if base.arg == "string":
            return made(**_string(chain))
        raise ValueError(f"{self.name}/{leaf.arg}: the type {base.arg}")

    def reference(self, kind: Any, leaf: Any) -> Json:
        """A leafref: the type of its target, and where its values are."""
        spec = kind.i_type_spec
        said = statements.validate_leafref_path(
            self.modules, leaf, spec.path_spec, spec.path_, accept_non_config_target=not spec.require_instance
        )
        if said is None or said[0] is None:
            raise ValueError(f"{self.name}/{leaf.arg}: the leafref {spec.path_.arg} leads nowhere")
        target = said[0]
        holder = target.parent
        table = holder.parent
        type_of_target = Table(self.modules, table if TABLE_NAME.fullmatch(table.arg) else self.container).typed(target)
        if not spec.require_instance:
            return type_of_target
        if holder.keyword == "list" and target in holder.i_key:
            place: list[Any] = [table.arg, len(holder.i_key), holder.i_key.index(target)]
        elif holder.keyword == "list":
            place = [table.arg, len(holder.i_key), target.arg]
        else:
            place = [table.arg, holder.arg, target.arg]
        # a type keeps its name until `_define` has counted it, so the place stands beside and not in it
        return (
            {"allOf": [type_of_target], "x-ref": place}
            if isinstance(type_of_target, Type)
            else {**type_of_target, "x-ref": place}
        )


def _inherited_default(kind: Any) -> list[str]:
    while kind.i_typedef is not None:
        default = kind.i_typedef.search_one("default")
        if default is not None:
            return [default.arg]
        kind = kind.i_typedef.search_one("type")
    return []


def _bounds(chain: list[Any], restriction: str, whole: tuple[int, int]) -> list[list[int]]:
    """The ranges or lengths that a chain of types leaves, the first of which restricts most."""
    stated = next((kind.search_one(restriction) for kind in chain if kind.search_one(restriction)), None)
    if stated is None:
        return [list(whole)]
    named = {"min": whole[0], "max": whole[1]}
    parts = [[end.strip() for end in part.split("..")] for part in stated.arg.split("|")]
    return [[named[end] if end in named else int(end) for end in (part[0], part[-1])] for part in parts]


def _string(chain: list[Any]) -> Json:
    longest = 2**64 - 1
    lengths = _bounds(chain, "length", (0, longest))
    schema: Json = {"type": "string"}
    if len(lengths) > 1:
        schema["anyOf"] = [{"minLength": low, "maxLength": high} for low, high in lengths]
    else:
        ((low, high),) = lengths
        schema |= {"minLength": low} if low else {}
        schema |= {"maxLength": high} if high != longest else {}
    patterns = [pattern for kind in chain for pattern in kind.search("pattern")]
    if any(pattern.search_one("modifier") for pattern in patterns):
        raise ValueError(f"{patterns[0].pos}: a pattern with a modifier")
    texts = [pattern.arg for pattern in patterns]
    if len(texts) == 1 and WORDS.fullmatch(texts[0]):
        return {
            "enum": [word for word in texts[0].split("|") if any(low <= len(word) <= high for low, high in lengths)]
        }
    anchored = [_anchored(text) for text in texts]
    if len(anchored) == 1:
        schema["pattern"] = anchored[0]
    elif anchored:
        schema["allOf"] = [{"pattern": text} for text in anchored]
    return schema


def _anchored(text: str) -> str:
    r"""An XSD pattern as one of ECMA and Python that matches whole text: `$` alone would pass a newline at the end."""
    plain = PLAIN.get(text, text).replace(r"[\p{N}\p{L}]", r"\w")
    if r"\p" in plain or "-[" in plain:
        raise ValueError(f"a pattern of XML Schema alone: {text}")
    anchored = rf"^(?:{plain})$(?!\n)"
    re.compile(anchored)
    return anchored


def _decimal(chain: list[Any]) -> Json:
    """A decimal number; its whole part carries the range, whose upper end is whole or has nines alone behind it."""
    digits = next(kind.search_one("fraction-digits").arg for kind in chain if kind.search_one("fraction-digits"))
    stated = next((kind.search_one("range").arg for kind in chain if kind.search_one("range")), None)
    if stated is None:
        return {"pattern": rf"^-?[0-9]+(?:\.[0-9]{{1,{digits}}})?$(?!\n)"}
    low, high = (end.strip() for end in stated.split(".."))
    whole, _, fraction = high.partition(".")
    if float(low) % 1 or set(fraction) - {"0"} not in (set(), {"9"}):
        raise ValueError(f"a range of decimals: {stated}")
    free = int(whole) if "9" in fraction else int(whole) - 1
    choices = [rf"(?:{_between(int(float(low)), free)})(?:\.[0-9]{{1,{digits}}})?"]
    choices += [] if "9" in fraction else [rf"{whole}(?:\.0{{1,{digits}}})?"]
    return {"pattern": rf"^0*(?:{'|'.join(choices)})$(?!\n)", "x-range": [[float(low), float(high)]]}


def whole_pattern(ranges: list[list[int]]) -> str:
    """The pattern of whole numbers in some ranges, in digits."""
    parts = []
    for low, high in ranges:
        if low < 0:
            parts.append(f"-0*(?:{_between(max(1, -high), -low)})")
        if high >= 0:
            parts.append(f"0*(?:{_between(max(0, low), high)})")
    return rf"^(?:{'|'.join(parts)})$(?!\n)"


def _between(low: int, high: int) -> str:
    """The decimal numbers from `low` to `high` as alternatives: a first part, a digit, and digits that are free."""
    parts = []
    while low <= high:
        digits, most = len(str(low)), len(str(high + 1)) - 1
        if low == 10 ** (digits - 1) and most > digits:  # all numbers of so many digits
            parts.append(f"[1-9][0-9]{{{digits - 1},{most - 1}}}")
            low = 10**most
            continue
        free = 0
        while low and not low % 10 ** (free + 1) and low + 10 ** (free + 1) - 1 <= high:
            free += 1
        head, digit = divmod(low // 10**free, 10)
        last = min(9, digit + (high - low + 1) // 10**free - 1)
        tail = {0: "", 1: "[0-9]"}.get(free, f"[0-9]{{{free}}}")
        parts.append(f"{head or ''}{digit if digit == last else f'[{digit}-{last}]'}{tail}")
        low += (last - digit + 1) * 10**free
    return "|".join(parts)


class Definitions:
    """Long types that are known by name, or that several leaves have: they are defined once and referred to."""

    def __init__(self, tables: Json) -> None:
        self.uses: Counter[tuple[str, str]] = Counter()
        self.names: dict[tuple[str, str], str] = {}
        self.types: Json = {}
        self._count(tables)

    def _count(self, node: Any) -> None:
        if isinstance(node, Type):
            self.uses[_identity(node)] += 1
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            self._count(child)

    def referring(self, node: Any) -> Any:
        """A part of a schema with references to what is defined."""
        if isinstance(node, list):
            return [self.referring(child) for child in node]
        if not isinstance(node, dict):
            return node
        if node.keys() == {"allOf", "x-ref"}:
            return {**self.referring(node["allOf"][0]), "x-ref": node["x-ref"]}
        plain = {key: self.referring(child) for key, child in node.items()}
        if not isinstance(node, Type):
            return plain
        often = self.uses[_identity(node)] > 1 and len(json.dumps(node)) > LONG
        named = often or (node.known and "enum" not in node)
        return {"$ref": f"#/$defs/{self._named(node, plain)}"} if named else plain

    def _named(self, node: Type, plain: Json) -> str:
        """The name of a definition; a leaf of many types counts them."""
        identity = _identity(node)
        if identity not in self.names:
            same = sum(name == node.name or name.startswith(f"{node.name}-") for name in self.types)
            self.names[identity] = f"{node.name}-{same + 1}" if same else node.name
            self.types[self.names[identity]] = plain
        return self.names[identity]


def _identity(node: Type) -> tuple[str, str]:
    return node.name if node.known else "", json.dumps(node)


def schema_text(schema: Json) -> str:
    """The schema as text, a line a definition and a line a table."""

    def lines(part: Json) -> str:
        return ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in part.items()
        )

    parts = ("$defs", "properties")
    head = json.dumps({key: value for key, value in schema.items() if key not in parts}, indent=1).removesuffix("\n}")
    return "".join([head, *(f',\n "{part}": {{\n{lines(schema[part])}\n }}' for part in parts), "\n}\n"])


if __name__ == "__main__":
    sys.stdout.write(schema_text(sonic_schema(Path(sys.argv[1]), sys.argv[2])))
