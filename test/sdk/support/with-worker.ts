import type { ExecutionContext } from 'ava';
import {
  createWorker,
  silentLogger,
  type DurableFunction,
  type Worker,
  type WorkerOptions,
} from 'svc-sdk/worker';

import type { Place } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/tenant.ts';

export interface RunningWorker {
  readonly worker: Worker;
  /** Resolves when the worker has stopped; rejects when the runtime refused it. */
  readonly running: Promise<void>;
}

/** A worker of the tenant that runs until the test ends or stops it. */
export function startWorker(
  t: ExecutionContext,
  given: {
    readonly tenant: TestTenant;
    readonly place: Place;
    readonly options: Omit<WorkerOptions, 'url'> & { readonly url?: string };
  },
): RunningWorker {
  const { tenant, place, options } = given;
  const worker = createWorker({
    url: place.runtime.url,
    token: place.runtime.apiKey,
    tenantId: tenant.tenantId,
    logger: silentLogger,
    ...options,
  });
  const running = worker.run();
  running.catch(() => undefined);
  t.teardown(() => worker.stop({ deadlineMs: 0 }));
  return { worker, running };
}

/** Registers the workflow of a function and starts an execution of it. */
export async function startFunction<Input extends object>(
  tenant: TestTenant,
  served: DurableFunction<Input, unknown>,
  input: Input,
): Promise<string> {
  await tenant.register(JSON.parse(JSON.stringify(served.toIR())));
  return tenant.start(served.name, JSON.parse(JSON.stringify(input)));
}

/** Waits until the condition holds; rejects with `what` after 20 s. */
export function until(what: string, isSo: () => boolean): Promise<void> {
  return eventually(() => {
    if (!isSo()) throw new Error(`not yet: ${what}`);
  });
}
