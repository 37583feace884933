import { type BodyOf, call } from '../../api/client.ts';
import { newKey } from '../../api/new-key.ts';

const NODES = {
  greet: { kind: { type: 'pass' } },
  pause: { kind: { type: 'wait', condition: 'timer', timeout_secs: 2 } },
  sign: { kind: { type: 'human_approval', description: 'Approve this sample to complete it.' } },
} as const;

/** A workflow that needs no worker: it waits for two seconds, and then for a person. */
export const SAMPLE: BodyOf<'register-workflow'>['ir'] = {
  workflow_id: 'welcome',
  version: '1',
  description: 'A first workflow, which needs no worker',
  nodes: NODES,
  edges: [
    { from: 'greet', to: 'pause' },
    { from: 'pause', to: 'sign' },
  ],
};

/** Registers the sample, which may be registered already, and starts it. */
export async function startSample(): Promise<string> {
  await call('register-workflow', { body: { ir: SAMPLE } });
  const started = await call('start-execution', {
    body: { workflow_id: SAMPLE.workflow_id, input: {} },
    headers: { 'idempotency-key': newKey() },
  });
  return started.execution_id;
}
