"""The official Python SDK of the Agent2Agent protocol as a client of an svc agent."""

import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    TaskState,
)
from a2a.utils.errors import UnsupportedOperationError, TaskNotFoundError, InvalidParamsError


from checks import check, run_checks

url, token = sys.argv[1], sys.argv[2]


def message(message_id, **rest):
    parts = rest.pop("parts", [Part(text="hello")])
    return Message(message_id=message_id, role=Role.ROLE_USER, parts=parts, **rest)


async def connect(streaming):
    http = httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30)
    card = await A2ACardResolver(http, url).get_agent_card()
    config = ClientConfig(httpx_client=http, streaming=streaming)
    return ClientFactory(config).create(card)


async def send(client, sent, wait=True):
    configuration = SendMessageConfiguration(return_immediately=not wait)
    request = SendMessageRequest(message=sent, configuration=configuration)
    return [event async for event in client.send_message(request)]


async def begin(client, message_id):
    events = await send(client, message(message_id))
    return events[-1].task


@check
async def a_message_is_answered_with_the_completed_task():
    task = await begin(await connect(False), "tck-complete-py")
    assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
    assert task.artifacts[0].parts[0].text == "Hello from TCK", task


@check
async def the_same_message_gives_the_same_task():
    client = await connect(False)
    first = await begin(client, "tck-same-py")
    second = await begin(client, "tck-same-py")
    assert first.id == second.id


@check
async def a_file_comes_as_a_file():
    task = await begin(await connect(False), "tck-artifact-file-py")
    part = task.artifacts[0].parts[0]
    assert (part.raw, part.filename, part.media_type) == (b"output", "output.txt", "text/plain")


@check
async def a_stream_ends_with_the_result():
    events = await send(await connect(True), message("test-resubscribe-py"))
    kinds = [event.WhichOneof("payload") for event in events]
    assert kinds[0] == "task", kinds
    assert kinds[-2:] == ["artifact_update", "status_update"], kinds
    assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED


@check
async def a_task_that_asks_is_answered():
    client = await connect(False)
    task = await begin(client, "tck-input-required-py")
    assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, task
    events = await send(client, message("tck-answer-py", task_id=task.id, context_id=task.context_id))
    assert events[-1].task.status.state == TaskState.TASK_STATE_COMPLETED, events


@check
async def a_task_is_read_listed_and_cancelled():
    client = await connect(False)
    task = await begin(client, "tck-input-required-cancel-py")
    assert (await client.get_task(GetTaskRequest(id=task.id))).id == task.id
    page = await client.list_tasks(ListTasksRequest(page_size=1))
    assert page.tasks[0].id == task.id, page
    assert page.total_size >= 1 and page.page_size == 1, page
    cancelled = await client.cancel_task(CancelTaskRequest(id=task.id))
    assert cancelled.status.state == TaskState.TASK_STATE_CANCELED, cancelled
    try:
        await send(client, message("tck-late-py", task_id=task.id))
    except UnsupportedOperationError:
        return
    raise AssertionError("the task took a message after its end")


@check
async def what_is_wrong_is_told_in_the_protocols_errors():
    client = await connect(False)
    try:
        await client.get_task(GetTaskRequest(id="unknown"))
        raise AssertionError("an unknown task was found")
    except TaskNotFoundError:
        pass
    try:
        await send(client, message("tck-empty-py", parts=[]))
        raise AssertionError("a message without parts was taken")
    except InvalidParamsError:
        pass


run_checks()
