"""Where the code is: the function itself, or a branch of `ctx.gather`, `ctx.race` or `ctx.map`.

Each branch counts the names within it, so the order in which branches run changes no identity. The
scope follows the code through its awaits, as a context variable.
"""

from __future__ import annotations

import re
from contextvars import ContextVar


class Scope:
    def __init__(self, prefix: str = "", parent: Scope | None = None) -> None:
        self.prefix = prefix
        """Begins each identity: empty, or as `map[3]/`."""
        self._parent = parent
        self._counts: dict[str, int] = {}
        self._abandoned = False

    def identify(self, name: str) -> str:
        """The name and its occurrence: `charge`, then `charge#2`."""
        count = self._counts[name] = self._counts.get(name, 0) + 1
        return f"{self.prefix}{name}" + ("" if count == 1 else f"#{count}")

    def branch(self, identity: str, index: int) -> Scope:
        return Scope(f"{identity}[{index}]/", self)

    def abandon(self) -> None:
        """The branch lost a race: nothing new begins in it."""
        self._abandoned = True

    @property
    def is_abandoned(self) -> bool:
        return self._abandoned or (self._parent is not None and self._parent.is_abandoned)


current_scope: ContextVar[Scope] = ContextVar("svc_scope")
current_step: ContextVar[str | None] = ContextVar("svc_step", default=None)
"""The step whose code runs; such code must not use `ctx`."""

_REFUSED = re.compile(r"[#/\[\]\x00-\x1f\x7f-\x9f]")


def check_name(name: str) -> None:
    """Raises ValueError for a name that could be taken for an identity."""
    if not 1 <= len(name) <= 200 or _REFUSED.search(name):
        raise ValueError(f'a name has 1 to 200 characters without "#", "/", "[" and "]": {name!r}')
