import type { Command } from 'commander';

import { CliError, usageError } from '../exit-code.ts';
import { printNote } from '../output.ts';
import { profileFile, readProfiles, type Profile, type Profiles } from './profile-file.ts';

/**
 * Fills the address and the token of a command from the profile in use. Options and variables of the
 * environment go first. A token goes nowhere but to the address of its own profile.
 */
export function applyProfile(command: Command): void {
  const source = command.getOptionValueSource('url');
  if (source === undefined) return;
  const isGiven = source !== 'default';
  if (isGiven && command.opts()['token'] !== undefined) return;
  const read = isGiven ? readIfSound() : readProfiles(profileFile());
  const profile = read && chosenProfile(read);
  if (profile === null) return;
  if (!isGiven) {
    command.setOptionValueWithSource('url', profile.url, 'config');
  }
  const isItsAddress = trim(String(command.opts()['url'])) === trim(profile.url);
  if (isItsAddress && profile.token !== null && command.opts()['token'] === undefined) {
    command.setOptionValueWithSource('token', profile.token, 'config');
  }
}

/** The profiles for a command that has its address. Null: the file is broken, and at most a token is missed. */
function readIfSound(): Profiles | null {
  try {
    return readProfiles(profileFile());
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    printNote(`no token is read: ${error.message}`);
    return null;
  }
}

/** Null: none is in use. `SVC_CONTEXT` names one for a single shell. */
function chosenProfile({ current, profiles }: Profiles): Profile | null {
  const asked = process.env['SVC_CONTEXT'] ?? '';
  const name = asked === '' ? current : asked;
  if (name === null) return null;
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  throw usageError(`there is no context "${name}": see svc context list, or add it with svc login`);
}

function trim(url: string): string {
  return url.replace(/\/+$/, '');
}
