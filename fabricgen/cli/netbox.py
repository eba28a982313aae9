"""A NetBox on a command line: its URL, and the token by the name of a variable."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

if TYPE_CHECKING:
    from fabricgen.push.client import NetBox

F = TypeVar("F", bound=Callable[..., Any])

PREFIX = "netbox:"
"""How a NetBox is named where a file might be: netbox:https://netbox.example.com."""


def token_option(*, required: bool = False) -> Callable[[F], F]:
    """Add `--token`."""
    told = "The environment variable that has the token; a token itself is not taken, as others see command lines."
    return click.option("--token", required=required, metavar="env:NAME", help=told)


def open_netbox(place: str, token: str | None) -> NetBox:
    """The NetBox at a URL, or at netbox:URL; says its version.

    Raises UsageError for what is no URL or no name of a token, InputError (FG164) where there is no NetBox.
    """
    secret, url = _secret(token), place.removeprefix(PREFIX)
    _check_url(url)
    try:
        from fabricgen.push.client import NetBox

        target = NetBox(url, secret)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"NetBox needs {error.name}: pip install 'fabricgen[netbox]'") from None
    click.echo(f"NetBox {target.version()} at {url}", err=True)
    return target


def _secret(token: str | None) -> str:
    """The token in an environment variable; no message has it."""
    scheme, _, name = (token or "").partition(":")
    if scheme != "env" or not name:
        raise click.UsageError("--token is env:NAME, the environment variable that has the token")
    secret = os.environ.get(name, "").strip()
    if not secret:
        raise click.UsageError(f"--token names the environment variable {name}, which is not set")
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise click.UsageError(
            f"what the environment variable {name} has is no token: it has spaces or control characters"
        )
    if secret.startswith("nbt_") and "." not in secret:
        raise click.UsageError(
            f"the token in {name} has no '.': the whole of it is nbt_KEY.TOKEN, as NetBox showed it once"
        )
    return secret


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise click.UsageError("the URL is where NetBox is, for example https://netbox.example.com")
    if parts.username or parts.password:
        raise click.UsageError("the URL has a user or password in it: the token is enough")
