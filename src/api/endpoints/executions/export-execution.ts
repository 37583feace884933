import { exportExecution as exportWhole } from '../../../shared/engine/executions/export-execution.ts';
import { z } from 'zod';

import { EXECUTION_FORMAT } from '../../../shared/domain/execution/document/execution-document.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId, timestamp } from '../../schemas/text.ts';
import { executionStatus } from './execution-shape.ts';

const documentShape = z.object({
  format: z.literal(EXECUTION_FORMAT),
  execution: z.object({
    execution_id: executionId,
    tenant_id: z.string(),
    definition_id: z.string(),
    workflow_id: z.string(),
    workflow_version: z.string(),
    parent_execution_id: executionId.nullable(),
    status: executionStatus,
    last_sequence: z.int(),
    shard: z.int(),
    priority: z.int(),
    error: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    completed_at: timestamp.nullable(),
  }),
  definition: z.object({
    definition_id: z.string(),
    revision: z.int(),
    ir_hash: z.string(),
    ir: anyObject,
  }),
  events: z.array(
    z.object({
      sequence: z.int(),
      kind: z.string(),
      node_id: z.string().nullable(),
      payload: anyObject,
      actor_id: z.string(),
      created_at: timestamp,
    }),
  ),
  snapshot: z.object({ sequence: z.int(), body: z.string() }).nullable(),
  recorded_outputs: z
    .array(
      z.object({
        idempotency_key: z.string(),
        work_item_id: z.string(),
        event_sequence: z.int().nullable(),
        output: z.unknown(),
        state_patch: anyObject.nullable(),
        created_at: timestamp,
      }),
    )
    .meta({
      description: 'Results kept for replay. The events have those of completions under a fence.',
    }),
  artifacts: z.array(
    z.object({
      hash: z.string(),
      size: z.int(),
      content_type: z.string(),
      content_base64: z
        .string()
        .nullable()
        .meta({ description: 'Null: left out; `GET /artifacts/{hash}` has it.' }),
    }),
  ),
  redacted: z.boolean().meta({
    description: "True: people's data is hidden as the data policy of the workflow asks.",
  }),
  sha256: z.string().meta({
    description: 'Hash of the canonical JSON (RFC 8785) of all other fields, in hex.',
  }),
});

export const exportExecution = defineEndpoint({
  name: 'export-execution',
  method: 'GET',
  path: '/executions/:id/export',
  access: 'read',
  summary: 'Reads a whole execution as one document',
  note:
    'Its row, all its events, its definition and the artifacts that the events refer to, up to 16 MiB of ' +
    'them: enough to look into it without the database. The format is that of archives. An execution of more than 100 000 events gives 413.',
  params: executionParam,
  replies: { 200: documentShape },
  errors: [404, 413],
  async handle({ params, caller }, { engine }) {
    return { status: 200, pieces: await exportWhole(engine, caller, { executionId: params.id }) };
  },
});
