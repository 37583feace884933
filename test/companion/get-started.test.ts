import test from 'ava';

import { eventually } from '../support/eventually.ts';
import { createTestDatabase } from '../support/database.ts';
import { startRuntime } from '../support/runtime.ts';
import { startModelScript } from './model-script.ts';
import { GET_STARTED_JAR } from './pairs.ts';
import { startApplication } from './sample-app.ts';

/* The application of docs/get-started/spring.md, whose blocks `companion.ts` builds. */

interface Listed {
  readonly executions: readonly { readonly workflow_id: string; readonly status: string }[];
}

test.serial('the application of the page makes a durable call and an approved one', async (t) => {
  t.timeout(115_000);
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const runtime = await startRuntime({ databaseUrl: database.url });
  t.teardown(() => runtime.end('SIGTERM'));
  const model = await startModelScript();
  t.teardown(() => model.close());
  const app = await startApplication(GET_STARTED_JAR, {
    'spring.svc.runtime-url': runtime.url,
    'spring.svc.api-token': runtime.apiKey,
    'spring.ai.openai.api-key': 'none',
    'spring.ai.openai.base-url': model.url,
    'spring.ai.openai.chat.options.model': model.model,
  });
  t.teardown(() => app.stop());

  t.is(await app.post('/ask', 'Why is the sky blue?'), 'Re: Why is the sky blue?');
  const answer = app.post('/ask-carefully', 'Write to all customers.');
  const id = await eventually(async () => {
    const [first] = await app.get<{ execution_id: string }[]>('/svc/approvals/pending');
    if (first === undefined) throw new Error('nothing waits');
    return first.execution_id;
  });
  const decision = { decision: 'approved', user_id: 'you', comment: 'fine' };
  t.is((await app.decide(id, decision)).status, 200);
  t.is(await answer, 'Re: Write to all customers.');
  await eventually(async () => {
    const { body } = await runtime.request<Listed>({ path: '/executions' });
    const ends = body.executions.map((one) => `${one.workflow_id} ${one.status}`);
    if (ends.join() !== Array(2).fill('assistant.model-call completed').join()) {
      throw new Error(ends.join());
    }
  });
});
