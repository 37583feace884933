"""Workers: your functions as the tools and durable functions of workflows."""

from .tool import Tool, ToolContext, tool
from .worker import Worker

__all__ = ["Tool", "ToolContext", "Worker", "tool"]
