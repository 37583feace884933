import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const WORKERS = join(ROOT, 'examples/workers');

export interface ExampleWorker {
  readonly name: string;
  /** For `--cmd`. */
  readonly command: string;
  /** Programs that it needs, with arguments that make them say their version. */
  readonly needs: readonly (readonly [string, string])[];
}

/**
 * The workers of `examples/workers` with the tools of the check. Those in one file are copied into a
 * folder, with other handlers in the copy.
 */
export function prepareExamples(folder: string): readonly ExampleWorker[] {
  const node = process.execPath;
  return [
    {
      name: 'the TypeScript SDK',
      command: `${node} --conditions=svc-source ${WORKERS}/check/sdk.ts`,
      needs: [],
    },
    {
      name: 'the worker in Node',
      command: `${node} ${WORKERS}/node/main.ts ${WORKERS}/check/handlers.ts`,
      needs: [],
    },
    { name: 'the worker in TypeScript', command: `${node} ${copyTypeScript(folder)}`, needs: [] },
    {
      name: 'the worker in Python',
      command: `python3 ${copyPython(folder)}`,
      needs: [['python3', '--version']],
    },
    {
      name: 'the worker in Bash',
      command: `bash ${copyShell(folder)}`,
      needs: [
        ['bash', '--version'],
        ['curl', '--version'],
        ['jq', '--version'],
      ],
    },
  ];
}

function copyTypeScript(folder: string): string {
  cpSync(join(WORKERS, 'check/tools.ts'), join(folder, 'tools.ts'));
  return copy(folder, {
    file: 'typescript/worker.ts',
    replace: [[/^const HANDLERS[^]*?^};\n/m, "import { HANDLERS } from './tools.ts';\n"]],
  });
}

function copyPython(folder: string): string {
  const tools = readFileSync(join(WORKERS, 'check/tools.py'), 'utf8');
  return copy(folder, { file: 'python/worker.py', replace: [[/^HANDLERS = .*\n/m, tools]] });
}

function copyShell(folder: string): string {
  const tools = readFileSync(join(WORKERS, 'check/tools.sh'), 'utf8');
  return copy(folder, {
    file: 'shell/worker.sh',
    replace: [
      [/^handle\(\) \{[^]*?^\}\n/m, tools],
      [
        /tools: \["numbers\.square"\]/,
        'tools: ["check.echo", "check.call", "check.fail", "check.slow"]',
      ],
    ],
  });
}

function copy(
  folder: string,
  from: { readonly file: string; readonly replace: readonly (readonly [RegExp, string])[] },
): string {
  let source = readFileSync(join(WORKERS, from.file), 'utf8');
  for (const [pattern, by] of from.replace) {
    if (!pattern.test(source)) throw new Error(`${from.file} has no ${String(pattern)}`);
    source = source.replace(pattern, () => by);
  }
  const target = join(folder, from.file.replace('/', '-'));
  writeFileSync(target, source);
  return target;
}
