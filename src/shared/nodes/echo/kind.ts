import type { JsonValue } from '../../domain/json.ts';
import { enterWork } from '../enter-work.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createEchoRunner } from './run.ts';

export interface EchoSpec {
  readonly text: JsonValue;
}

/** Answers with its text. */
export const echoKind: RunnableKind<EchoSpec> = {
  type: 'echo',
  aliases: [],
  leaf: true,
  toolLike: false,
  parse: (fields) => ({ text: fields['text'] ?? null }),
  runner: createEchoRunner,
  enter: (_, context) => enterWork({ queue: 'engine', call: {}, context }),
};
