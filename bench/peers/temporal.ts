import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

import type { GivenWorkload } from '../support/workload.ts';
import { type PeerParams, runPeer } from './run-peer.ts';
import { activities } from './temporal/activities.ts';
import { NAMESPACE, startTemporal } from './temporal/server.ts';

const QUEUE = 'bench';

/** Its server as one process, and one process with the worker and the client. */
export async function measure(
  given: GivenWorkload<PeerParams & { readonly isLocal: boolean }>,
): Promise<void> {
  const { database, params } = given;
  const server = await startTemporal(database.url);
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const native = await NativeConnection.connect({ address: server.address });
    const worker = await Worker.create({
      connection: native,
      namespace: NAMESPACE,
      taskQueue: QUEUE,
      workflowsPath: new URL('temporal/workflows.ts', import.meta.url).pathname,
      activities,
    });
    const running = worker.run();
    const connection = await Connection.connect({ address: server.address });
    const { workflow } = new Client({ connection, namespace: NAMESPACE });
    const name = params.isLocal ? 'localChain' : 'chain';
    await runPeer(
      given,
      () =>
        workflow.execute(name, {
          taskQueue: QUEUE,
          workflowId: randomUUID(),
          args: [params.steps],
        }),
      server.cpuMicros,
    );
    worker.shutdown();
    await running;
    await connection.close();
    await native.close();
  } finally {
    await server.stop();
  }
}
