"""NetBox's REST API: pages of records, and writing them.

Source: github.com/netbox-community/netbox v4.4.10, docs/integrations/rest-api.md, and its answers. A list is written
whole or not at all, and the answer to it is in the order of the request.

What answers need not be NetBox, and need not mean well: an answer has a size and a time, and all reading has a time.
"""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from fabricgen.kernel.diagnostics import InputError, fault, make_printable

# Whether records are as NetBox has them: `records.yaml` has what is read of each kind, as JSON Schema.

Record = dict[str, Any]

Id = int | str
"""The id of a record: a number in NetBox, a UUID in Nautobot."""

KEPT = "kept"
"""The name of the schema of any object."""


@cache
def _load_validator(kind: str) -> Draft202012Validator:
    """Return the validator of the schema for records of a kind, which is a path of the API or KEPT."""
    schemas = YAML(typ="safe").load(Path(__file__).with_name("records.yaml").read_bytes())
    return Draft202012Validator({"type": "object", **schemas[kind], "$defs": schemas["$defs"]})


def describe_misfit(kind: str, record: Any) -> str:
    """Return how a record differs from the form that NetBox gives it, such as `record 5: tags: 7 is not of type
    'array'`; "" if it does not.

    `kind` is a path of the API, or KEPT for the form that records of all kinds have.
    """
    error = next(_load_validator(kind).iter_errors(record), None)
    if error is None:
        return ""
    number = record.get("id") if isinstance(record, dict) else None
    named = f"record {number}" if isinstance(number, int) else "a record"
    return ": ".join(filter(None, (named, ".".join(map(str, error.absolute_path)), error.message[:120])))


PAGE = 1000
"""Records of a page; NetBox gives no more unless it is told to."""
TRIES = 4
"""How often a request is made again after one of the answers AGAIN."""
WRITE_S = 300
"""Seconds for a batch, all tries together. One of cables takes a slow NetBox a minute: it traces the path of each."""
READ_S = 120
"""Seconds for a page of records, all tries together."""
FIRST_S = 30
"""Seconds for the first request, which costs NetBox nothing: a server that takes longer is no NetBox, or down."""
CONNECT_S = 10
"""Seconds for each connection."""
ALL_S = 3600
"""Seconds for all pages that a command reads, from the first one on."""
MOST_BYTES = 16 << 20
"""Of an answer: a page of 1,000 cables has some 3 MB, and as objects of Python all takes ten times as much or more."""
_PIECE = 1 << 16
"""Bytes that are read at once; what ends before its stated length fails at the read after the last one."""
MOST_RECORDS = 10_000_000
"""The most records of a kind: more than the links of the largest plan."""
MOST_DEPTH = 12
"""Levels of an answer; NetBox's have six."""
ADDED = 1000
"""Records of a kind that others may add while it is read."""
AGAIN = (429, 502, 503, 504)
"""Answers after which a request is made again, TRIES times at most, each after a longer pause or when NetBox says."""
OF_V2 = "nbt_"
"""How tokens of NetBox 4.5 and later begin, which are sent by another word (v4.6.8: netbox/api/authentication.py)."""


class RefusedError(InputError):
    """What NetBox answered instead of doing what it was asked; `status` is 0 without an answer."""

    def __init__(self, status: int, text: str, answer: Any, hint: str) -> None:
        super().__init__(fault("FG164", text, hint=hint).diagnostics)
        self.status, self.answer = status, answer


