import type { Command } from 'commander';

import { completedCommands } from '../cli/completion/completed-commands.ts';
import { renderBash } from '../cli/completion/render-bash.ts';
import { renderFish } from '../cli/completion/render-fish.ts';
import { renderZsh } from '../cli/completion/render-zsh.ts';
import { createRoleProgram } from '../boot/create-role-program.ts';

const RENDERERS = { bash: renderBash, zsh: renderZsh, fish: renderFish };

/** Prints the completion of all three programs. */
export function printCompletion(shell: keyof typeof RENDERERS, svc: Command): void {
  const programs = [svc, createRoleProgram('api'), createRoleProgram('scheduler')];
  process.stdout.write(RENDERERS[shell](completedCommands(programs)));
}
