import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { findJdk, JAVA_MIN } from '../support/gate/find-jdk.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { jarOf, type Pair } from './pairs.ts';

const START_MS_MAX = 110_000;
/** The applications live for seconds: they start sooner without the second compiler. */
const JVM_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx384m'];

export interface Chat {
  readonly status: number;
  readonly body: {
    readonly content?: string;
    readonly execution_id?: string;
    readonly workflow_id?: string;
    readonly session_id?: string;
    readonly comment?: string | null;
    readonly error?: string;
  };
}

type Context = Readonly<Record<string, string>>;

export interface SampleApp {
  readonly url: string;
  chat(question: string, context?: Context): Promise<Chat>;
  /** The whole response; read its body for the parts. */
  stream(question: string, context?: Context, signal?: AbortSignal): Promise<Response>;
  tool(question: string, context?: Context): Promise<string>;
  /** The text of the answer. */
  post(path: string, question: string): Promise<string>;
  get<Body>(path: string): Promise<Body>;
  decide(executionId: string, decision: unknown): Promise<{ status: number; body: unknown }>;
  log(): string;
  /** Ends it in order, and waits. */
  stop(): Promise<void>;
  kill(): void;
}

/** Starts a sample as a real process, and waits until it serves. */
export function startSample(
  pair: Pair,
  properties: Readonly<Record<string, string>>,
): Promise<SampleApp> {
  return startApplication(jarOf(pair), properties);
}

export async function startApplication(
  jar: string,
  properties: Readonly<Record<string, string>>,
): Promise<SampleApp> {
  if (!existsSync(jar)) throw new Error(`${jar} is missing: npm run test:companion builds it`);
  const java = findJdk();
  if (java === null) throw new Error(`there is no JDK of ${JAVA_MIN} or newer`);
  const port = await freePort();
  const given = { 'server.port': String(port), 'server.address': '127.0.0.1', ...properties };
  const args = Object.entries(given).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(join(java, 'bin/java'), [...JVM_OPTIONS, '-jar', jar, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  }
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const hasEnded = exited.then(([code]) => {
    throw new Error(`the sample ended with ${String(code)}:\n${output}`);
  });
  const serves = eventually(() => fetch(`${url}/actuator/info`), { withinMs: START_MS_MAX });
  await Promise.race([serves, hasEnded]);
  hasEnded.catch(() => undefined);
  return {
    url,
    ...callsOf(url),
    log: () => output,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function callsOf(url: string) {
  const post = (path: string, question: string, context: Context = {}, signal?: AbortSignal) =>
    fetch(`${url}${path}?${new URLSearchParams(context).toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: question,
      ...(signal !== undefined && { signal }),
    });
  return {
    async chat(question: string, context?: Context): Promise<Chat> {
      const response = await post('/chat', question, context);
      return { status: response.status, body: (await response.json()) as Chat['body'] };
    },
    post: async (path: string, question: string) => (await post(path, question)).text(),
    stream: (question: string, context?: Context, signal?: AbortSignal) =>
      post('/stream', question, context, signal),
    tool: async (question: string, context?: Context) =>
      (await post('/tool', question, context)).text(),
    async get<Body>(path: string): Promise<Body> {
      return (await (await fetch(url + path)).json()) as Body;
    },
    async decide(executionId: string, decision: unknown) {
      const response = await fetch(`${url}/svc/approvals/${executionId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(decision),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}
