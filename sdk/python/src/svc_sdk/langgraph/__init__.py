"""LangGraph on svc: `SvcSaver` keeps the checkpoints of threads, `SvcStore` the items of namespaces.

`pip install 'svc-sdk[langgraph]'`.
"""

from .saver import SvcSaver
from .store import SvcStore

__all__ = ["SvcSaver", "SvcStore"]
