/*
 * npx and `npm run` start a shell, and the shell starts svc. npm passes SIGTERM and SIGINT to the shell
 * alone. The shell dies of it without telling svc, which would keep its port and its database although npx
 * has ended. So a process that serves watches for the end of this shell, and takes it as a request to
 * stop.
 *
 * Nobody tells a process that its parent has ended, but its parent is then another one. A shell that ends
 * on purpose, as in the script "svc dev &", leaves svc behind: such scripts are not watched.
 *
 * On an older Node the parent is the launcher, which watches the shell and sends a message.
 */

const CHECK_MS = 500;

/** Calls `stop` once, when the shell has ended in which npm started this process. */
export function endWithNpm(params: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly parent: () => number;
  /** Calls back when the launcher tells that its parent has ended. */
  readonly onParentEnded: (end: () => void) => void;
  readonly stop: () => void;
}): void {
  const { env, parent, onParentEnded, stop } = params;
  if (!isStartedByNpm(env)) return;
  const shell = parent();
  const timer = setInterval(() => {
    if (parent() === shell) return;
    clearInterval(timer);
    stop();
  }, CHECK_MS);
  timer.unref();
  onParentEnded(stop);
}

/** Whether this process is the whole script. Programs that a script starts inherit its environment. */
export function isStartedByNpm(env: Readonly<Record<string, string | undefined>>): boolean {
  return SCRIPT.test(env['npm_lifecycle_script'] ?? '');
}

const SCRIPT = /^(?<quote>['"]?)(?:\S*\/)?svc(?:-api|-scheduler)?\k<quote>(?:\s[^&;|\n]*)?$/;
