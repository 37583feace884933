import { CliError, EXIT } from '../../cli/exit-code.ts';
import {
  printFields,
  printJson,
  printLine,
  printNote,
  type OutputFormat,
} from '../../cli/output.ts';
import { profileFile, readProfiles, writeProfiles } from '../../cli/profiles/profile-file.ts';

type Options = { readonly output: OutputFormat };

/** Tokens are never printed. */
export async function listContexts(options: Options): Promise<void> {
  const { current, profiles } = readProfiles(profileFile());
  const contexts = Object.entries(profiles).map(([name, { url, token }]) => ({
    name,
    url,
    has_token: token !== null,
    is_current: name === current,
  }));
  if (options.output === 'json') return printJson({ contexts });
  const { printList } = await import('../../cli/lists/print-list.ts');
  printList({
    member: 'contexts',
    head: ['NAME', 'URL', 'TOKEN', 'IN USE'],
    rows: contexts.map((one) => [
      one.name,
      one.url,
      one.has_token ? 'yes' : 'no',
      one.is_current ? 'yes' : null,
    ]),
  });
}

export function showContext(name: string | undefined, options: Options): void {
  const file = profileFile();
  const { current, profiles } = readProfiles(file);
  const chosen = name ?? current;
  if (chosen === null) throw missing('no context is in use');
  const profile = Object.hasOwn(profiles, chosen) ? profiles[chosen] : undefined;
  if (profile === undefined) throw missing(`there is no context "${chosen}"`);
  const { url, token } = profile;
  const shown = { name: chosen, url, has_token: token !== null, is_current: chosen === current };
  if (options.output === 'json') printJson({ ...shown, file });
  else printFields({ ...shown, file });
}

export function useContext(name: string, options: Options): void {
  const file = profileFile();
  const before = readProfiles(file);
  const profile = Object.hasOwn(before.profiles, name) ? before.profiles[name] : undefined;
  if (profile === undefined) throw missing(`there is no context "${name}"`);
  writeProfiles(file, { ...before, current: name });
  if (options.output === 'json') printJson({ name, url: profile.url });
  else printLine(`context ${name} is in use: ${profile.url}`);
}

export function removeContext(name: string, options: Options): void {
  const file = profileFile();
  const { current, profiles } = readProfiles(file);
  if (!Object.hasOwn(profiles, name)) throw missing(`there is no context "${name}"`);
  const others = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
  writeProfiles(file, { current: current === name ? null : current, profiles: others });
  if (options.output === 'json') return printJson({ name });
  printLine(`removed context ${name} with its token`);
  if (current === name) printNote('no context is in use: choose one with: svc context use NAME');
}

function missing(what: string): CliError {
  return new CliError(`${what}: see svc context list, or add one with svc login`, {
    exitCode: EXIT.notFound,
  });
}
