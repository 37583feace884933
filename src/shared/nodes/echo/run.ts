import type { NodeRunner } from '../run.ts';
import type { EchoSpec } from './kind.ts';

export function createEchoRunner(): NodeRunner<EchoSpec> {
  return {
    run: async ({ spec }) => ({ ok: true, output: { text: spec.text }, statePatch: {} }),
  };
}