class NetBox:
    """The API of a NetBox at a URL; no error of it contains the token.

    Paths are those of kinds below /api/, such as `dcim/devices`.
    """

    TITLE = "NetBox"
    IN_SITES: tuple[str, ...] = (
        *("locations", "racks", "devices", "interfaces", "module-bays", "modules", "cables", "rear-ports"),
        *("front-ports", "power-panels", "power-feeds", "power-ports", "power-outlets"),
    )
    """Kinds of which only the records in the sites of the plan are read."""
    ORDER: Mapping[str, str] = {"ordering": "id"}
    """The parameter by which a page of records is ordered by id."""
    PAGE = PAGE
    KEPT = KEPT
    """The schema of what is made."""

    def __init__(self, url: str, token: str) -> None:
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.exceptions import HTTPError
        from urllib3.util import Retry

        self.url, self._failed = url.rstrip("/"), (requests.RequestException, HTTPError, OSError)
        self._mask = TokenMask(token)
        again = Retry(TRIES, status_forcelist=AGAIN, allowed_methods=None, backoff_factor=1, raise_on_status=False)
        self._session = requests.Session()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=again))
        word = "Bearer" if token.startswith(OF_V2) else "Token"
        self._headers = {
            "Authorization": f"{word} {token}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # what is unpacked has no size that is known before
        }
        self._session.auth = self._add_headers  # or a .netrc would take the place of the token
        self._ends = 0.0

    def _add_headers(self, request: Any) -> Any:
        request.headers.update(self._headers)
        return request

    @cached_property
    def release(self) -> tuple[int, ...]:
        """The first two numbers of its version; 0 for a part that is no number."""
        return tuple(int(part) if part.isdecimal() else 0 for part in self.version.split(".")[:2])

    @cached_property
    def version(self) -> str:
        """The version of NetBox; raises RefusedError if the URL is no NetBox, or one that does not know the token."""
        status = self._call("GET", "status", within_s=FIRST_S)
        version = status.get(f"{self.TITLE.lower()}-version") if isinstance(status, dict) else None
        if not isinstance(version, str):
            text = f"{self.url} is not {self.TITLE}: /api/status/ has no version"
            raise RefusedError(200, text, status, "name what is before /api/")
        return make_printable(version[:40])

    def list_records(self, path: str, kind: str = KEPT, **filters: Any) -> Iterator[Record]:
        """Yield all records of a path that pass filters, by id.

        Each is checked against the schema `kind` of `records.yaml`. Raises RefusedError for records of another form,
        that come twice or without end, or that take too long.
        """
        self._ends = self._ends or monotonic() + ALL_S
        ids, most = set[Id](), MOST_RECORDS
        while True:
            page = self._call("GET", path, {**filters, "limit": self.PAGE, "offset": len(ids), **self.ORDER})
            rows, count = _parse_page(page)
            # records may be added while pages are read, but not for ever: a server must not keep us reading
            most = min(most, count + ADDED)
            if count < 0 or (not rows and len(ids) < count):
                raise self._explain_not_netbox(f"GET {path} is no page of records", page)
            if wrong := next(filter(None, (describe_misfit(kind, row) for row in rows)), ""):
                raise self._explain_not_netbox(f"GET {path} is not as {self.TITLE} has it: {wrong}", page)
            read = len(ids) + len(rows)
            ids.update(row["id"] for row in rows)
            # a set: a record of an earlier page has not made it larger
            if len(ids) < read:
                raise self._explain_not_netbox(f"GET {path} has a record twice", page)
            if max(count, read) > most:
                raise self._explain_not_netbox(f"GET {path} goes on after {most:,} records", page)
            yield from rows
            if read >= count:
                return
            if monotonic() > self._ends:
                raise self._explain_not_netbox(f"GET {path} is not at its end, and all reading has {ALL_S:,} s", None)

    def _explain_not_netbox(self, request: str, answer: Any) -> RefusedError:
        return RefusedError(200, f"what {self.url} answered to {request}", answer, _NOT_NETBOX)

    def create_records(self, path: str, rows: Sequence[Mapping[str, Any]]) -> list[Record]:
        """Make records, all or none; return them as NetBox has them, in the order of `rows`."""
        records: list[Record] = self._call("POST", path, self._answer_little(rows), rows)
        if (
            not isinstance(records, list)
            or len(records) != len(rows)
            or any(describe_misfit(self.KEPT, row) for row in records)
        ):
            raise self._explain_not_netbox(f"POST {path} is not the {len(rows)} records that were sent", records)
        return records

    def change_records(self, path: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Change records by `id`, all or none."""
        self._call("PATCH", path, self._answer_little(rows), rows)

    def name_object(self, value: Mapping[str, Any]) -> str:
        """Return what people call an object, or a choice, that a record refers to."""
        return str(value.get("display", value.get("value")))

    def _answer_little(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Return the parameters that ask for an answer with the written fields alone.

        NetBox takes longer to look up what else an interface or a device has than to make it (v4.6.8:
        netbox/api/viewsets/__init__.py, field_kwargs).
        """
        # without custom_fields new objects would not have their defaults
        fields = {name for row in rows for name in row} | {"id", "display", "custom_fields"}
        return {"fields": ",".join(sorted(fields))}

    def delete_records(self, path: str, numbers: Sequence[Id]) -> None:
        """Delete records, all or none; records that are gone already are passed over."""
        self._call("DELETE", path, body=[{"id": number} for number in numbers])

    def _call(
        self,
        method: str,
        path: str,
        filters: Mapping[str, Any] | None = None,
        body: Any = None,
        within_s: float | None = None,
    ) -> Any:
        """Send a request and return the JSON of the answer, with the token masked.

        `within_s` are the seconds for all tries together. Raises RefusedError for any answer but success.
        """
        within_s = within_s or (READ_S if method == "GET" else WRITE_S)
        try:
            status, headers, content = _await_result(lambda: self._exchange(method, path, filters, body), within_s)
        except (*self._failed, TimeoutError) as error:
            # urllib3 says "timed out" or "timeout", as it has come to it
            slow = "time" in str(error) and "out" in str(error)
            reason = f"no whole answer within {within_s:g} s" if slow else type(error).__name__
            text = f"{self.TITLE} at {self.url} cannot be reached: {reason} at {method} {path}"
            hint_written = "what was written is kept: run it again, it goes on from there"
            raise RefusedError(
                0, text, None, hint_written if method != "GET" else "the URL is what stands before /api/"
            ) from None
        if len(content) > MOST_BYTES:
            raise self._explain_not_netbox(f"{method} {path} is larger than {MOST_BYTES >> 20} MiB", None)
        answer = _parse_json(self._mask.mask_token(content))
        if b"\\" in content:  # JSON may spell any character of the token as \\u0061
            plain = json.dumps(answer, ensure_ascii=False).encode(errors="surrogatepass")
            answer = _parse_json(self._mask.mask_token(plain))
        if 300 <= status < 400:
            raise RefusedError(status, f"{self.url} is elsewhere now", None, "give the URL that it redirects to")
        if status >= 300 or (answer is None and content):
            text, hint = self._describe_answer(method, path, status, answer), _HINTS.get(status, "")
            if status < 300:
                kind = self._mask.mask_token(headers.get("Content-Type", "text").encode()).decode(errors="replace")
                text += f" with {kind[:60]}, not with JSON"
                hint = _NOT_NETBOX
            raise RefusedError(status, text, answer, hint)
        return answer

    def _exchange(
        self, method: str, path: str, filters: Mapping[str, Any] | None, body: Any
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return (status, headers, content) of the answer to a request; content is cut just after MOST_BYTES."""
        timeout, url = (CONNECT_S, WRITE_S), f"{self.url}/api/{path}/"
        with self._session.request(
            method, url, params=filters, json=body, timeout=timeout, allow_redirects=False, stream=True
        ) as answer:
            content = bytearray()
            while len(content) <= MOST_BYTES and (piece := answer.raw.read(_PIECE, decode_content=False)):
                content += piece
            return answer.status_code, answer.headers, bytes(content)

    def _describe_answer(self, method: str, path: str, status: int, answer: Any) -> str:
        shown = find_first_reason(answer)[:300]
        return f"{self.TITLE} answered {status} to {method} {path}" + (f": {shown}" if shown else "")


def _await_result(work: Callable[[], Any], within_s: float) -> Any:
    """Return what `work` returns, or raise what it raises; raises TimeoutError if it takes longer than `within_s`
    seconds.

    `work` runs in a thread, which is not ended then, but no longer waited for. A timeout of a socket would not do: it
    is for a single read, so that a server that sends a byte a second keeps within it, and it does not cover the lookup
    of a name, a handshake or a header.
    """
    results = SimpleQueue[tuple[Any, BaseException | None]]()

    def run() -> None:
        """Put (result, error) into the queue; runs in a thread."""
        try:
            results.put((work(), None))
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            results.put((None, error))

    Thread(target=run, daemon=True).start()
    try:
        result, error = results.get(timeout=within_s)
    except Empty:
        raise TimeoutError("timed out") from None
    if error is not None:
        raise error
    return result


def _parse_json(content: bytes) -> Any:
    """Return JSON as objects; None for text that is no JSON, or has more than MOST_DEPTH levels."""
    try:
        answer = json.loads(content) if content else None
    except (ValueError, RecursionError):
        return None
    level = [answer]
    for _ in range(MOST_DEPTH):
        inside = [list(child.values()) if isinstance(child, dict) else child for child in level]
        level = [value for child in inside if isinstance(child, list) for value in child]
        if not level:
            return answer
    return None


def _parse_page(answer: Any) -> tuple[list[Any], int]:
    """Return (records, how many there are on all pages); ([], -1) for an answer that is no page."""
    if isinstance(answer, dict) and isinstance(answer.get("count"), int) and isinstance(answer.get("results"), list):
        return answer["results"], answer["count"]
    return [], -1


_NOT_NETBOX = "the URL is what stands before /api/; a proxy or a login page in between may have answered"
_HINTS = {
    401: "the token must be one of this server",
    403: "the token must be one of this server, and may write what is pushed (and nothing else)",
    404: "the URL is what stands before /api/",
}


def find_first_reason(answer: Any) -> str:
    """Return the first text in an error of NetBox: {"field": ["text"]}, a list of these, or {"detail": "text"}."""
    if isinstance(answer, dict):
        return next(
            (
                f"{key}: {find_first_reason(value)}" if key not in _PLAIN else find_first_reason(value)
                for key, value in answer.items()
            ),
            "",
        )
    if isinstance(answer, list):
        return next((reason for reason in map(find_first_reason, answer) if reason), "")
    return str(answer) if answer is not None else ""


_PLAIN = ("detail", "__all__", "error")


# A token masked in what a server answers, as it is, in part, percent-encoded, in hexadecimal or in base64.

MASK = b"***"
RUN = 12
"""Characters of a token, or of a spelling of it, in a row that are masked; of a shorter token all of it."""


class TokenMask:
    """Replaces by MASK each piece of a text that a token could be read from, in capitals or small letters."""

    def __init__(self, token: str) -> None:
        """`token` is ASCII."""
        self._runs = {
            spelled[start : start + RUN]
            for spelled in _spell_token(token.encode())
            for start in range(max(1, len(spelled) - RUN + 1))
        }

    def mask_token(self, content: bytes) -> bytes:
        """Return content with every spelling of the token hidden."""
        lower = content.lower()
        shown = [run for run in self._runs if run in lower]
        if not shown:
            return content
        hidden = bytearray(len(content))
        for run in shown:
            start = lower.find(run)
            while start >= 0:
                hidden[start : start + len(run)] = b"\1" * len(run)
                # runs may overlap
                start = lower.find(run, start + 1)
        masked = bytearray()
        for position, byte in enumerate(content):
            if not hidden[position]:
                masked.append(byte)
            # one mark for all hidden bytes in a row
            elif not position or not hidden[position - 1]:
                masked += MASK
        return bytes(masked)


def _spell_token(token: bytes) -> set[bytes]:
    """Return the spellings of a token, in small letters.

    They are the token itself, percent-encoded (only the characters that must be, and all), in hexadecimal, and in
    base64 at each of its three alignments, without characters that also depend on what stands before or behind the
    token.
    """
    spellings = {token, token.hex().encode(), quote(token, safe="").encode(), ("%" + token.hex("%")).encode()}
    for before in range(3):
        padded = bytes(before) + token
        for encode in (b64encode, urlsafe_b64encode):
            first, last = (before * 8 + 5) // 6, len(padded) * 8 // 6
            spellings.add(encode(padded)[first:last])
    return {spelled.lower() for spelled in spellings if spelled}
