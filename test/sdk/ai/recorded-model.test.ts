import test from 'ava';

import {
  durableModel,
  type LanguageModelLike,
  type ModelCall,
  type ModelStreamPart,
} from 'svc-sdk/ai';
import { createTestRuntime } from 'svc-sdk/testing';
import { defineFunction } from 'svc-sdk/worker';

/** Values that a provider may return and JSON lacks. */
const RICH = {
  content: [{ type: 'file', mediaType: 'image/png', data: new Uint8Array([0, 255, 7]) }],
  response: {
    id: 'r-1',
    timestamp: new Date('2026-01-02T03:04:05Z'),
    headers: { 'set-cookie': 'secret' },
  },
  request: { body: 'the whole conversation' },
  source: new URL('https://example.com/a?b=c'),
};

class Camera implements LanguageModelLike {
  readonly specificationVersion = 'v4';
  readonly provider = 'camera';
  readonly modelId = 'camera-1';
  readonly #shots: string[] = [];

  doGenerate(_call: ModelCall) {
    this.#shots.push('generated');
    return Promise.resolve(RICH);
  }

  doStream(_call: ModelCall) {
    const parts = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'a' },
      { type: 'text-delta', id: '1', delta: 'b' },
      { type: 'text-delta', id: '2', delta: 'c' },
      { type: 'text-delta', id: '2', delta: 'd', providerMetadata: { signed: true } },
      { type: 'ping' },
      { type: 'file', data: new Uint8Array([1]) },
    ];
    const stream = new ReadableStream<{ readonly type: string }>({
      start: (controller) => {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    return Promise.resolve({ stream, response: { headers: { 'set-cookie': 'secret' } } });
  }

  get shots(): number {
    return this.#shots.length;
  }
}

test('a replay gives dates, bytes and addresses as the provider did', async (t) => {
  const camera = new Camera();
  const seen: unknown[] = [];
  const shoot = defineFunction('shoot', async (ctx) => {
    const model = durableModel(ctx, camera, { name: 'shoot' });
    t.is(model.modelId, 'camera-1');
    seen.push(await model.doGenerate({}));
    await ctx.sleep('1h');
    return { shots: model.shots };
  });
  await using runtime = await createTestRuntime({ functions: [shoot] });
  const execution = await runtime.start(shoot, {});
  await runtime.advance('1h');
  t.deepEqual(await execution.result(), { shots: 1 });
  const { id, timestamp } = RICH.response;
  const kept = { content: RICH.content, source: RICH.source, response: { id, timestamp } };
  t.deepEqual(seen, [kept, kept]);
});

test('a replayed stream joins the deltas of a block that have nothing but text', async (t) => {
  const shoot = defineFunction('shoot', async (ctx) => {
    const { stream } = await durableModel(ctx, new Camera()).doStream({});
    const parts: ModelStreamPart[] = [];
    for await (const part of stream) parts.push(part);
    t.deepEqual(parts.at(-1), Object.assign({ type: 'file' }, { data: new Uint8Array([1]) }));
    return { parts: parts.slice(0, -1) };
  });
  await using runtime = await createTestRuntime({ functions: [shoot] });
  const execution = await runtime.start(shoot, {});
  t.deepEqual(await execution.result(), {
    parts: [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'ab' },
      { type: 'text-delta', id: '2', delta: 'c' },
      { type: 'text-delta', id: '2', delta: 'd', providerMetadata: { signed: true } },
    ],
  });
});
