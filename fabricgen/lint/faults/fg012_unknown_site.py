"""A site is not where pods are, or not where it should be."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownSite(Fault):
    """An extra device or a span names a site that no pod stands at, or switches at another site.

    A cable does not reach another site: what is joined there goes over a span. Sites are those that pods name
    (`site`). Correct the name, or state the site where the switches stand.
    """

    id = "FG012"
    title = "a site is not where pods are, or not where it should be"
    bad = """
        fabrics: {compute: {extra: {
          login: {device: generic-server, site: west}}}}  # <-
    """
    good = """
        site: west
        fabrics: {compute: {extra: {
          login: {device: generic-server, site: west}}}}
    """
