import type { Command } from 'commander';

import { completedCommands } from '../support/completion/completed-commands.ts';
import { renderBash } from '../support/completion/render-bash.ts';
import { renderFish } from '../support/completion/render-fish.ts';
import { renderZsh } from '../support/completion/render-zsh.ts';
import { createRoleProgram } from '../support/create-role-program.ts';

const RENDERERS = { bash: renderBash, zsh: renderZsh, fish: renderFish };

/** Prints the completion of all three programs. */
export function printCompletion(shell: keyof typeof RENDERERS, svc: Command): void {
  const programs = [svc, createRoleProgram('api'), createRoleProgram('scheduler')];
  process.stdout.write(RENDERERS[shell](completedCommands(programs)));
}
