import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { readDocument } from '../read-document.ts';
import { unwrapIr } from '../../../src/shared/domain/workflow/unwrap-ir.ts';
import { isModule, loadWorkflows } from './load-workflows.ts';

/** A workflow definition that a file holds or builds. */
export interface SourceDefinition {
  /** Its name in messages: the file, and the workflow if the file has several. */
  readonly name: string;
  readonly ir: JsonValue;
  /** Line, from 1, of the value that a JSON pointer leads to; null: a program made it. */
  lineOf(pointer: string): number | null;
}

/**
 * The definitions of a file, at least one: that of a JSON or YAML file (`-`: stdin), or every workflow that a module
 * in TypeScript or JavaScript exports. A module runs with the rights of the command.
 */
export async function readDefinitions(file: string): Promise<readonly SourceDefinition[]> {
  if (isModule(file)) {
    const irs = await loadWorkflows(file);
    return irs.map(({ id, ir }) => ({
      name: irs.length === 1 ? file : `${file} (${id})`,
      ir,
      lineOf: () => null,
    }));
  }
  const document = await readDocument(file);
  const { ir, at } = unwrapIr(document.value);
  return [{ name: document.name, ir, lineOf: (pointer) => document.lineOf(at + pointer) }];
}
