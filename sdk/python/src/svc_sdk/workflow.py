"""Workflows as typed Python: the builder writes the definition that `docs/reference/ir.md` describes.

>>> from dataclasses import dataclass
>>> @dataclass
... class Order:
...     id: str
...     amount: int
>>> order = Workflow("order", state=Order)
>>> charge = order.tool("charge", "payment.charge", input={"order": order.state.id})
>>> ask = order.approval("ask", "Charge a large amount?")
>>> check = order.condition("check", [(order.state.amount > 1000, ask)], default=charge)
>>> order.edge(ask, charge).start(check).to_ir()["start_node"]
'check'

The same program gives the same definition, member by member. The runtime validates it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, cast, get_type_hints

from ._duration import Duration, to_ms
from ._json import to_json

if TYPE_CHECKING:
    from .functions.define import Function

S = TypeVar("S")


@dataclass(frozen=True)
class Step:
    """A node of a workflow. `output` refers to what it gives, if it has an output key."""

    id: str
    output: Any


class Expression:
    """An expression of svc (CEL). Operators make further ones."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        self._text = text

    def __bool__(self) -> bool:
        raise TypeError(
            "svc evaluates an expression when the workflow runs. Use & and | and ~ in place of "
            "and, or and not"
        )

    def __eq__(self, other: object) -> Any:
        return self._with("==", other)

    def __ne__(self, other: object) -> Any:
        return self._with("!=", other)

    def __lt__(self, other: object) -> Any:
        return self._with("<", other)

    def __le__(self, other: object) -> Any:
        return self._with("<=", other)

    def __gt__(self, other: object) -> Any:
        return self._with(">", other)

    def __ge__(self, other: object) -> Any:
        return self._with(">=", other)

    def __add__(self, other: object) -> Any:
        return self._with("+", other)

    def __sub__(self, other: object) -> Any:
        return self._with("-", other)

    def __mul__(self, other: object) -> Any:
        return self._with("*", other)

    def __and__(self, other: object) -> Any:
        return self._with("&&", other)

    def __or__(self, other: object) -> Any:
        return self._with("||", other)

    def __invert__(self) -> Any:
        return Expression(f"!({self._text})")

    def _with(self, operator: str, other: object) -> Expression:
        return Expression(f"({self._text} {operator} {_literal(other)})")


class Path(Expression):
    """A place in the state. A member that the type of the state does not have is refused."""

    def __init__(self, text: str, kind: Any = Any) -> None:
        super().__init__(text)
        self._kind = kind

    def __getattr__(self, name: str) -> Path:
        if name.startswith("_"):
            raise AttributeError(name)
        return Path(f"{self._text}.{name}", _member_type(self._kind, name, self._text))

    def __getitem__(self, at: int | str) -> Path:
        return Path(f"{self._text}[{json.dumps(at)}]")


class _Limit(TypedDict):
    limit: int


class Concurrency(_Limit, total=False):
    """How many executions run at a time."""

    key: Any
    """An expression over the input: executions with the same value share the limit."""
    when_full: Literal["queue", "refuse", "cancel_oldest"]
    """The effect on a start when the limit is reached. `queue`, the default, lets it wait in the order of
    the starts; `refuse` answers 409; `cancel_oldest` cancels the oldest execution."""


class _Pace(TypedDict):
    limit: int
    per: Any


class StartRate(_Pace, total=False):
    """How many executions begin in a time. The others wait in the order of their starts."""

    key: Any
    """An expression over the input: executions with the same value share the rate."""
    burst: int


class _Wait(TypedDict):
    wait: Any


class Debounce(_Wait, total=False):
    """Of starts that come soon after each other, the last begins. The others end as cancelled."""

    key: Any
    """An expression over the input: starts with the same value displace each other."""
    max_wait: Any
    """From the first start that was displaced: one begins then in any case."""


class _Gathering(TypedDict):
    max: int
    wait: Any


class Batch(_Gathering, total=False):
    """Starts gather, and one execution begins for all of them.

    Its input is `{"items": [...]}`: their inputs in order. The others end as cancelled. `max` is 2 to
    1000 starts, and `wait` counts from the first of them.
    """

    key: Any
    """An expression over the input: starts with the same value gather in one batch."""


class _Key(TypedDict):
    key: Any


class Fairness(_Key, total=False):
    """Keys take turns when workers claim from a queue, so no key waits for all items of another.

    `key` is an expression over the input.
    """

    weight: Any
    """How many items a key gets while another of weight 1 gets one: a number or an expression."""


def fairness_ir(given: Fairness) -> dict[str, Any]:
    """The member `fairness` of a definition."""
    _require_mapping(given, "fairness", '{"key": "input.customer"}')
    weight = given.get("weight")
    written = weight if isinstance(weight, (int, float, type(None))) else _expression(weight)
    key = given.get("key")
    return _present(key=None if key is None else _expression(key), weight=written)


