"""Runs a turn of a durable function for an item, and hands in what it came to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from .._threads import Threads
from ..errors import LeaseLost
from ..functions.attempt import TurnTools
from ..functions.context import ItemFacts
from ..functions.define import Function
from ..functions.journal import ENTRIES_AT_ONCE_MAX, Entry
from ..functions.run_turn import Outcome, run_turn
from .http_journal import HttpJournal, JournalRefusedError
from .lease import Lease
from .settle import Failure, Held, Riding, complete, continue_as_new, fail, release, tell_refusal


async def run_function(
    served: Function[Any, Any],
    held: Held,
    lease: Lease,
    logger: logging.LoggerAdapter[logging.Logger],
    threads: Threads,
    clock: Callable[[], float],
) -> str:
    item = held.item
    began = asyncio.get_running_loop().time()
    try:
        journal = await HttpJournal.open(held)
        outcome = await run_turn(
            served,
            input=item.input,
            mode=item.mode,
            journal=journal,
            facts=ItemFacts(
                execution_id=item.execution_id,
                node_id=item.node_id,
                turn=item.turn,
                attempt=item.attempt,
                idempotency_key=item.key,
                traceparent=item.traceparent,
            ),
            tools=TurnTools(item.key, lease.stopped, logger, threads, clock),
        )
        duration_ms = round((asyncio.get_running_loop().time() - began) * 1000)
        return await _hand_in(outcome, held, journal, duration_ms, logger)
    except LeaseLost:
        return "abandoned"
    except JournalRefusedError as error:
        failure = Failure(str(error), type(error).__name__, final=error.is_final)
        tell_refusal(held, failure)
        return await fail(held, failure)


async def _hand_in(
    outcome: Outcome,
    held: Held,
    journal: HttpJournal,
    duration_ms: int,
    logger: logging.LoggerAdapter[logging.Logger],
) -> str:
    if outcome.kind == "suspended":
        return "suspended"
    if outcome.kind == "stopped":
        await _record_but(0, journal, outcome.entries)
        return await release(held)
    riding = await _ride(journal, outcome.entries)
    if outcome.kind == "continued":
        return await continue_as_new(held, outcome.output, riding)
    if outcome.kind == "failed":
        message, error_class = outcome.describe()
        logger.warning("the function failed: %s", message, exc_info=outcome.error)
        failure = Failure(
            message,
            error_class,
            final=outcome.is_final,
            retry_after_ms=outcome.retry_after_ms,
            usage=outcome.usage,
            riding=riding,
        )
        return await fail(held, failure)
    return await complete(held, outcome.output, duration_ms, riding)


async def _ride(journal: HttpJournal, entries: list[Entry]) -> Riding:
    """One request takes 100 entries; the rest goes before it."""
    return journal.riding(await _record_but(ENTRIES_AT_ONCE_MAX, journal, entries))


async def _record_but(left: int, journal: HttpJournal, entries: list[Entry]) -> list[Entry]:
    """Records entries until at most `left` are left, and gives those."""
    rest = entries
    while len(rest) > left:
        await journal.record(rest[:ENTRIES_AT_ONCE_MAX])
        rest = rest[ENTRIES_AT_ONCE_MAX:]
    return rest
