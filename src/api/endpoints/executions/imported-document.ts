import { z } from 'zod';

import { EXECUTION_FORMAT } from '../../../shared/domain/execution/document/execution-document.ts';
import type { JsonValue } from '../../../shared/domain/json.ts';
import { inPieces } from '../../../shared/engine/scheduling/in-pieces.ts';
import type { Timers } from '../../../shared/engine/scheduling/timers.ts';
import { decode } from '../../decode.ts';
import { isTimestamp } from '../../schemas/position.ts';
import { unchecked } from '../../schemas/unchecked.ts';
import { isKindOfNode, payloadOf } from '../../schemas/event-payloads.ts';
import { strictExecutionId } from '../../schemas/payload-members.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { idText } from '../../schemas/text.ts';
import { executionStatus } from './execution-shape.ts';

/* A document as it may come in: what is not named here is kept, since the hash is over it too. */

const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID');
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits');
/** As the service writes it, and nothing else: it becomes the very time of an event. */
const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'must be UTC with milliseconds')
  .refine((text) => isTimestamp(text), 'must be a moment there is');

const execution = z.looseObject({
  execution_id: strictExecutionId,
  tenant_id: z.string(),
  definition_id: uuid,
  workflow_id: idText,
  workflow_version: idText,
  parent_execution_id: strictExecutionId.nullable(),
  status: executionStatus,
  last_sequence: z.int(),
  priority: z.int().min(0).max(2_147_483_647),
  error: z.string().nullable(),
  created_at: moment,
  updated_at: moment,
  completed_at: moment.nullable(),
});

/** Checked piece by piece: see `checkEvents`. */
const event = z
  .looseObject({
    sequence: z.int(),
    kind: z.string(),
    node_id: idText.nullable(),
    payload: anyObject,
    actor_id: idText,
    created_at: moment,
  })
  .superRefine((value, context) => {
    const schema = payloadOf(value.kind);
    if (schema === null) {
      const message = `${value.kind} is no kind of event; was it written by a newer release?`;
      context.addIssue({ code: 'custom', path: ['kind'], message });
      return;
    }
    if (isKindOfNode(value.kind) && value.node_id === null) {
      context.addIssue({ code: 'custom', path: ['node_id'], message: 'must name the node' });
    }
    const checked = schema.safeParse(value.payload);
    const [issue] = checked.error?.issues ?? [];
    if (issue === undefined) return;
    const path = ['payload', ...issue.path];
    context.addIssue({ code: 'custom', path, message: `of a ${value.kind}: ${issue.message}` });
  });

export const importedDocument = z.looseObject({
  format: z.literal(EXECUTION_FORMAT),
  execution,
  definition: z
    .looseObject({
      definition_id: uuid,
      revision: z.int().min(1).max(2_147_483_647),
      ir_hash: hash,
      ir: anyObject.optional(),
    })
    .meta({ description: '`ir` may be left out where the definition is known here.' }),
  events: z.array(unchecked(event)).min(1, 'must hold the history'),
  snapshot: z.unknown().meta({ description: 'Not read: the events determine the state.' }),
  recorded_outputs: z.unknown().meta({ description: 'Not read: no longer needed.' }),
  artifacts: z
    .array(
      z.looseObject({
        hash,
        size: z.int().min(0),
        content_type: z.string().min(1).max(255),
        content_base64: z.base64().nullable(),
      }),
    )
    .optional(),
  redacted: z.boolean().optional(),
  sha256: hash.optional().meta({ description: 'If present, it must match.' }),
});

/** A long history takes a while to check, and others are served in between. */
export async function checkEvents(
  deps: { readonly timers: Pick<Timers, 'after'> },
  events: readonly JsonValue[],
): Promise<void> {
  await inPieces(deps, events, (piece, from) => {
    for (const [index, given] of piece.entries()) decode(event, given, ['events', from + index]);
  });
}
