import type { Dump } from '../dump.ts';
import { deedsOf, success, wasRefused, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Each change without an event has one entry in the audit log, and there are no others. */
export function checkAudit(dump: Dump, history: History): Violation[] {
  const entries = dump.audit_log.flatMap((entry) => {
    const name = nameOf(entry);
    return name === null ? [] : [name];
  });
  const made = [
    ...dump.tokens.map((row) => `token ${row.token_id} of ${row.tenant_id}`),
    ...dump.tenants.filter(({ id }) => id !== 'default').map(({ id }) => `tenant ${id}`),
    ...dump.definitions.map(
      (row) => `workflow ${row.workflow_id} ${row.version} ${row.revision} of ${row.tenant_id}`,
    ),
  ];
  const told = countOf(entries);
  const there = countOf(made);
  const minted = countOf(dump.tokens.map(({ name }) => name));
  return [
    ...violations('a change is one entry of the audit log', there.keys(), (name) =>
      told.get(name) === 1
        ? null
        : { about: { change: name }, saw: `${told.get(name) ?? 0} entries` },
    ),
    ...violations('an entry of the audit log belongs to a change', told.keys(), (name) =>
      there.has(name) ? null : { about: { change: name }, saw: 'nothing has changed' },
    ),
    ...violations(
      'a token is made as often as it was answered',
      deedsOf(history, 'mint'),
      (deed) => {
        const count = minted.get(deed.asks.name) ?? 0;
        const isRight = success(deed) ? count === 1 : wasRefused(deed) ? count === 0 : count <= 1;
        if (isRight) return null;
        return {
          about: { token: deed.asks.name, deed: deed.begun },
          saw: `answered ${deed.answer?.status ?? 'nothing'}, there are ${count}`,
        };
      },
    ),
  ];
}

/** Null: the entry is about another kind of change. */
function nameOf(entry: Dump['audit_log'][number]): string | null {
  const { event_type: type, tenant_id: tenant, payload } = entry;
  const { token_id: token, workflow_id: workflow, version, revision } = payload as Parts;
  switch (type) {
    case 'token_created':
      return `token ${token} of ${tenant}`;
    case 'tenant_created':
      return `tenant ${tenant}`;
    case 'workflow_registered':
      return `workflow ${workflow} ${version} ${revision} of ${tenant}`;
    default:
      return null;
  }
}

type Parts = Readonly<Record<string, string | number | undefined>>;

function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
