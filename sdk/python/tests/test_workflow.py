from __future__ import annotations

import doctest
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from svc_sdk import Client, Workflow, tool, workflow
from svc_sdk.errors import ExecutionFailedError
from svc_sdk.testing import Runtime


@dataclass
class Item:
    sku: str


@dataclass
class Order:
    id: str
    amount: int
    item: Item


class Parcel(BaseModel):
    city: str
    weight: float = 1.0


def build(name: str) -> Workflow[Order]:
    order = Workflow("o" + name, state=Order, description="An order")
    charge = order.tool(
        "charge",
        f"{name}.charge",
        input={"order": order.state.id, "sku": order.state.item.sku},
        retry_policy={"max_attempts": 2},
        timeout=60,
        concurrency={"key": "input.sku", "limit": 2},
        rate={"limit": 100, "per": "1s"},
    )
    small = order.set("small", {"size": "small"})
    large = order.set("large", {"size": "large"})
    check = order.condition("check", [(order.state.amount > 100, large)], default=small)
    return order.sequence(charge, check).start(charge)


def test_a_step_of_a_function_takes_limits() -> None:
    order = Workflow("order", state=Order)
    concurrency, rate = {"limit": 2}, {"limit": 100, "per": "1s"}
    order.function("ship", "shop.ship", concurrency=concurrency, rate=rate)
    assert order.to_ir()["nodes"]["ship"]["kind"] == {
        "type": "function",
        "name": "shop.ship",
        "concurrency": concurrency,
        "rate": rate,
    }


def test_the_concurrency_of_a_workflow_takes_an_expression_as_its_key() -> None:
    order = Workflow("order", state=Order)
    keyed = Workflow("order", state=Order, concurrency={"key": order.state.item.sku, "limit": 2})
    assert keyed.to_ir()["concurrency"] == {"key": "state.item.sku", "limit": 2}
    text = Workflow("order", state=Order, concurrency={"key": "input.item.sku", "limit": 2})
    assert text.to_ir()["concurrency"] == {"key": "input.item.sku", "limit": 2}
    refusing = Workflow("order", state=Order, concurrency={"limit": 1, "when_full": "refuse"})
    assert refusing.to_ir()["concurrency"] == {"limit": 1, "when_full": "refuse"}
    assert Workflow("order", state=Order, concurrency={"limit": 1}).to_ir()["concurrency"] == {
        "limit": 1
    }


def test_a_workflow_runs_and_its_conditions_read_the_state(
    svc: Runtime, client: Client, name: str
) -> None:
    made = build(name)
    client.workflows.register(made)

    @tool(f"{name}.charge")
    def charge(given: dict[str, str]) -> dict[str, str]:
        return given

    with svc.working(tools=[charge]):
        for amount, size in ((5, "small"), (500, "large")):
            handle = client.start(made, Order("A-1", amount, Item("boat")))
            handle.result(20)
            state = handle.describe()["state"]
            assert (state["size"], state["charge"]) == (size, {"order": "A-1", "sku": "boat"})


def test_the_same_program_gives_the_same_definition(name: str) -> None:
    assert build(name).to_ir() == build(name).to_ir()
    assert list(build(name).to_ir()) == list(build(name).to_ir())


def test_every_kind_of_the_builder_is_accepted_by_the_runtime(client: Client, name: str) -> None:
    made = Workflow(name, state=Parcel)
    steps = [
        made.function("score", f"{name}-score", input={"city": made.state.city}),
        made.approval("ask", "Send it?"),
        made.wait("pause", 1.5),
        made.wait_event("paid", made.state.city, timeout=60),
        made.subgraph("send", f"{name}-send"),
        made.set("weigh", {"heavy": (made.state.weight * 2 > 10) & (made.state.city != "Bern")}),
    ]
    made.sequence(*steps).edge("send", "failed", on_failure=True).start("score")
    made.set("failed", {"failed": True})
    assert client.workflows.validate(made)["problems"] == []
    client.workflows.register(made)


def test_the_runtime_checks_the_input_by_the_state(client: Client, name: str) -> None:
    from svc_sdk.errors import ValidationError

    made = build(name)
    client.workflows.register(made)
    with pytest.raises(ValidationError, match="amount"):
        client.start(made, {"id": "A-1"})


def test_mistakes_are_refused_when_the_workflow_is_built(name: str) -> None:
    made = Workflow(name, state=Order)
    with pytest.raises(AttributeError, match="has no member 'amout'; it is a Order"):
        _ = made.state.amout  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"state\.item has no member"):
        _ = made.state.item.id  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="Use & and"):
        bool(made.state.amount > 1 and made.state.amount < 2)
    made.set("one", {})
    with pytest.raises(ValueError, match="two steps have the name one"):
        made.set("one", {})
    made.edge("one", "two")
    with pytest.raises(ValueError, match="'two', which does not exist"):
        made.to_ir()


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(workflow).failed == 0


def test_a_workflow_fails_with_the_error_of_its_author(
    svc: Runtime, client: Client, name: str
) -> None:
    order = Workflow("f" + name, state=Order)
    refuse = order.fail("refuse", order.state.id + " is refused", error_class="refused")
    client.workflows.register(order.start(refuse))
    with pytest.raises(ExecutionFailedError, match="A-1 is refused"):
        client.start(order, Order("A-1", 5, Item("boat"))).result(20)


def test_a_workflow_undoes_its_completed_steps(svc: Runtime, client: Client, name: str) -> None:
    order = Workflow("u" + name, state=Order)
    back = order.tool("back", f"{name}.back")
    charge = order.tool("charge", f"{name}.charge", undo=back, undo_on=["failed"])
    refuse = order.fail("refuse", "refused")
    client.workflows.register(order.sequence(charge, refuse).start(charge))
    undone: list[dict[str, int]] = []

    @tool(f"{name}.charge")
    def charge_card(given: dict[str, object]) -> dict[str, int]:
        return {"payment": 7}

    @tool(f"{name}.back")
    def give_back(given: dict[str, int]) -> dict[str, bool]:
        undone.append(given)
        return {"given": True}

    with (
        svc.working(tools=[charge_card, give_back]),
        pytest.raises(ExecutionFailedError, match="refused"),
    ):
        client.start(order, Order("A-1", 5, Item("boat"))).result(20)
    assert undone == [{"payment": 7}]


def test_a_rule_that_is_no_dict_is_refused_with_an_example() -> None:
    with pytest.raises(TypeError, match=r"a rule must be a dict, such as .*, not 5"):
        Workflow("w", concurrency=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="fairness must be a dict"):
        Workflow("w", fairness="input.customer")  # type: ignore[arg-type]


def test_fairness_without_a_key_is_left_to_the_runtime() -> None:
    assert Workflow("w", fairness={}).to_ir()["fairness"] == {}  # type: ignore[arg-type]
