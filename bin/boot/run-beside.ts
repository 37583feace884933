import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Beside {
  /** Asks the commands to stop, kills those that run on after the deadline, and waits for all. */
  stop(params: { readonly deadlineMs: number }): Promise<void>;
}

/**
 * Runs shell commands beside a runtime, each in a process group of its own, so that a watcher ends
 * with what it watches. It reports a command that ends early, and does not start it again.
 */
export function runBeside(params: {
  readonly commands: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly report: (text: string) => void;
}): Beside {
  const { commands, env, report } = params;
  let isStopping = false;
  const children = commands.map((command) => {
    const child = spawn(command, { shell: true, stdio: 'inherit', detached: true, env });
    const ended = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => {
      if (!isStopping) report(`"${command}" ended with ${code ?? signal}; svc keeps running`);
    });
    return { child, ended };
  });
  return {
    async stop({ deadlineMs }) {
      isStopping = true;
      for (const { child } of children) signalGroup(child, 'SIGTERM');
      const timer = setTimeout(() => {
        for (const { child } of children) signalGroup(child, 'SIGKILL');
      }, deadlineMs);
      await Promise.allSettled(children.map(({ ended }) => ended));
      clearTimeout(timer);
      // Kills the processes that a command left behind in its group.
      for (const { child } of children) signalGroup(child, 'SIGKILL');
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