def flow_rule_ir(given: Concurrency | StartRate | Debounce | Batch) -> dict[str, Any]:
    """The member of a definition for a rule with a key."""
    _require_mapping(given, "a rule", '{"key": "input.customer", "limit": 2}')
    key = given.get("key")
    return _present(**{**given, "key": None if key is None else _expression(key)})


def _require_mapping(given: object, what: str, example: str) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a dict, such as {example}, not {given!r}")


class Workflow(Generic[S]):
    """Builds a definition. `state` is a dataclass or a Pydantic model: the input is its first value."""

    def __init__(
        self,
        id: str,
        *,
        state: type[S] | None = None,
        version: str = "1.0.0",
        concurrency: Concurrency | None = None,
        rate: StartRate | None = None,
        debounce: Debounce | None = None,
        batch: Batch | None = None,
        fairness: Fairness | None = None,
        **members: Any,
    ) -> None:
        self.id = id
        self.version = version
        self._members = members
        if concurrency is not None:
            members["concurrency"] = flow_rule_ir(concurrency)
        if rate is not None:
            members["rate"] = flow_rule_ir(rate)
        if debounce is not None:
            members["debounce"] = flow_rule_ir(debounce)
        if batch is not None:
            members["batch"] = flow_rule_ir(batch)
        if fairness is not None:
            members["fairness"] = fairness_ir(fairness)
        self._state = state
        self._nodes: dict[str, dict[str, Any]] = {}
        self._edges: list[dict[str, Any]] = []
        self._start: str | None = None

    @property
    def state(self) -> S:
        """Refers to members of the state. Its type is that of the state, so tools check the names."""
        return cast(S, Path("state", self._state or Any))

    def step(
        self,
        id: str,
        kind: Mapping[str, Any],
        *,
        input: Mapping[str, Any] | None = None,
        output_key: str | None = None,
        output_type: Any = Any,
        retry_policy: str | Mapping[str, Any] | None = None,
        timeout: Duration | None = None,
        fallback: Step | str | None = None,
        undo: Step | str | None = None,
        undo_on: Sequence[str] | None = None,
        description: str | None = None,
    ) -> Step:
        """Adds a node of any kind, with the members of `ir.md`. ``undo``: the step that undoes it."""
        if id in self._nodes:
            raise ValueError(f"two steps have the name {id}")
        seconds = None if timeout is None else -(-to_ms(timeout) // 1000)
        self._nodes[id] = _present(
            kind=_value(kind),
            input_mapping=None if input is None else _mapping(input),
            output_key=output_key,
            retry_policy=retry_policy,
            node_timeout_secs=seconds,
            fallback_node=None if fallback is None else _id(fallback),
            undo=None if undo is None else _id(undo),
            undo_on=None if undo_on is None else list(undo_on),
            description=description,
        )
        return Step(id, Path(f"state.{output_key or id}", output_type))

    def set(self, id: str, output: Mapping[str, Any], **options: Any) -> Step:
        """Writes values into the state."""
        return self.step(id, {"type": "pass", "output": _mapping(output)}, **options)

    def tool(
        self,
        id: str,
        name: str,
        *,
        queue: str | None = None,
        concurrency: Mapping[str, Any] | None = None,
        rate: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Step:
        """Calls a tool of a worker: `module.function`.

        `concurrency` limits the calls at a time: `{"key": "input.customer", "limit": 5}`.
        `rate` limits the calls in a time: `{"limit": 100, "per": "1m", "burst": 10}`.
        """
        module, _, function = name.rpartition(".")
        if not module:
            raise ValueError(f"the name of a tool is module.function, not {name!r}")
        kind = _present(
            type="python_fn",
            module=module,
            function=function,
            queue=queue,
            concurrency=concurrency,
            rate=rate,
        )
        return self.step(id, kind, output_key=options.pop("output_key", id), **options)

    def function(
        self,
        id: str,
        target: Function[Any, Any] | str,
        *,
        concurrency: Mapping[str, Any] | None = None,
        rate: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Step:
        """Runs a durable function as a step.

        `concurrency` limits its turns at a time, and `rate` in a time, as for `tool`.
        """
        name = target if isinstance(target, str) else target.name
        kind = _present(type="function", name=name, concurrency=concurrency, rate=rate)
        return self.step(id, kind, output_key=options.pop("output_key", id), **options)

    def condition(
        self,
        id: str,
        branches: Iterable[tuple[Any, Step | str]],
        *,
        default: Step | str | None = None,
        **options: Any,
    ) -> Step:
        """Leads on by the first expression that is true."""
        made = [{"condition": _expression(one), "target": _id(target)} for one, target in branches]
        if default is not None:
            made.append({"target": _id(default)})
        kind = {"type": "condition", "branches": made}
        return self.step(id, kind, **options)

    def wait(self, id: str, duration: Duration, **options: Any) -> Step:
        """Waits for a time."""
        seconds = -(-to_ms(duration) // 1000)
        return self.step(id, {"type": "wait", "timeout_secs": seconds}, **options)

    def wait_event(self, id: str, key: Any, **options: Any) -> Step:
        """Waits for the external event with a correlation key."""
        kind = {"type": "wait", "condition": "external_event", "correlation_key": _path(key)}
        return self.step(id, kind, output_key=options.pop("output_key", id), **options)

    def approval(self, id: str, description: str, **options: Any) -> Step:
        """Waits for the decision of a person."""
        return self.step(id, {"type": "human_approval", "description": description}, **options)

    def fail(self, id: str, message: Any, *, error_class: Any = None, **options: Any) -> Step:
        """Ends the execution as failed, with this error; the error class is ``error`` by default."""
        kind = _present(
            type="fail",
            message=_value(message),
            **{"class": None if error_class is None else _value(error_class)},
        )
        return self.step(id, kind, **options)

    def subgraph(self, id: str, workflow: Workflow[Any] | str, **options: Any) -> Step:
        """Runs another workflow as a child execution."""
        name = workflow if isinstance(workflow, str) else workflow.id
        kind = {"type": "subgraph", "workflow_ref": name}
        return self.step(id, kind, output_key=options.pop("output_key", id), **options)

    def edge(
        self, source: Step | str, to: Step | str, *, when: Any = None, on_failure: bool = False
    ) -> Workflow[S]:
        """Adds an edge."""
        condition = None if when is None else _expression(when)
        edge = _present(condition=condition, on="failure" if on_failure else None)
        self._edges.append({"from": _id(source), "to": _id(to), **edge})
        return self

    def sequence(self, *steps: Step | str) -> Workflow[S]:
        """Adds an edge from each step to the next."""
        for source, to in pairwise(steps):
            self.edge(source, to)
        return self

    def start(self, step: Step | str) -> Workflow[S]:
        """Names the first step; optional where only one has no edge to it."""
        self._start = _id(step)
        return self

    def to_ir(self) -> dict[str, Any]:
        """The definition. Raises ValueError for an edge of a step that does not exist."""
        for edge in self._edges:
            for end in (edge["from"], edge["to"]):
                if end not in self._nodes and end != "end":
                    raise ValueError(f"an edge names the step {end!r}, which does not exist")
        return _present(
            workflow_id=self.id,
            version=self.version,
            **{key: _value(member) for key, member in sorted(self._members.items())},
            state_schema=_schema_of(self._state),
            start_node=self._start,
            nodes=self._nodes,
            edges=self._edges or None,
        )


def _schema_of(kind: type | None) -> dict[str, Any] | None:
    schema = getattr(kind, "model_json_schema", None)
    if callable(schema):
        return cast(dict[str, Any], schema())
    if kind is None or not dataclasses.is_dataclass(kind):
        return None
    fields = dataclasses.fields(kind)
    hints = get_type_hints(kind)
    required = [
        one.name
        for one in fields
        if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
    ]
    return {
        "type": "object",
        "properties": {one.name: _property_of(hints[one.name]) for one in fields},
        "required": required,
    }


_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _property_of(kind: Any) -> dict[str, Any]:
    if kind in _JSON_TYPES:
        return {"type": _JSON_TYPES[kind]}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _schema_of(kind) or {}
    return {}


def _member_type(kind: Any, name: str, path: str) -> Any:
    """Raises AttributeError for a member that a dataclass or a model does not have."""
    is_known = isinstance(kind, type) and (
        dataclasses.is_dataclass(kind) or hasattr(kind, "model_fields")
    )
    if not is_known:
        return Any
    hints = get_type_hints(kind)
    if name not in hints:
        raise AttributeError(f"{path} has no member {name!r}; it is a {kind.__name__}")
    return hints[name]


def _mapping(given: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _value(member) for key, member in given.items()}


def _value(value: Any) -> Any:
    """Values with expressions inside, as a definition has them."""
    if isinstance(value, Expression):
        return {"expr": value._text}
    if isinstance(value, Mapping):
        return {key: _value(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(item) for item in value]
    return to_json(value, "a value of the workflow")


def _expression(value: Any) -> str:
    if isinstance(value, (Expression, str)):
        return value if isinstance(value, str) else value._text
    raise TypeError(f"a condition is an expression of the state, not {value!r}")


def _path(value: Any) -> str:
    """Text, or where in the state the text is."""
    return "$." + value._text.removeprefix("state.") if isinstance(value, Path) else str(value)


def _literal(value: object) -> str:
    return value._text if isinstance(value, Expression) else json.dumps(to_json(value, "a literal"))


def _id(step: Step | str) -> str:
    return step if isinstance(step, str) else step.id


def _present(**members: Any) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not None}
