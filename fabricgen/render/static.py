"""Static routes as values for templates: prefix, next hops, and whether a discard route backs them."""

from __future__ import annotations

DISCARD_DISTANCE = 250
"""Administrative distance of a discard route: it takes over when the last next hop is down."""
