import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/*
 * Ensures that nothing outlives the run, however it ends. A shell in its own session waits for the
 * end of a pipe that this process holds, and then runs a few commands.
 */

/**
 * `$1`, `$2`, … of the commands are the arguments. `release` ends the shell without the commands,
 * and resolves when it has ended: an open pipe would delay the end of this process.
 */
export function whenThisProcessEnds(
  commands: string,
  args: readonly string[],
): { readonly release: () => Promise<void> } {
  const shell: ChildProcess = spawn(
    '/bin/sh',
    ['-c', `if read -r _; then exit 0; fi; ${commands}`, 'guardian', ...args],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  shell.unref();
  shell.stdin?.on('error', () => undefined);
  return {
    release: async () => {
      if (shell.exitCode !== null || shell.signalCode !== null) return;
      shell.ref();
      const ended = once(shell, 'close');
      shell.stdin?.end('done\n');
      await ended;
    },
  };
}
