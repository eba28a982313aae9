"""Static routes as values for templates: each a prefix, its next hops, and whether the rest is dropped."""

from __future__ import annotations

DISCARD_DISTANCE = 250
"""Administrative distance of a discard route beside next hops: it takes over when the last of these is down."""
