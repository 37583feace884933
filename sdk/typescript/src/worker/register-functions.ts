import { isRecord } from '../is-record.ts';
import { logRetry } from './log-retry.ts';
import { backOffMs, pause } from './pause.ts';
import { NoAnswerError, send, type Answer } from './send.ts';
import { refusal } from './refusal.ts';
import type { Settings } from './worker-options.ts';

/**
 * Registers the workflow of each function, so that an execution of it can be started by its name. A
 * token of the role `worker` may not register: the worker then says so once, and serves what others
 * registered.
 */
export async function registerFunctions(settings: Settings, stopping: AbortSignal): Promise<void> {
  const { api, logger, clock } = settings;
  const refused: string[] = [];
  for (const served of settings.functions.values()) {
    const sinceMs = clock.nowMs();
    for (let failures = 0; !stopping.aborted;) {
      try {
        const answer = await send(api, {
          path: '/workflows',
          body: { ir: served.toIR() },
          signal: stopping,
        });
        if (answer.status === 403) refused.push(served.name);
        else if (answer.status >= 300 && answer.status !== 409) throw refusal(answer, api);
        logWarnings(settings, served.name, answer);
        break;
      } catch (error) {
        if (stopping.aborted) return;
        if (!(error instanceof NoAnswerError)) throw error;
        failures += 1;
        logRetry(settings, 'cannot register, trying again', { error, failures, sinceMs });
        await pause(Math.max(backOffMs(failures, Math.random()), error.retryAfterMs), stopping);
      }
    }
  }
  if (refused.length > 0) logger.warn({ functions: refused }, MAY_NOT_REGISTER);
}

const MAY_NOT_REGISTER =
  'the token may not register functions: register them once with a token of the role developer or operator';

/** Members of the workflow that the runtime does not know, and ignores. */
function logWarnings({ logger }: Settings, name: string, { body }: Answer): void {
  const { warnings } = body;
  if (!Array.isArray(warnings)) return;
  for (const warning of warnings) {
    if (!isRecord(warning)) continue;
    logger.warn(
      { name, pointer: warning['pointer'] },
      `the function: ${String(warning['message'])}`,
    );
  }
}
