import test from 'ava';

import {
  auditIdOfEvent,
  eventKindOf,
  eventTypeOf,
} from '../../../../src/shared/domain/audit/audit-item.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';

test('event kinds and audit types are two spellings of one name', (t) => {
  for (const [kind, type] of [
    ['WorkflowStarted', 'workflow_started'],
    ['ToolCallCompleted', 'tool_call_completed'],
  ] as const) {
    t.is(eventTypeOf(kind), type);
    t.is(eventKindOf(type), kind);
  }
  for (const text of ['', 'NodeCompleted', 'node-completed', 'node__completed', '_node', 'a b']) {
    t.is(eventKindOf(text), null, text);
  }
});

test('an event’s item has the same UUIDv8 whenever it is asked for', (t) => {
  const id = 'exec_0192f0c1a2b37c4d8e5f60718293a4b5' as ExecutionId;
  t.is(auditIdOfEvent(id, 1), auditIdOfEvent(id, 1));
  t.is(auditIdOfEvent(id, 1), '4294108a-7e9d-8f17-908f-4965ff3dce6e');
  const ids = new Set(Array.from({ length: 1_000 }, (_, index) => auditIdOfEvent(id, index)));
  t.is(ids.size, 1_000);
  for (const each of ids) {
    t.regex(each, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
