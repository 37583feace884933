import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { CliError, usageError } from '../exit-code.ts';
import { explainLoadError } from './explain-load-error.ts';

export interface BuiltWorkflow {
  readonly id: string;
  readonly ir: JsonValue;
}

/** Whether a file is a program, by its name. */
export function isModule(file: string): boolean {
  return /\.[cm]?[jt]s$/i.test(file);
}

/**
 * Runs a module, and returns the definitions of the workflows that it exports, in the order of the exports: the
 * default export and every other that has `toIR()`. A workflow exported twice counts once.
 */
export async function loadWorkflows(file: string): Promise<readonly BuiltWorkflow[]> {
  const exported = Object.entries(await importModule(file));
  const builders = new Set(exported.map(([, value]) => value).filter(isBuilder));
  if (builders.size === 0) throw usageError(explainNothing(file, exported));
  const built = [...builders].map((builder) => build(file, builder));
  const twice = built.find(
    ({ key }, index) => built.findIndex((other) => other.key === key) !== index,
  );
  if (twice !== undefined) {
    throw usageError(
      `"${file}" exports two workflows ${twice.key}: change the id or the version of one`,
    );
  }
  return built;
}

async function importModule(file: string): Promise<object> {
  const path = resolve(file);
  const found = await stat(path).catch(() => null);
  if (found === null) throw usageError(`"${file}" does not exist`);
  if (found.isDirectory()) throw usageError(`"${file}" is a directory: name a file in it`);
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    return typeof module === 'object' && module !== null ? module : {};
  } catch (error) {
    throw usageError(explainLoadError({ file, path, error }), error);
  }
}

interface Builder {
  toIR(): unknown;
}

function isBuilder(value: unknown): value is Builder {
  return hasMethod(value, 'toIR');
}

function hasMethod(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return typeof Reflect.get(value, name) === 'function';
}

function build(file: string, builder: Builder): BuiltWorkflow & { readonly key: string } {
  const ir = makeIr(file, builder);
  const { workflow_id: id, version = '1.0.0' } = { workflow_id: '', ...Object(ir) };
  return { id: String(id), ir, key: `${String(id)} ${String(version)}` };
}

function makeIr(file: string, builder: Builder): JsonValue {
  try {
    // svc sends JSON only, so this drops everything else that `toIR()` returns.
    return JSON.parse(JSON.stringify(builder.toIR() ?? null)) as JsonValue;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`"${file}": toIR() failed: ${reason}`, { cause: error });
  }
}

function explainNothing(file: string, exported: readonly (readonly [string, unknown])[]): string {
  const [unbuilt] = exported.find(([, value]) => hasMethod(value, 'build')) ?? [];
  if (unbuilt !== undefined) {
    return `"${file}" exports ${unbuilt} before it is built: end it with .build()`;
  }
  const names = exported.map(([name]) => name).join(', ') || 'nothing';
  return `"${file}" exports no workflow, but ${names}: export what build() of svc-sdk/workflow returns`;
}
