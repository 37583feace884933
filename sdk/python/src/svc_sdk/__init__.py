"""The SDK of svc: workers, durable functions, workflows and clients."""

from .client import AsyncClient, AsyncExecutionHandle, Client, ExecutionHandle, RetryPolicy
from .errors import Fatal, RetryAfter, StepError, SvcError, WaitTimeoutError
from .functions import Approval, Function, FunctionContext, FunctionOptions, Retry, StepContext
from .functions import function as function
from .worker import Tool, ToolContext, Worker, tool
from .workflow import Workflow

__version__ = "0.4.0"

__all__ = [
    "Approval",
    "AsyncClient",
    "AsyncExecutionHandle",
    "Client",
    "ExecutionHandle",
    "Fatal",
    "Function",
    "FunctionContext",
    "FunctionOptions",
    "Retry",
    "RetryAfter",
    "RetryPolicy",
    "StepContext",
    "StepError",
    "SvcError",
    "Tool",
    "ToolContext",
    "WaitTimeoutError",
    "Worker",
    "Workflow",
    "__version__",
    "function",
    "tool",
]
