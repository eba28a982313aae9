"""What a bridged subnet keeps for itself."""

from __future__ import annotations

RESERVED_IN_SUBNET = 2
"""Network and gateway address before the first host of a bridged subnet."""
