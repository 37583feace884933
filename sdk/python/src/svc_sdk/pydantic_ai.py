"""Durable agents of Pydantic AI: each model request and each tool call is a step of the function.

>>> agent = Agent("openai:gpt-5", name="support", capabilities=[SvcDurability()])  # doctest: +SKIP

`agent.run()` in a durable function is then durable. Outside of one, the agent runs as without svc.
`pip install 'svc-sdk[pydantic-ai]'`; it needs Python 3.11.

The agent loop runs in the event loop of the function, which has no clock and no sockets. The steps
run in that of the worker, with the context variables of the loop.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic_ai import Agent
from pydantic_ai._utils import _disable_threads, disable_threads
from pydantic_ai.agent.abstract import AbstractAgent
from pydantic_ai.capabilities.abstract import WrapRunHandler
from pydantic_ai.durable_exec import (
    JSON_CODEC,
    BaseDurabilityCapability,
    CallableOperationBackend,
    DurabilityEngineSpec,
    DurableOperationConfig,
    DurableOperationId,
    DurableOperationNamer,
    ModelCancelSuspendedResponseId,
    ModelCompactMessagesId,
    ModelRequestId,
    OperationConfigRole,
    ToolsetCallToolId,
    ToolsetValidateToolArgumentsId,
    conversation_id_from_run_id,
    record_durable_unit,
    replay_scope,
)
from pydantic_ai.durable_exec._operation_names import DurableInvocationName
from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior, UserError
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import AgentDepsT, RunContext

from ._duration import Duration
from .errors import Fatal
from .functions.attempt import StepContext
from .functions.context import FunctionContext, current_function
from .functions.retry import Retry
from .functions.scope import current_step

_REFUSED_IN_NAMES = re.compile(r"[#/\[\]\x00-\x1f\x7f-\x9f]")
_WORTH_RETRYING = frozenset({408, 409, 425, 429})
_METADATA = "svc"


@dataclass(frozen=True)
class StepOptions:
    """How a model request or a tool call runs as a step; see `ctx.step`."""

    retry: Retry | None = None
    timeout: Duration | None = None


@dataclass(init=False, kw_only=True)
class SvcDurability(BaseDurabilityCapability[AgentDepsT]):
    """Makes the runs of an agent durable inside a durable function.

    The agent needs a `name`: the steps are `NAME.model`, `NAME.TOOL`, and `NAME.model#2` for the
    second request. Parallel calls of tools run side by side.

    model: options of the steps of model requests.
    tool: options of the steps of tools; `metadata={"svc": StepOptions(…)}` of a tool replaces them,
        and `metadata={"svc": False}` runs it in the function itself, for tools that use `ctx`.
    models: models to choose from by name with `agent.run(model=…)`.
    """

    engine_spec = DurabilityEngineSpec(
        engine_name="svc",
        durable_unit_noun="step",
        durable_container_noun="function",
        codec=JSON_CODEC,
        tool_config_key=_METADATA,
        # The step enters what it needs: the function's own loop has no sockets.
        toolset_lifecycles={
            "function": "enter-never",
            "mcp": "enter-in-durable-unit",
            "dynamic": "enter-never",
        },
    )

    def __init__(
        self,
        *,
        name: str | None = None,
        model: StepOptions | None = None,
        tool: StepOptions | None = None,
        models: Mapping[str, Model] | None = None,
    ) -> None:
        super().__init__(name=name, models=models)
        self._options = _Options(model or StepOptions(), tool or StepOptions())
        self._backend: _Backend | None = None

    @property
    def in_durable_context(self) -> bool:
        return current_function.get() is not None and current_step.get() is None

    def get_durable_operation_backend(self) -> _Backend:
        assert self._backend is not None
        return self._backend

    def get_default_run_id(self) -> str | None:
        ctx = current_function.get()
        return str(ctx.uuid()) if ctx is not None and self.in_durable_context else None

    def get_default_conversation_id(self, run_id: str) -> str | None:
        return conversation_id_from_run_id(run_id) if self.in_durable_context else None

    async def wrap_run(
        self, ctx: RunContext[AgentDepsT], *, handler: WrapRunHandler
    ) -> AgentRunResult[Any]:
        function = current_function.get()
        if function is None or not self.in_durable_context:
            return await handler()

        async def sleep(seconds: float) -> None:
            # An agent that a tool runs is in a step, which has a clock.
            sleeping = function.sleep if self.in_durable_context else asyncio.sleep
            await sleeping(max(seconds, 0))

        # The order in which tools end must not show: the loop runs again in each turn.
        with (
            disable_threads(),
            Agent.using_sleep(sleep),
            Agent.parallel_tool_call_execution_mode("parallel_ordered_events"),
            replay_scope(),
        ):
            return await super().wrap_run(ctx, handler=handler)

    def _bind_to_agent(self, agent: AbstractAgent[AgentDepsT, Any]) -> None:
        self._backend = _Backend(namer=_Namer(self.name), config=self._options)
        self._register_toolsets(agent)


class _Options(DurableOperationConfig[StepOptions]):
    def __init__(self, model: StepOptions, tool: StepOptions) -> None:
        self._model = model
        self._tool = tool

    def base(self, role: OperationConfigRole, *, operation_id: DurableOperationId) -> StepOptions:
        return self._model if role == "model" else self._tool

    def for_tool(
        self,
        role: OperationConfigRole,
        *,
        operation_id: DurableOperationId,
        tool: object | None,
        tool_name: str,
    ) -> StepOptions | Literal[False]:
        definition = getattr(tool, "tool_def", None)
        own = (getattr(definition, "metadata", None) or {}).get(_METADATA)
        return self._tool if own is None else cast("StepOptions | Literal[False]", own)


class _Namer(DurableOperationNamer):
    """Names of steps. They are recorded, so that another name cuts off what is under way."""

    def __init__(self, agent: str) -> None:
        self._agent = agent

    def operation_name(self, operation_id: DurableOperationId) -> str:
        return _clean(f"{self._agent}.{_work_of(operation_id)}")

    def invocation_name(
        self, operation_id: DurableOperationId, *, label: str | None
    ) -> DurableInvocationName:
        if label is None:
            return DurableInvocationName(self.operation_name(operation_id))
        if isinstance(operation_id, ToolsetValidateToolArgumentsId):
            return DurableInvocationName(_clean(f"{self._agent}.validate {label}"))
        if isinstance(operation_id, ToolsetCallToolId):
            return DurableInvocationName(_clean(f"{self._agent}.{label}"))
        return DurableInvocationName(_clean(f"{self.operation_name(operation_id)} {label}"))


class _Backend(CallableOperationBackend[StepOptions]):
    async def execute(
        self,
        *,
        operation_id: DurableOperationId,
        name: str,
        body: Callable[[], Awaitable[object]],
        cache_key: tuple[object, ...],
        config: StepOptions,
    ) -> object:
        ctx = current_function.get()
        assert ctx is not None
        context = copy_context()
        context.run(current_function.set, None)
        context.run(current_step.set, name)
        # The function's loop has no threads, that of the worker does.
        context.run(_disable_threads.set, False)
        has_run = False

        async def run(step: StepContext) -> object:
            nonlocal has_run
            has_run = True
            loop = asyncio.get_running_loop()
            try:
                payload = await context.run(loop.create_task, _await(body))
            except Exception as error:
                raise _judge(error) from error
            if isinstance(operation_id, (ModelRequestId, ModelCompactMessagesId)):
                _report_usage(step, operation_id, payload)
            return payload

        payload = await _step(ctx, name, run, config)
        record_durable_unit(executed=has_run)
        return payload


def _step(
    ctx: FunctionContext,
    name: str,
    run: Callable[[StepContext], Any],
    options: StepOptions,
) -> Awaitable[object]:
    given: dict[str, Any] = {}
    if options.retry is not None:
        given["retry"] = options.retry
    if options.timeout is not None:
        given["timeout"] = options.timeout
    return ctx.step(name, run, **given)


async def _await(body: Callable[[], Awaitable[object]]) -> object:
    return await body()


def _judge(error: Exception) -> Exception:
    """Another attempt would come to the same: such errors end the step at once."""
    if isinstance(error, ModelHTTPError):
        status = error.status_code
        is_final = 400 <= status < 500 and status not in _WORTH_RETRYING
    else:
        is_final = isinstance(error, (UserError, UnexpectedModelBehavior))
    return Fatal(str(error)) if is_final else error


def _report_usage(
    step: StepContext, operation_id: ModelRequestId | ModelCompactMessagesId, payload: object
) -> None:
    """The answer of the model counts, even if its provider tells no proper amount."""
    response = payload if isinstance(payload, Mapping) else {}
    usage = response.get("usage") or {}
    tokens = [usage.get("input_tokens"), usage.get("output_tokens")]
    if all(isinstance(one, int) and one >= 0 for one in tokens) and any(tokens):
        model = response.get("model_name") or operation_id.model_name
        step.report_usage(model=model, input_tokens=tokens[0], output_tokens=tokens[1])


def _work_of(operation_id: DurableOperationId) -> str:
    if isinstance(operation_id, ModelRequestId):
        return "model"
    if isinstance(operation_id, ModelCompactMessagesId):
        return "compact"
    if isinstance(operation_id, ModelCancelSuspendedResponseId):
        return "cancel response"
    toolset = getattr(operation_id, "toolset_id", None)
    kind = type(operation_id).__name__.removesuffix("Id").removeprefix("Toolset")
    return f"{kind} {toolset}" if toolset is not None else str(operation_id)


def _clean(name: str) -> str:
    return _REFUSED_IN_NAMES.sub("_", name)[:200]
