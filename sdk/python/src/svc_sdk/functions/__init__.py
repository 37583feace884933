"""Durable functions: `async` functions whose steps svc keeps in a journal."""

from .attempt import StepContext
from .context import Approval, FunctionContext
from .define import Function, FunctionOptions, function
from .retry import Retry

__all__ = [
    "Approval",
    "Function",
    "FunctionContext",
    "FunctionOptions",
    "Retry",
    "StepContext",
    "function",
]
