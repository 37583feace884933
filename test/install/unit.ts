import { existsSync, globSync, readFileSync } from 'node:fs';

/** The settings of a systemd unit that say how to start its program. */
export interface Unit {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly folder: string;
  readonly stateFolder: string | null;
  readonly isOneShot: boolean;
}

const FOLDERS = ['/etc/systemd/system', '/lib/systemd/system'];

/** Reads a unit with its drop-ins, merged as systemd does; `root` is the machine's root. */
export function readUnit(name: string, root = ''): Unit {
  const file = FOLDERS.map((folder) => `${root}${folder}/${name}.service`).find((path) =>
    existsSync(path),
  );
  if (file === undefined) throw new Error(`Unit ${name}.service not found.`);
  const dropIns = globSync(`${root}/etc/systemd/system/${name}.service.d/*.conf`).toSorted();
  const settings = [file, ...dropIns].flatMap((path) => readSettings(readFileSync(path, 'utf8')));
  const all = (key: string) => settings.filter(([one]) => one === key).map(([, value]) => value);
  const last = (key: string) => all(key).at(-1) ?? null;
  const env = Object.fromEntries([
    ...all('Environment').flatMap((value) => value.split(/\s+/).map(readPair)),
    ...all('EnvironmentFile').flatMap((named) => readEnvironmentFile(named, root)),
  ]);
  return {
    command: (last('ExecStart') ?? '').split(/\s+/).flatMap((word) => expand(word, env)),
    env,
    user: last('User') ?? 'root',
    folder: last('WorkingDirectory') ?? '/',
    stateFolder: last('StateDirectory'),
    isOneShot: last('Type') === 'oneshot',
  };
}

function readSettings(text: string): readonly (readonly [string, string])[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    const [, heading] = /^\[(\w+)\]$/.exec(line.trim()) ?? [];
    section = heading ?? section;
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return section === 'Service' && key !== undefined ? [[key, value ?? ''] as const] : [];
  });
}

/** A minus before the name means that the file is optional. */
function readEnvironmentFile(named: string, root: string): readonly (readonly [string, string])[] {
  const path = root + named.replace(/^-/, '');
  if (named.startsWith('-') && !existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map(readPair);
}

function readPair(line: string): readonly [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1).replace(/^(["'])(.*)\1$/, '$2')];
}

/** A word that is only a variable expands to as many words as the value has. */
function expand(word: string, env: Readonly<Record<string, string>>): readonly string[] {
  const [, name] = /^\$(\w+)$/.exec(word) ?? [];
  if (name === undefined) return [word];
  return (env[name] ?? '').split(/\s+/).filter((one) => one !== '');
}
