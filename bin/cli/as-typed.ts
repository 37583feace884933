import { delimiter, dirname, relative, sep } from 'node:path';

/**
 * Text whose commands run as somebody would type them here: in the source tree `svc token create`
 * reads `node bin/svc.js token create`, after npx `npx svc token create`.
 */
export function asTyped(text: string): string {
  typed ??= nameProgram({ script: process.argv[1] ?? '', env: process.env, cwd: process.cwd() });
  return withProgram(text, typed);
}

let typed: string | null = null;

/** The command by which the user called `svc`, from this `script`. */
export function nameProgram(params: {
  readonly script: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}): string {
  const { script, env, cwd } = params;
  const folder = dirname(script);
  if (folder.includes(`${sep}_npx${sep}`)) return 'npx --package svc-runtime svc';
  if (folder.endsWith(BIN_LINKS)) return 'npx svc';
  if (script.endsWith(`${sep}svc`) && (env['PATH'] ?? '').split(delimiter).includes(folder)) {
    return 'svc';
  }
  // Programs of one role lie beside the one that has commands.
  const file = script.replace(/svc-(?:api|scheduler)(\.[jt]s)?$/, 'svc$1');
  const fromHere = relative(cwd, file);
  const shown = fromHere.length < file.length ? fromHere : file;
  const path = shown.endsWith('.ts') ? `${shown.slice(0, -'.ts'.length)}.js` : shown;
  if (!path.endsWith('.js')) return quote(path.includes(sep) ? path : `./${path}`);
  return `node ${quote(path)}`;
}

const BIN_LINKS = `${sep}node_modules${sep}.bin`;

function withProgram(text: string, program: string): string {
  return program === 'svc' ? text : text.replaceAll(COMMAND, (_, before) => `${before}${program}`);
}

/** Only what stands where a command begins, followed by one of its commands. */
const COMMAND =
  /(^|[\s"'`(])svc(?= (?:dev|serve|validate|config|auth|version|db|doctor|token|memory|audit|retention|workflow|execution|work-item|worker|eval|completion|schedule|webhook|approval|queue|failure|agent|tenant|artifact|open|login|context)\b)/gm;

function quote(path: string): string {
  return /^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
