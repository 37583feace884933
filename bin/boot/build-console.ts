import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isConsoleBuilt } from '../launch/source-stamp.js';

/** The clone; in the package, which brings a build, the folder has no sources. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPT = 'deploy/package/build-console.ts';

export interface ConsoleBuild {
  /** Ends the build if it still runs. */
  stop(): Promise<void>;
}

/**
 * Builds the console in a process of its own unless its build is one of the sources as they are now.
 * The process has the lowest priority, so nothing waits for it; the console is served once it is done.
 */
export function buildConsole(params: {
  readonly consoleUrl: string;
  readonly report: (text: string) => void;
  readonly root?: string;
}): ConsoleBuild {
  const { consoleUrl, report, root = ROOT } = params;
  const script = join(root, SCRIPT);
  if (!existsSync(script) || isConsoleBuilt(root)) return { stop: async () => {} };
  report('Building the console beside the API …');
  const child = spawn(process.execPath, [script], { stdio: 'ignore' });
  if (child.pid !== undefined) lowerPriority(child.pid);
  let isStopping = false;
  const ended = once(child, 'exit').then(
    ([code]: (number | null)[]) => {
      if (isStopping) return;
      report(code === 0 ? `The console is ready: ${consoleUrl}` : NOT_BUILT);
    },
    () => report(NOT_BUILT),
  );
  return {
    async stop() {
      isStopping = true;
      child.kill();
      await ended;
    },
  };
}

const NOT_BUILT = 'The console could not be built; "npm run console:build" in the clone says why.';

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system allows no change: it then builds at the usual priority.
  }
}
