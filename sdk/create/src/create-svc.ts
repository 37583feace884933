#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { adviseOnNode } from './advise-on-node.ts';
import { createProject, ProjectError } from './create-project.ts';
import { install } from './install.ts';
import { readSpec } from './read-spec.ts';

const HELP = `Usage: npm create svc@latest [folder] [-- options]

Creates a TypeScript project with a durable function, a workflow, a worker and a test.

  folder             where to create it; it must be empty or not exist (default: svc-app)
  --runtime <spec>   version, tarball or URL of svc-runtime (default: the version of this program)
  --sdk <spec>       the same for svc-sdk
  --no-install       do not run npm install
  -h, --help         print help
`;

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  const read = readArguments(args);
  if (typeof read === 'string') return fail(`${read}\n\n${HELP}`, 2);
  if (read.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const folder = resolve(read.folder);
  try {
    const { runtime, sdk } = read;
    await createProject({ folder, runtime: runtime ?? `^${version}`, sdk: sdk ?? `^${version}` });
  } catch (error) {
    if (error instanceof ProjectError) return fail(error.message, 1);
    throw error;
  }
  process.stdout.write(`Created a project in ${read.folder}.\n`);
  if (read.installs && !(await install(folder))) {
    return fail(`npm install failed. Run it again in ${read.folder}.`, 1);
  }
  process.stdout.write(nextSteps(read));
  const advice = adviseOnNode(process.versions.node);
  if (advice !== null) process.stderr.write(`\nwarning: ${advice}\n`);
  return 0;
}

interface Arguments {
  readonly folder: string;
  readonly runtime: string | undefined;
  readonly sdk: string | undefined;
  readonly installs: boolean;
  readonly help: boolean;
}

/** Text says what is wrong with them. */
function readArguments(args: readonly string[]): Arguments | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        runtime: { type: 'string' },
        sdk: { type: 'string' },
        'no-install': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const [folder = 'svc-app', ...others] = positionals;
    if (others.length > 0) return `name one folder, not ${positionals.length}`;
    const { help } = values;
    const runtime = values.runtime && readSpec(values.runtime);
    const sdk = values.sdk && readSpec(values.sdk);
    return { folder, runtime, sdk, help, installs: !values['no-install'] };
  } catch (error) {
    return (error as Error).message;
  }
}

function nextSteps({ folder, installs }: Arguments): string {
  const steps = [
    `cd ${folder}`,
    ...(installs ? [] : ['npm install']),
    'npm run dev      # the runtime and the worker; restarts the worker when its code changes',
    'npm run order    # in another terminal: starts the function and prints its result',
    'npm test         # the function on a virtual clock',
  ];
  return `\nNext:\n\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

function fail(text: string, code: number): number {
  process.stderr.write(`error: ${text}\n`);
  return code;
}
