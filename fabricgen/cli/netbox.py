"""A NetBox on a command line: its URL, and the token by the name of an environment variable."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

if TYPE_CHECKING:
    from fabricgen.push.client import NetBox

F = TypeVar("F", bound=Callable[..., Any])

_VARIABLE = re.compile(r"[A-Za-z_]\w{0,30}", re.ASCII)
"""Names of variables that messages may show: tokens have forty characters and more."""

PREFIX = "netbox:"
"""The prefix of a NetBox in place of a file: netbox:https://netbox.example.com."""


def token_option(*, required: bool = False) -> Callable[[F], F]:
    """Add `--token` and `--plain-http`."""
    help_text = "The environment variable that has the token; a token itself is not taken, as others see command lines."
    token = click.option("--token", required=required, metavar="env:NAME", help=help_text)
    help_text = "Send the token over plain http, where everybody on the way can read it."
    plain_http = click.option("--plain-http", is_flag=True, help=help_text)
    return lambda command: token(plain_http(command))


def open_netbox(address: str, token: str | None, *, plain_http: bool, title: str = "NetBox") -> NetBox:
    """Return the NetBox, or the Nautobot, at a URL or at netbox:URL, and print its version.

    Raises UsageError for what is no URL or no name of a token, and for http without `plain_http`; InputError (FG164) if
    no server answers.
    """
    secret, url = _read_secret(token), address.removeprefix(PREFIX)
    if _read_scheme(url) == "http" and not plain_http:
        message = "over http everybody on the way can read the token: give an https URL, or --plain-http to send it so"
        raise click.UsageError(message)
    try:
        from fabricgen.push.client import NetBox
        from fabricgen.push.nautobot import Nautobot

        target = (Nautobot if title == Nautobot.TITLE else NetBox)(url, secret)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"{title} needs {error.name}: pip install 'fabricgen[netbox]'") from None
    click.echo(f"{title} {target.version} at {url}", err=True)
    return target


def _read_secret(token: str | None) -> str:
    """Return the token in the environment variable that `token`, written env:NAME, names.

    Raises UsageError, without the token in its message, if `token` is not written so, if the variable is not set, and
    if its text cannot be a token of NetBox.
    """
    scheme, _, name = (token or "").partition(":")
    if scheme != "env" or not name:
        raise click.UsageError("--token is env:NAME, the environment variable that has the token")
    secret = os.environ.get(name, "").strip()
    if not secret:
        shown = name if _VARIABLE.fullmatch(name) else "(not shown: it may be a token)"
        raise click.UsageError(f"--token names the environment variable {shown}, which is not set")
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise click.UsageError(
            f"what the environment variable {name} has is no token: it has spaces or control characters"
        )
    if secret.startswith("nbt_") and "." not in secret:
        raise click.UsageError(
            f"the token in {name} has no '.': the whole of it is nbt_KEY.TOKEN, as NetBox showed it once"
        )
    return secret


def _read_scheme(url: str) -> str:
    """Return the scheme of the URL of a NetBox, http or https.

    Raises UsageError for other schemes, for a URL without a host or with an invalid port, and for one with a user,
    password, query or fragment.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and url.isprintable()
    except ValueError:  # brackets that are no address, a port that is no number
        usable = False
    if not usable:
        raise click.UsageError("the URL is where NetBox is, for example https://netbox.example.com")
    if parts.username or parts.password:
        raise click.UsageError("the URL has a user or password in it: the token is enough")
    if parts.query or parts.fragment:
        raise click.UsageError("the URL has more than a path: what stands before /api/ is enough")
    return parts.scheme
