"""Keys and values that are the same in each turn: hashes of the visit and an identity."""

from __future__ import annotations

import hashlib
import uuid


def derive_key(visit_key: str, identity: str) -> str:
    """The idempotency key of a step."""
    return hashlib.sha256(f"{visit_key}\n{identity}".encode()).hexdigest()


def derive_random(key: str) -> float:
    """From 0 to below 1, with 52 bits."""
    return int(key[:13], 16) / 2**52


def derive_uuid(key: str) -> uuid.UUID:
    """A UUID of version 8 (RFC 9562)."""
    variant = f"{int(key[16], 16) & 3 | 8:x}"
    return uuid.UUID(key[:12] + "8" + key[13:16] + variant + key[17:32])
