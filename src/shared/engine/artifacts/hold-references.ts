import { REFERENCE_KEY, walkReferences } from '../../domain/artifact-reference.ts';
import { parseArtifactName } from '../../domain/artifact.ts';
import { badRequest } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';

/**
 * Call it before values from outside are recorded: it keeps the referenced artifacts from removal
 * while no recorded value refers to them yet. `json` is the text of the values, which usually shows
 * at once that it has no reference. With `what`, a dangling reference is refused with a 400 that
 * names it.
 */
export async function holdReferences(
  store: ArtifactStore,
  params: {
    readonly tenantId: TenantId;
    readonly json: string;
    readonly values: readonly JsonValue[];
    /**
     * The referring value in words, such as `the result`; null: dangling references are allowed.
     */
    readonly what: string | null;
  },
): Promise<void> {
  const { tenantId, json, values, what } = params;
  if (!json.includes(REFERENCE_KEY)) return;
  const names = new Set<string>();
  for (const value of values) walkReferences(value, ({ $artifact }) => names.add($artifact));
  const hashes = [...names].flatMap((name) => parseArtifactName(name) ?? []);
  const known = new Set((await store.hold({ tenantId, hashes })).map(({ hash }) => hash));
  const unknown = [...names].filter((name) => !known.has(parseArtifactName(name) ?? ''));
  if (what === null || unknown.length === 0) return;
  const told = unknown.slice(0, UNKNOWN_TOLD_MAX);
  throw badRequest(
    `${what} refers to artifacts that do not exist: ${told.join(', ')}; upload them first`,
    { unknown_artifacts: told },
  );
}

const UNKNOWN_TOLD_MAX = 20;
