"""Where the runtime is: arguments first, then SVC_URL and SVC_TOKEN."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

TokenSource: TypeAlias = str | Callable[[], str]


@dataclass(frozen=True)
class Address:
    url: str
    """Without a slash at the end."""
    token: Callable[[], str] | None
    tenant: str | None

    def headers(self) -> dict[str, str]:
        headers = {}
        if self.token is not None:
            headers["authorization"] = f"Bearer {_read_token(self.token())}"
        if self.tenant is not None:
            headers["x-tenant-id"] = self.tenant
        return headers


def read_address(
    url: str | None = None, token: TokenSource | None = None, tenant: str | None = None
) -> Address:
    """Raises ValueError for what is no address of a service."""
    found = url or os.environ.get("SVC_URL") or "http://127.0.0.1:7700"
    parts = urlsplit(found)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"url must be an address such as http://127.0.0.1:7700, not {found!r}")
    given = token if token is not None else os.environ.get("SVC_TOKEN") or None
    return Address(
        url=found.rstrip("/"),
        token=(lambda: given) if isinstance(given, str) else given,
        tenant=tenant,
    )


def _read_token(text: str) -> str:
    token = text.strip()
    if re.fullmatch(r"[\x21-\x7e]+", token):
        return token
    raise ValueError("the token is empty, or has spaces or other characters that no token has")
