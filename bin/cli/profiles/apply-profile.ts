import type { Command } from 'commander';

import { usageError } from '../exit-code.ts';
import { profileFile, readProfiles, type Profile } from './profile-file.ts';

/**
 * Fills the address and the token of a command from the profile in use. Options and variables of the
 * environment go first. A token goes nowhere but to the address of its own profile.
 */
export function applyProfile(command: Command): void {
  if (command.getOptionValueSource('url') === undefined) return;
  const profile = chosenProfile();
  if (profile === null) return;
  if (command.getOptionValueSource('url') === 'default') {
    command.setOptionValueWithSource('url', profile.url, 'config');
  }
  const isItsAddress = trim(String(command.opts()['url'])) === trim(profile.url);
  if (isItsAddress && profile.token !== null && command.opts()['token'] === undefined) {
    command.setOptionValueWithSource('token', profile.token, 'config');
  }
}

/** Null: none is in use. `SVC_CONTEXT` names one for a single shell. */
function chosenProfile(): Profile | null {
  const file = profileFile();
  const { current, profiles } = readProfiles(file);
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
