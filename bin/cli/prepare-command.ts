import type { Command } from 'commander';

import { RENDERERS } from './formats/render-value.ts';
import { renderWith } from './output.ts';
import { applyProfile } from './profiles/apply-profile.ts';

/** Settles, before a command acts, what commands share: where the runtime is, and the format. */
export async function prepareCommand(command: Command): Promise<void> {
  if (Object.keys(process.env).some(isOwnVariable)) {
    const { noteUnknownVariables } = await import('../boot/note-unknown-variables.ts');
    noteUnknownVariables(command);
  }
  // `login` makes a profile, and must work when the one in use is gone.
  if (command.name() !== 'login') applyProfile(command);
  await chooseRenderer(command);
}

/** Those that clients have need no list to compare with: completion sets one at each press of Tab. */
function isOwnVariable(name: string): boolean {
  return name.startsWith('SVC_') && !OF_CLIENTS.has(name);
}

const OF_CLIENTS = new Set(['SVC_URL', 'SVC_TOKEN', 'SVC_CONTEXT', 'SVC_REQUEST_TIMEOUT']);

/** A command that sees `json` hands over data, and the renderer prints it. */
async function chooseRenderer(command: Command): Promise<void> {
  const format = String(command.opts()['output']);
  const load = RENDERERS[format];
  if (load === undefined) return;
  renderWith(await load(), { byPage: format !== 'yaml' });
  command.setOptionValue('output', 'json');
}
