"""NetBox's REST API: pages of records, and writing them.

Source: github.com/netbox-community/netbox v4.4.10, docs/integrations/rest-api.md, and its answers. A list is written
whole or not at all, and the answer to it is in the order of the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.kernel.diagnostics import InputError, fault

Record = dict[str, Any]

PAGE = 1000
"""Records of a page; NetBox gives no more unless it is told to."""
TRIES = 4
TIMEOUT_S = 300
"""A batch of cables takes a slow NetBox a minute: it traces the path of each."""
FIRST_TIMEOUT_S = 10
"""For what is asked first, which costs NetBox nothing: who takes longer is no NetBox, or not there."""
AGAIN = (429, 502, 503, 504)
"""Answers after which a request is made again, TRIES times at most, each after a longer pause or when NetBox says."""
OF_V2 = "nbt_"
"""How tokens of NetBox 4.5 and later begin, which are sent by another word (v4.6.8: netbox/api/authentication.py)."""


class RefusedError(InputError):
    """What NetBox answered instead of doing what it was asked."""

    def __init__(self, status: int, text: str, answer: Any, hint: str) -> None:
        super().__init__(fault("FG164", text, hint=hint).diagnostics)
        self.status, self.answer = status, answer


class NetBox:
    """A NetBox at a URL. No error of it has the token in it."""

    def __init__(self, url: str, token: str) -> None:
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.util import Retry

        self.url, self._token, self._failed = url.rstrip("/"), token, requests.RequestException
        again = Retry(TRIES, status_forcelist=AGAIN, allowed_methods=None, backoff_factor=1, raise_on_status=False)
        self._session = requests.Session()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=again))
        word = "Bearer" if token.startswith(OF_V2) else "Token"
        self._headers = {"Authorization": f"{word} {token}", "Accept": "application/json"}
        self._session.auth = self._authorized  # or a .netrc would take the place of the token

    def _authorized(self, request: Any) -> Any:
        request.headers.update(self._headers)
        return request

    def version(self) -> str:
        """The version of NetBox; raises RefusedError where there is none, or none that knows the token."""
        told = self._call("GET", "status", timeout_s=FIRST_TIMEOUT_S)
        if not isinstance(told, dict) or "netbox-version" not in told:
            raise RefusedError(
                200, f"{self.url} is not NetBox: /api/status/ has no version", told, "name what is before /api/"
            )
        return str(told["netbox-version"])

    def records(self, path: str, **filters: Any) -> Iterator[Record]:
        """All records of a kind that pass filters, by id."""
        seen = 0
        while True:
            page = self._call("GET", path, {**filters, "limit": PAGE, "offset": seen, "ordering": "id"})
            rows, count = _page_of(page)
            if count < 0 or (not rows and seen < count):
                text = f"what {self.url} answered to GET {path} is no page of records"
                raise RefusedError(200, text, page, _NOT_NETBOX)
            yield from rows
            seen += len(rows)
            if seen >= count:
                return

    def make(self, path: str, rows: Sequence[Mapping[str, Any]]) -> list[Record]:
        """Make records, all or none; the answer is in their order."""
        made: list[Record] = self._call("POST", path, body=rows)
        if not _are_records(made) or len(made) != len(rows):
            text = f"what {self.url} answered to POST {path} is not the {len(rows)} records that were sent"
            raise RefusedError(201, text, made, _NOT_NETBOX)
        return made

    def change(self, path: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Change records by `id`, all or none."""
        self._call("PATCH", path, body=rows)

    def delete(self, path: str, number: int) -> None:
        """Delete a record; one that is gone is fine."""
        try:
            self._call("DELETE", f"{path}/{number}")
        except RefusedError as refused:
            if refused.status != 404:
                raise

    def _call(
        self,
        method: str,
        path: str,
        filters: Mapping[str, Any] | None = None,
        body: Any = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Any:
        url = f"{self.url}/api/{path}/"
        try:
            answer = self._session.request(
                method, url, params=filters, json=body, timeout=(FIRST_TIMEOUT_S, timeout_s), allow_redirects=False
            )
        except self._failed as error:
            slow = "time" in str(error) and "out" in str(error)
            reason = f"no answer within {timeout_s:g} s" if slow else type(error).__name__
            text = f"NetBox at {self.url} cannot be reached: {reason} at {method} {path}"
            kept = "what was written is kept: run it again, it goes on from there"
            raise RefusedError(
                0, text, None, kept if method != "GET" else "the URL is what stands before /api/"
            ) from None
        try:
            told = answer.json() if answer.content else None
        except ValueError:
            told = None
        if answer.is_redirect:
            raise RefusedError(
                answer.status_code, f"{self.url} is elsewhere now", None, "give the URL that it redirects to"
            )
        if answer.status_code >= 300 or (told is None and answer.content):
            text, hint = self._told(method, path, answer.status_code, told), _HINTS.get(answer.status_code, "")
            if answer.status_code < 300:
                text += f" with {answer.headers.get('Content-Type', 'text')}, not with JSON"
                hint = _NOT_NETBOX
            raise RefusedError(answer.status_code, text, told, hint)
        return told

    def _told(self, method: str, path: str, status: int, told: Any) -> str:
        shown = first_reason(told).replace(self._token, "***")[:300]
        return f"NetBox answered {status} to {method} {path}" + (f": {shown}" if shown else "")


def _page_of(told: Any) -> tuple[list[Record], int]:
    """(records, how many there are on all pages); none of -1 where it is no page."""
    if isinstance(told, dict) and isinstance(told.get("count"), int) and _are_records(told.get("results")):
        return told["results"], told["count"]
    return [], -1


def _are_records(rows: Any) -> bool:
    """Whether they are a list of records of NetBox, each with its number."""
    return isinstance(rows, list) and all(isinstance(row, dict) and "id" in row for row in rows)


_NOT_NETBOX = "the URL is what stands before /api/; a proxy or a login page in between may have answered"
_HINTS = {
    401: "the token must be one of this NetBox",
    403: "the token must be one of this NetBox, and may write what is pushed (and nothing else)",
    404: "the URL is what stands before /api/",
}


def first_reason(told: Any) -> str:
    """What an error of NetBox says first: of {"field": ["text"]}, of a list of such, or of {"detail": "text"}."""
    if isinstance(told, dict):
        return next(
            (
                f"{key}: {first_reason(value)}" if key not in _PLAIN else first_reason(value)
                for key, value in told.items()
            ),
            "",
        )
    if isinstance(told, list):
        return next((reason for reason in map(first_reason, told) if reason), "")
    return str(told) if told is not None else ""


_PLAIN = ("detail", "__all__", "error")
