import { z } from 'zod';

import { readState as read } from '../../../../shared/engine/executions/history/read-state.ts';
import { blameState as blame } from '../../../../shared/engine/executions/history/blame-state.ts';
import { compareState as compare } from '../../../../shared/engine/executions/history/compare-state.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { anyObject, anyValue } from '../../../schemas/json-values.ts';
import { executionParam } from '../../../schemas/params.ts';
import { queryInteger } from '../../../schemas/query.ts';
import { executionId, timestamp } from '../../../schemas/text.ts';
import { executionStatus } from '../execution-shape.ts';

/** Stands for "the last one" in the query, which has no null. */
const LAST = Number.MAX_SAFE_INTEGER;

const BOUNDS =
  'The first reading of a history folds it from its start, and the process keeps it for the next ' +
  'ones. The answer is 413 for an execution of more than 100 000 events. ';

const atSequence = z.object({
  sequence: queryInteger({
    min: 0,
    fallback: LAST,
    description: 'After this event; 0: before the first. Default: the last.',
  }).meta({ default: undefined }),
});

export const readState = defineEndpoint({
  name: 'read-state',
  method: 'GET',
  path: '/executions/:id/state',
  access: 'read',
  summary: 'Reads the state of an execution after one of its events',
  note:
    `${BOUNDS}Values that the service keeps as artifacts stay references. Members that would make ` +
    'the answer larger than half a megabyte are left out, the largest first, and `omitted` names them.',
  params: executionParam,
  query: atSequence,
  replies: {
    200: z.object({
      execution_id: executionId,
      sequence: z.int().min(0),
      last_sequence: z.int().min(1),
      status: executionStatus.meta({ description: 'At that time.' }),
      at: timestamp.nullable().meta({ description: 'When that event was recorded.' }),
      state: anyObject,
      omitted: z
        .array(z.object({ key: z.string(), chars: z.int() }))
        .meta({ description: 'Members that are left out: the 100 largest.' }),
      omitted_total: z.int(),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await read(engine, caller, {
      executionId: params.id,
      sequence: orLast(query.sequence),
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        sequence: found.sequence,
        last_sequence: found.lastSequence,
        status: found.status,
        at: found.at,
        state: found.state,
        omitted: found.omitted.map((one) => ({ ...one })),
        omitted_total: found.omittedTotal,
      },
    };
  },
});

export const compareState = defineEndpoint({
  name: 'compare-state',
  method: 'GET',
  path: '/executions/:id/state/diff',
  access: 'read',
  summary: 'Compares the states of an execution after two of its events',
  note:
    `${BOUNDS}Objects are compared member by member, all else as a whole. The answer has at most 500 ` +
    'changes and half a megabyte of values; past that, `omitted` or `truncated` is true.',
  params: executionParam,
  query: z.object({
    from: queryInteger({ min: 0, fallback: 0, description: 'The state after this event.' }),
    to: queryInteger({
      min: 0,
      fallback: LAST,
      description: 'The other state. Default: the last.',
    }).meta({ default: undefined }),
  }),
  replies: {
    200: z.object({
      execution_id: executionId,
      from: z.int().min(0),
      to: z.int().min(0),
      changes: z.array(
        z.object({
          op: z.enum(['add', 'remove', 'replace']),
          path: z.string().meta({ description: 'A JSON Pointer into the state.' }),
          before: anyValue.meta({ description: 'Null with `add`.' }),
          after: anyValue.meta({ description: 'Null with `remove`.' }),
          omitted: z.boolean().meta({ description: 'The values are too large, and left out.' }),
        }),
      ),
      truncated: z.boolean().meta({ description: 'There are more changes.' }),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await compare(engine, caller, {
      executionId: params.id,
      from: query.from,
      to: orLast(query.to),
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        from: found.from,
        to: found.to,
        changes: found.changes.map((change) => ({ ...change })),
        truncated: found.truncated,
      },
    };
  },
});

export const blameState = defineEndpoint({
  name: 'blame-state',
  method: 'GET',
  path: '/executions/:id/state/blame',
  access: 'read',
  summary: 'Tells which event set each key of the state last',
  note: `${BOUNDS}The answer names the first 1000 keys of the state.`,
  params: executionParam,
  query: atSequence,
  replies: {
    200: z.object({
      execution_id: executionId,
      sequence: z.int().min(0),
      keys: z.array(
        z.object({
          key: z.string(),
          sequence: z.int().min(1),
          kind: z.string(),
          node_id: z.string().nullable(),
          actor_id: z.string(),
          at: timestamp,
        }),
      ),
      truncated: z.boolean().meta({ description: 'The state has more keys.' }),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await blame(engine, caller, {
      executionId: params.id,
      sequence: orLast(query.sequence),
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        sequence: found.sequence,
        keys: found.keys.map((one) => ({
          key: one.key,
          sequence: one.sequence,
          kind: one.kind,
          node_id: one.nodeId,
          actor_id: one.actorId,
          at: one.createdAt,
        })),
        truncated: found.truncated,
      },
    };
  },
});

function orLast(sequence: number): number | null {
  return sequence === LAST ? null : sequence;
}
