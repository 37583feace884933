import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { ExecutionContext } from 'ava';

import { startTestApi, type TestApi, type TestApiOptions } from '../support/test-api.ts';

export const SCRIPT = 'console.log("the console");\n';

/** The API with a small build of a console. */
export async function startWithConsole(
  t: ExecutionContext,
  options: TestApiOptions & { readonly isBuilt?: boolean } = {},
): Promise<TestApi & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  if (options.isBuilt !== false) await writeBuild(folder);
  const api = await startTestApi({ ...options, settings: { console: { folder } } });
  t.teardown(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });
  return { ...api, folder };
}

export async function writeBuild(folder: string): Promise<void> {
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en"><head><base href="./" /><title>svc</title></head></html>',
  );
  await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg" />');
  await writeFile(join(folder, '.hidden.js'), 'secret');
  await writeFile(join(folder, 'assets/small-abc.js'), SCRIPT);
  // Large files are kept in compressed forms alone.
  await writeFile(join(folder, 'assets/main-abc.js.gz'), gzipSync(SCRIPT));
}

/** The headers by which the console's page says what it is. */
export const FROM_PAGE = { 'X-Svc-Console': '1', 'Content-Type': 'application/json' };

export function send(
  api: TestApi,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  } = {},
): Promise<Response> {
  const { method = 'GET', headers = {}, body } = options;
  return fetch(api.url + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Signs in and answers the `Cookie` header of the session. */
export async function signIn(api: TestApi, token: string): Promise<string> {
  const answer = await send(api, '/console/api/session', {
    method: 'POST',
    headers: FROM_PAGE,
    body: { token },
  });
  if (answer.status !== 200) throw new Error(`the sign-in answered ${answer.status}`);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
