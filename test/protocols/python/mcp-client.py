"""The official Python SDK of the Model Context Protocol as a client of svc."""

import sys

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from checks import check, run_checks

url, token = f"{sys.argv[1]}/mcp", sys.argv[2]


def connect(mode):
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30)
    return Client(streamable_http_client(url, http_client=http), mode=mode)


async def use(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return result.structured_content


def in_each_mode(function):
    for mode in ("legacy", "2026-07-28", "auto"):

        async def in_mode(mode=mode):
            async with connect(mode) as client:
                await function(client)

        in_mode.__name__ = f"{function.__name__} in mode {mode}"
        check(in_mode)
    return function


@in_each_mode
async def tools_are_listed(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert "start_execution" in names, names


@in_each_mode
async def an_execution_is_started_and_read(client):
    message = {"messageId": "tck-mcp-py"}
    started = await use(client, "start_execution", workflow_id="agent", input={"message": message})
    execution_id = started["execution_id"]
    read = await use(client, "get_execution", execution_id=execution_id)
    assert read["execution_id"] == execution_id, read


@in_each_mode
async def what_a_tool_refuses_is_a_tool_error(client):
    result = await client.call_tool("get_execution", {"execution_id": "unknown"})
    assert result.is_error, result
    assert "not found" in result.content[0].text, result


@in_each_mode
async def what_is_not_there_is_told_so(client):
    try:
        await client.list_prompts()
    except MCPError as error:
        assert error.error.code == -32601, error
        return
    raise AssertionError("prompts were listed")


@check
async def a_subscription_is_refused_at_once():
    async with connect("2026-07-28") as client:
        try:
            async with client.listen(tools_list_changed=True):
                pass
        except Exception as error:
            assert "not found" in str(error).lower(), error
            return
    raise AssertionError("a subscription was opened")


run_checks()
