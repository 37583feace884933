import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { Problem, ReadWorkflow } from '../../../../src/shared/domain/workflow/ir.ts';
import { readWorkflow } from '../../../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../../../src/shared/nodes/index.ts';

export function read(ir: unknown): ReadWorkflow {
  return readWorkflow({ ir, kinds: builtInKinds });
}

/** Reads a valid definition; the workflow's id is optional. */
export function accept(ir: JsonObject): Extract<ReadWorkflow, { ok: true }> {
  const result = read({ workflow_id: 'w', ...ir });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}

/** Problems or warnings as `pointer: message`. */
export function lines(findings: readonly Problem[]): readonly string[] {
  return findings.map(({ pointer, message }) => `${pointer}: ${message}`);
}

export function problemsOf(ir: unknown): readonly string[] {
  const result = read(ir);
  return result.ok ? [] : lines(result.problems);
}
