import type { DocumentFormat, Place } from '../../domain/document.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { Problem, Warning } from '../../domain/workflow/problem.ts';
import { unwrapIr } from '../../domain/workflow/unwrap-ir.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { inspectDefinition } from './inspect-definition.ts';

/** A definition as a client has it. */
export type DefinitionSource =
  { readonly ir: JsonValue } | { readonly text: string; readonly format: DocumentFormat };

export interface ValidatedWorkflow {
  readonly problems: readonly Placed<Problem>[];
  readonly warnings: readonly Placed<Warning>[];
  /** Null: it cannot run. */
  readonly definition: ValidDefinition | null;
}

/** `place`: where it is in the text; null: the definition did not come as one. */
export type Placed<Found extends Problem | Warning> = Found & { readonly place: Place | null };

export interface ValidDefinition {
  readonly workflowId: string;
  readonly version: string;
  readonly irHash: string;
  /** The form that a registration stores. */
  readonly ir: JsonObject;
  readonly registration: Registration;
  /** The revision that a registration answers with. */
  readonly revision: number;
}

/** The effect of a registration at this moment; another caller may register meanwhile. */
export const REGISTRATIONS = ['new_workflow', 'new_version', 'new_revision', 'unchanged'] as const;
export type Registration = (typeof REGISTRATIONS)[number];

/** Checks a definition as `registerWorkflow` does, and says what that would store. */
export async function validateWorkflow(
  deps: UseCaseDeps,
  { tenantId }: Caller,
  params: { readonly source: DefinitionSource; readonly signal: AbortSignal | null },
): Promise<ValidatedWorkflow> {
  const { source, signal } = params;
  if ('ir' in source) {
    const found = await judge(deps, tenantId, { ir: source.ir, signal });
    const place = <Found extends Problem>(one: Found) => ({ ...one, place: null });
    return { ...found, problems: found.problems.map(place), warnings: found.warnings.map(place) };
  }
  const caller: CpuCaller = { tenantId, signal, whenBusy: 'refused' };
  const { text, format } = source;
  const read = await deps.cpu.readDocument({ text, format, pointers: [], caller });
  if (!read.ok) {
    const { place } = read.fault;
    const message = `is not ${format.toUpperCase()}: ${read.fault.message}`;
    return { problems: [{ pointer: '', message, place }], warnings: [], definition: null };
  }
  const { ir, at } = unwrapIr(read.value);
  const found = await judge(deps, tenantId, { ir, signal });
  const pointers = [...found.problems, ...found.warnings].map(({ pointer }) => at + pointer);
  if (pointers.length === 0) return { ...found, problems: [], warnings: [] };
  const located = await deps.cpu.readDocument({ text, format, pointers, caller });
  const places = located.ok ? located.places : [];
  return {
    ...found,
    problems: found.problems.map((one, at) => ({ ...one, place: places[at] ?? null })),
    warnings: found.warnings.map((one, at) => ({
      ...one,
      place: places[found.problems.length + at] ?? null,
    })),
  };
}

interface Judged {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
  readonly definition: ValidDefinition | null;
}

async function judge(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: { readonly ir: JsonValue; readonly signal: AbortSignal | null },
): Promise<Judged> {
  const read = await inspectDefinition(deps, tenantId, params);
  if (!read.ok) return { problems: read.problems, warnings: read.warnings, definition: null };
  const { irHash, ir, warnings } = read;
  const { workflowId, version } = read.plan;
  const { definitions } = deps.store;
  const stored = await definitions.findLatest({ tenantId, workflowId, version });
  const isUnchanged = stored?.irHash === irHash;
  const known = stored ?? (await definitions.latestId({ tenantId, workflowId, version: null }));
  const outcome: Pick<ValidDefinition, 'registration' | 'revision'> =
    stored === null
      ? { registration: known === null ? 'new_workflow' : 'new_version', revision: 1 }
      : {
          registration: isUnchanged ? 'unchanged' : 'new_revision',
          revision: stored.revision + (isUnchanged ? 0 : 1),
        };
  return { problems: [], warnings, definition: { workflowId, version, irHash, ir, ...outcome } };
}
