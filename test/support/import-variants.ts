import { createHash } from 'node:crypto';

import { hashJson } from '../../src/shared/domain/canonical-json.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { ImportDocument } from '../../src/shared/engine/executions/import/import-document.ts';
import type { DocumentOf } from '../invariants/history.ts';

/** A document to import, and what the checker needs to know of it. */
export interface ImportPlan {
  readonly document: ImportDocument;
  readonly asks: {
    readonly do: 'import';
    readonly of: string;
    readonly isCopy: boolean;
    readonly isSound: boolean;
    readonly isArchived?: boolean;
    readonly document: DocumentOf;
  };
}

const ENDED = ['completed', 'failed', 'cancelled'];

export function hasEnded({ execution }: ImportDocument): boolean {
  return ENDED.includes(execution.status);
}

/** An export, with the times of its events: runs age executions, and not their events. */
export function documentFrom(exported: JsonObject): ImportDocument {
  const document = exported as unknown as ImportDocument;
  const [first] = document.events;
  const last = document.events.at(-1);
  if (first === undefined || last === undefined) throw new Error('the export has no events');
  return seal({
    ...document,
    execution: {
      ...document.execution,
      created_at: first.created_at,
      ...(hasEnded(document) && { updated_at: last.created_at, completed_at: last.created_at }),
    },
  });
}

/** The document as it is. One of an execution that still runs must be refused. */
export function asItIs(document: ImportDocument): ImportPlan {
  return planOf(document, { isCopy: false, isSound: hasEnded(document) });
}

/** The same history of another family of executions, which ran elsewhere. `name` decides the ids. */
export function copyOf(document: ImportDocument, name: string): ImportPlan {
  return planOf(renamed(document, name), { isCopy: true, isSound: hasEnded(document) });
}

/** Another history under the id of an execution that is known: somebody else ended it. */
export function forged(document: ImportDocument): ImportPlan {
  const events = document.events.map((event, index, { length }) =>
    index === length - 1 ? { ...event, actor_id: 'token:forger' } : event,
  );
  return planOf(seal({ ...document, events }), { isCopy: false, isSound: false });
}

/** A copy whose row says another end than its events. */
export function misstated(document: ImportDocument, name: string): ImportPlan {
  const copy = renamed(document, name);
  const status = copy.execution.status === 'completed' ? 'failed' : 'completed';
  const execution = { ...copy.execution, status };
  return planOf(seal({ ...copy, execution }), { isCopy: true, isSound: false });
}

function renamed(document: ImportDocument, name: string): ImportDocument {
  const text = JSON.stringify(document).replaceAll(
    /exec_([0-9a-f]{20})[0-9a-f]{12}/g,
    (id, moment: string) => `exec_${moment}${digest(`${name} ${id}`).slice(0, 12)}`,
  );
  return seal(JSON.parse(text) as ImportDocument);
}

function seal({ sha256: _, ...rest }: ImportDocument): ImportDocument {
  return { ...rest, sha256: hashJson(rest as unknown as JsonObject) };
}

function planOf(
  document: ImportDocument,
  of: { readonly isCopy: boolean; readonly isSound: boolean },
): ImportPlan {
  const { execution, events, sha256 = '' } = document;
  return {
    document,
    asks: {
      do: 'import',
      of: execution.execution_id,
      ...of,
      document: { sha256, status: execution.status, events },
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
