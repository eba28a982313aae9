"""What SARIF 2.1.0 asks of the part of it that is written here, in our own words, as a JSON Schema.

Sections are those of the OASIS Standard. It is narrower than the standard: a key that is not named here is refused.
"""

from __future__ import annotations

from typing import Any


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def _list(items: Any, **limits: int) -> dict[str, Any]:
    return {"type": "array", "items": items, **limits}


TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = _object(["text"], text=TEXT)  # 3.11
URI = {"type": "string", "pattern": r"^([A-Za-z0-9._~!$&'()*+;=:@/-]|%[0-9A-F]{2})+$"}  # RFC 3986
ARTIFACT = _object(["uri"], uri=URI, uriBaseId={"const": "%SRCROOT%"})  # 3.4
REGION = _object(["startLine"], startLine=COUNT, startColumn=COUNT, endLine=COUNT, endColumn=COUNT)  # 3.30
LOCATION = _object(  # 3.28
    [],
    physicalLocation=_object(["artifactLocation"], artifactLocation=ARTIFACT, region=REGION),
    logicalLocations=_list(_object(["fullyQualifiedName"], fullyQualifiedName=TEXT, kind={"const": "member"})),
    message=MESSAGE,
)
SUPPRESSION = _object(  # 3.35
    ["kind"],
    kind={"enum": ["inSource", "external"]},
    status={"enum": ["accepted", "underReview", "rejected"]},
    justification=TEXT,
    location=LOCATION,
)
RULE = _object(  # 3.49
    ["id", "name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"],
    id={"type": "string", "pattern": r"^FG\d{3}$"},
    name={"type": "string", "pattern": r"^[A-Z][A-Za-z0-9]+$"},
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=_object(["text", "markdown"], text=TEXT, markdown=TEXT),
    defaultConfiguration=_object(["level"], level=LEVEL),
    properties=_object(
        ["tags", "problem.severity"],
        tags={**_list(TEXT), "uniqueItems": True},
        **{"problem.severity": {"enum": ["error", "warning", "recommendation"]}},
    ),
)
RESULT = _object(  # 3.27
    ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "suppressions", "properties"],
    ruleId=RULE["properties"]["id"],
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations=_list(LOCATION, minItems=1),
    partialFingerprints={"type": "object", "additionalProperties": TEXT, "minProperties": 1},
    suppressions=_list(SUPPRESSION),
    properties=_object(["blueprint"], blueprint=TEXT),
)
RUN = _object(  # 3.14
    ["tool", "results"],
    tool=_object(
        ["driver"],
        driver=_object(["name", "rules"], name=TEXT, version=TEXT, semanticVersion=TEXT, rules=_list(RULE)),
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds=_object(["%SRCROOT%"], **{"%SRCROOT%": _object(["description"], description=MESSAGE)}),
    results=_list(RESULT),
)
SCHEMA = _object(["version", "runs"], version={"const": "2.1.0"}, runs=_list(RUN), **{"$schema": TEXT}) | {
    "$schema": "https://json-schema.org/draft/2020-12/schema"
}
"""A log: 3.13."""
