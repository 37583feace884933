import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { byExecution } from '../../invariants/checks/check-histories.ts';
import type { Dump, EventOf } from '../../invariants/dump.ts';
import { violations, type Violation } from '../../invariants/violation.ts';

interface Archived {
  readonly execution: { readonly execution_id: string; readonly tenant_id: string };
  readonly events: readonly Pick<EventOf, 'sequence' | 'kind' | 'node_id' | 'payload'>[];
}

/**
 * Every execution that retention has removed is in an archive of its tenant, with the history that it
 * was last seen with, and every archive is as its manifest describes it.
 */
export function checkArchives(of: {
  readonly folder: string;
  readonly dump: Dump;
  readonly seen: Dump;
}): readonly Violation[] {
  const { folder, dump, seen } = of;
  const files = listManifests(folder);
  const archived = new Map<string, Archived>();
  for (const { path, tenantId } of files) {
    const lines = gunzipSync(readFileSync(path)).toString().split('\n');
    for (const line of lines.filter((text) => text !== '')) {
      const one = JSON.parse(line) as Archived;
      archived.set(`${tenantId} ${one.execution.execution_id}`, one);
    }
  }
  const stories = byExecution(seen);
  const tenants = new Map(seen.executions.map(({ id, tenant_id: tenant }) => [id, tenant]));
  return [
    ...violations('an archive is as its manifest describes it', files, ({ path, sha256 }) => {
      const found = createHash('sha256').update(readFileSync(path)).digest('hex');
      return found === sha256 ? null : { about: { file: path }, saw: found };
    }),
    ...violations(
      'an execution is archived whole before it is removed',
      dump.retired_executions ?? [],
      ({ execution_id: id }) => {
        const document = archived.get(`${tenants.get(id) ?? ''} ${id}`);
        const kept = (document?.events ?? []).map(shown);
        if (isDeepStrictEqual(kept, (stories.get(id) ?? []).map(shown))) return null;
        return { about: { execution: id }, saw: `${kept.length} events in ${files.length} files` };
      },
    ),
  ];
}

function shown({ sequence, kind, node_id, payload }: Archived['events'][number]) {
  return { sequence, kind, node_id, payload };
}

/** A file without a manifest was being written when its process died. */
function listManifests(folder: string) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((tenantId) =>
    readdirSync(join(folder, tenantId))
      .filter((name) => name.endsWith('.json'))
      .map((name) => {
        const text = readFileSync(join(folder, tenantId, name), 'utf8');
        const { file, sha256 } = JSON.parse(text) as { file: string; sha256: string };
        return { path: join(folder, tenantId, file), tenantId, sha256 };
      }),
  );
}
