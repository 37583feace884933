"""Model usage that the attempts of a step report."""

from __future__ import annotations

import math
from typing import Any

from ..errors import Fatal


class UsageSum:
    """The sum has a cost if each report has one, and a model if all reports name the same."""

    def __init__(self) -> None:
        self._reports: list[dict[str, Any]] = []

    def add(
        self,
        *,
        input_tokens: int,
        output_tokens: int,
        model: str | None = None,
        cost_usd: float | None = None,
    ) -> None:
        tokens = (input_tokens, output_tokens)
        if not all(isinstance(one, int) and one >= 0 for one in tokens):
            raise Fatal(f"tokens must be whole numbers from 0: {tokens}")
        if cost_usd is not None and not (math.isfinite(cost_usd) and cost_usd >= 0):
            raise Fatal(f"cost_usd must be a number from 0: {cost_usd}")
        self._reports.append({"model": model, "tokens": tokens, "cost_usd": cost_usd})

    @property
    def usage(self) -> dict[str, Any] | None:
        if not self._reports:
            return None
        models = {one["model"] for one in self._reports}
        costs = [one["cost_usd"] for one in self._reports if one["cost_usd"] is not None]
        usage: dict[str, Any] = {
            "input_tokens": sum(one["tokens"][0] for one in self._reports),
            "output_tokens": sum(one["tokens"][1] for one in self._reports),
        }
        if len(models) == 1 and None not in models:
            usage["model"] = models.pop()
        if len(costs) == len(self._reports):
            usage["cost_usd"] = sum(costs)
        return usage

    @property
    def member(self) -> dict[str, Any]:
        usage = self.usage
        return {} if usage is None else {"usage": usage}
