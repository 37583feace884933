"""The tools of `svc worker check`, on the Python SDK."""

import asyncio
import time
import uuid
from typing import Any

from svc_sdk import Fatal, FunctionContext, RetryAfter, ToolContext, Worker

worker = Worker(stop_seconds=3)


@worker.tool("check.echo")
def echo(input: dict[str, Any]) -> dict[str, Any]:
    return input


@worker.tool("check.call")
def call(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
    return {"call": str(uuid.uuid4()), "idempotency_key": ctx.idempotency_key}


@worker.tool("check.fail")
def fail(input: dict[str, Any]) -> None:
    raise RuntimeError(input["message"])


@worker.tool("check.slow")
def slow(input: dict[str, Any]) -> dict[str, Any]:
    time.sleep(input["ms"] / 1000)
    return input


@worker.tool("check.fatal")
def fatal(input: dict[str, Any]) -> None:
    raise Fatal(input["message"])


@worker.tool("check.retry_after")
def retry_after(input: dict[str, Any]) -> None:
    raise RetryAfter(input["ms"] / 1000)


@worker.tool("check.trace")
def trace(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
    return {"traceparent": ctx.traceparent}


@worker.tool("check.labels")
def label(input: dict[str, Any], ctx: ToolContext) -> None:
    ctx.set_labels(input)


count = 0


@worker.tool("check.cancel")
async def cancel(input: dict[str, Any]) -> None:
    global count
    try:
        await asyncio.sleep(input["ms"] / 1000)
    except asyncio.CancelledError:
        count += 1
        raise


@worker.tool("check.never")
async def never(_: dict[str, Any]) -> None:
    await asyncio.Event().wait()


@worker.tool("check.cancelled")
async def cancelled_so_far(_: dict[str, Any]) -> dict[str, Any]:
    return {"cancelled": count}


@worker.function("check.steps")
async def steps(ctx: FunctionContext) -> dict[str, Any]:
    return {"first": await ctx.step("first", lambda: str(uuid.uuid4()))}


@worker.function("check.rides")
async def rides(ctx: FunctionContext) -> dict[str, Any]:
    await ctx.step("first", lambda: 1, durability="end")
    await ctx.step("second", lambda: 2, durability="end")
    return {}


@worker.function("check.steps_cancel")
async def steps_cancel(ctx: FunctionContext, input: dict[str, Any]) -> dict[str, Any]:
    async def wait() -> dict[str, Any]:
        await asyncio.sleep(input["ms"] / 1000)
        return {}

    return await ctx.step("wait", wait)


if __name__ == "__main__":
    worker.run()
