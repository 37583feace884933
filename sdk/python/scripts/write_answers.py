"""Writes the types of answers from the OpenAPI document. A test compares the file."""

from __future__ import annotations

import json
import keyword
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent.parent
ANSWERS = PACKAGE / "src" / "svc_sdk" / "client" / "answers.py"
OPENAPI = PACKAGE.parent.parent / "docs" / "openapi.json"

NAMES = {
    "who-am-i": "Identity",
    "register-workflow": "RegisteredWorkflow",
    "validate-workflow": "ValidatedWorkflow",
    "list-workflows": "WorkflowsPage",
    "list-workflows.workflows": "WorkflowSummary",
    "read-workflow": "WorkflowDetails",
    "start-execution.201": "StartedExecution",
    "start-executions": "StartVerdicts",
    "start-executions.results": "StartVerdict",
    "list-executions": "ExecutionsPage",
    "list-executions.executions": "ExecutionSummary",
    "count-executions": "ExecutionCounts",
    "read-execution": "Execution",
    "read-result.200": "ExecutionResult",
    "explain-execution": "Explanation",
    "read-events": "EventsPage",
    "read-events.events": "Event",
    "read-state": "ExecutionState",
    "compare-state": "StateDifference",
    "blame-state": "StateBlame",
    "cancel-execution": "CancelledExecution",
    "pause-execution": "PausedExecution",
    "resume-execution": "ResumedExecution",
    "retry-execution": "RetriedExecution",
    "fork-execution.200": "ForkPreview",
    "list-forks": "ForksPage",
    "list-forks.forks": "Fork",
    "approve-execution": "Decision",
    "list-approvals": "ExecutionApprovals",
    "list-approvals.pending": "PendingApproval",
    "list-approvals.decided": "DecidedApproval",
    "deliver-external-event": "DeliveredEvent",
    "decide-approvals": "DecidedApprovals",
    "decide-approvals.results": "ApprovalVerdict",
    "list-all-approvals": "ApprovalsPage",
    "list-all-approvals.approvals": "Approval",
    "list-failures": "FailureGroupsPage",
    "list-failures.groups": "FailureGroup",
    "list-failures-of-group": "FailuresPage",
    "list-failures-of-group.failures": "Failure",
    "list-dead-letters": "DeadLettersPage",
    "list-dead-letters.work_items": "DeadLetter",
    "read-dead-letter": "DeadLetterDetails",
    "requeue-work-item": "RequeuedWorkItem",
    "create-schedule.201": "Schedule",
    "read-schedule": "Schedule",
    "list-schedules": "SchedulesPage",
    "list-schedules.schedules": "Schedule",
    "trigger-schedule": "TriggeredSchedule",
    "backfill-schedule": "ScheduleBackfill",
    "add-fact": "AddedFact",
    "recall-facts": "RecalledFacts",
    "forget-facts": "ForgottenFacts",
    "upload-artifact": "StoredArtifact",
}
"""The types by the operation that answers with them, and by the member for those inside of others."""

_HEAD = '''"""Written from docs/openapi.json: `python scripts/write_answers.py`.

Shapes of the answers of the HTTP API. The runtime may add members, so do not refuse unknown ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

'''
_INDENT = "    "
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class Writer:
    """Writes the types that a type names before the type."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]
        self._texts: dict[str, str] = {}

    @property
    def text(self) -> str:
        return "\n\n".join(self._texts.values())

    def write(self, schema: dict[str, Any], name: str, path: str) -> str:
        """The type of a schema; an object gets a class of this name."""
        if "$ref" in schema:
            return self.write(self._schemas[schema["$ref"].rsplit("/", 1)[1]], "", path)
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            return f"Literal[{', '.join(map(repr, values))}]"
        for union in ("anyOf", "oneOf"):
            if union in schema:
                return self._union([self.write(one, name, path) for one in schema[union]])
        kind = schema.get("type")
        if isinstance(kind, list):
            return self._union([self.write({**schema, "type": one}, name, path) for one in kind])
        if kind == "array":
            return f"list[{self.write(schema.get('items', {}), name, path)}]"
        if kind == "object":
            return self._object(schema, name, path)
        return _PLAIN.get(kind or "", "Any")

    def _union(self, kinds: list[str]) -> str:
        if "Any" in kinds:
            return "Any"
        # None last.
        return " | ".join(sorted(dict.fromkeys(kinds), key=lambda one: one == "None"))

    def _object(self, schema: dict[str, Any], name: str, path: str) -> str:
        if "properties" not in schema or name == "":
            return "dict[str, Any]"
        required = set(schema.get("required", []))
        members = []
        for key, inner in schema["properties"].items():
            inside = f"{path}.{key}"
            own = NAMES.get(inside) or name + "".join(part.title() for part in key.split("_"))
            kind = self.write(inner, own, inside)
            note = _note(inner)
            members.append((key, kind if key in required else f"NotRequired[{kind}]", note))
        text = _class(name, members)
        if self._texts.setdefault(name, text) != text:
            raise ValueError(f"two shapes have the name {name}")
        return name


def _note(schema: dict[str, Any]) -> str | None:
    found = schema.get("description")
    if not isinstance(found, str):
        return None
    return textwrap.fill(f'"""{found}"""', 98, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _class(name: str, members: list[tuple[str, str, str | None]]) -> str:
    if any(not key.isidentifier() or keyword.iskeyword(key) for key, _, _ in members):
        pairs = ", ".join(f'"{key}": "{kind}"' for key, kind, _ in members)
        return f'{name} = TypedDict("{name}", {{{pairs}}})\n'
    lines = [f"class {name}(TypedDict):"]
    for key, kind, note in members:
        lines.append(f"    {key}: {kind}")
        if note is not None:
            lines.append(note)
    return "\n".join(lines) + "\n"


def render() -> str:
    document = json.loads(OPENAPI.read_text())
    writer = Writer(document)
    left = set(NAMES)
    for methods in document["paths"].values():
        for operation in methods.values():
            id = operation.get("operationId") if isinstance(operation, dict) else None
            for status, answer in (operation["responses"] if id else {}).items():
                key = f"{id}.{status}" if f"{id}.{status}" in NAMES else str(id)
                if key in left and status < "3":
                    schema = answer["content"]["application/json"]["schema"]
                    writer.write(schema, NAMES[key], str(id))
                    left.discard(key)
    unknown = [one for one in left if "." not in one]
    if unknown:
        raise ValueError(f"the document has no such operations: {', '.join(unknown)}")
    return _format(_HEAD + "\n" + writer.text)


def _format(text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(ANSWERS), "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE,
    )
    return done.stdout


if __name__ == "__main__":
    ANSWERS.write_text(render())
