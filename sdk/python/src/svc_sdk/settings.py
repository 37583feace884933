"""Where the runtime is, and who asks."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

DEFAULT_URL = "http://127.0.0.1:7700"

Token = str | Callable[[], str] | None


@dataclass(frozen=True, slots=True)
class Settings:
    url: str
    token: Token
    tenant: str | None

    @classmethod
    def read(cls, *, url: str | None, token: Token, tenant: str | None) -> Settings:
        """Absent values come from SVC_URL and SVC_TOKEN; an empty variable counts as absent."""
        found = url or os.environ.get("SVC_URL") or DEFAULT_URL
        if not found.startswith(("http://", "https://")):
            raise ValueError(f"the URL must begin with http:// or https://: {found}")
        return cls(found.rstrip("/"), token or os.environ.get("SVC_TOKEN") or None, tenant)

    def headers(self) -> dict[str, str]:
        """Asks a callable token again for each request, so that it may change."""
        token = self.token() if callable(self.token) else self.token
        headers = {"content-type": "application/json"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        if self.tenant is not None:
            headers["x-tenant-id"] = self.tenant
        return headers
