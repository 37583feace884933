import test from 'ava';
import { createLogger } from '../../../src/shared/telemetry/log.ts';

test('a line is one JSON object with level, time, base fields, ids and message', (t) => {
  const { log, lines } = logger();
  log.info({ execution_id: 'exec_1', node_id: 'reserve' }, 'node completed');
  const [line] = lines();
  t.like(line, {
    level: 'info',
    role: 'scheduler',
    execution_id: 'exec_1',
    node_id: 'reserve',
    msg: 'node completed',
  });
  t.regex(String(line?.['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('lines below the level are not written', (t) => {
  const { log, lines } = logger({ level: 'warn' });
  log.info('quiet');
  log.warn('heard');
  t.deepEqual(
    lines().map((line) => line['msg']),
    ['heard'],
  );
});

test('secrets are masked by the name of their field, at any depth, but ids of tokens are not', (t) => {
  const { log, lines } = logger();
  log.info({
    apiKey: 'hunter2',
    headers: { Authorization: 'Basic hunter2', 'x-api-key': 'hunter2', cookie: 'hunter2' },
    auth: { client_secret: 'hunter2', list: [{ password: 'hunter2' }] },
    tokenId: 'kept-1',
    prompt_tokens: 12,
  });
  log.child({ execution_id: 'exec_1', token: 'hunter2' }).info('from a child');
  const text = JSON.stringify(lines());
  t.notRegex(text, /hunter2/);
  t.regex(text, /kept-1/);
  t.regex(text, /exec_1/);
});

test('credentials inside texts are masked in messages, fields and stacks', (t) => {
  const { log, lines } = logger();
  const error = new Error('cannot reach postgres://svc:hunter2@db.internal/svc', {
    cause: new Error('GET https://example.org/x?api_key=hunter2&page=2 with Bearer hunter2.abc'),
  });
  log.error({ err: error, url: 'postgresql://svc:p@ss-hunter2@db/x' }, 'Bearer hunter2');
  const text = JSON.stringify(lines());
  t.notRegex(text, /hunter2/);
  t.regex(text, /db\.internal/);
  t.regex(text, /page=2/);
});

test('payloads are never written at info, and at debug only when state may be logged', (t) => {
  const open = logger({ level: 'debug', redactState: false });
  open.log.info({ work_item_id: 'w1', payload: { card: 4111 } }, 'claimed');
  open.log.debug({ work_item_id: 'w1', payload: { card: 4111 } }, 'claimed');
  const [info, debug] = open.lines();
  t.is(info?.['payload'], '[omitted]');
  t.deepEqual(debug?.['payload'], { card: 4111 });

  const redacted = logger({ level: 'trace', redactState: true });
  redacted.log.trace({ statePatch: { card: 4111 }, event: { output: { card: 4111 } } });
  t.notRegex(JSON.stringify(redacted.lines()), /4111/);
});

test('an error is reported with its code and causes, not with the database’s quotation of a row', (t) => {
  const { log, lines } = logger();
  const error = Object.assign(new Error('duplicate key', { cause: new Error('below') }), {
    code: '23505',
    detail: 'Key (card)=(4111) already exists.',
  });
  log.error(error, 'commit failed');
  const [line] = lines();
  t.like(line?.['err'], { type: 'Error', message: 'duplicate key', code: '23505' });
  t.notRegex(JSON.stringify(line), /4111/);
  t.regex(JSON.stringify(line), /below/);
});

test('pretty lines can be read by people', (t) => {
  const { log, text } = logger({ format: 'pretty' });
  log.info({ execution_id: 'exec_1' }, 'started');
  t.regex(text(), /INFO.*started/);
  t.regex(text(), /exec_1/);
});

function logger(
  options: Partial<
    Pick<Parameters<typeof createLogger>[0], 'level' | 'format' | 'redactState'>
  > = {},
) {
  const written: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    redactState: true,
    base: { role: 'scheduler' },
    destination: { write: (line) => void written.push(line) },
    ...options,
  });
  return {
    log,
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
