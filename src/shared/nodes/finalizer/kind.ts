import type { RunOn } from '../../domain/workflow/plan/plan.ts';
import { word } from '../../domain/workflow/schema/fields.ts';
import { readWord } from '../read-fields.ts';
import { toolKind } from '../tool/kind.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createFinalizerRunner } from './run.ts';
import type { FinalizerSpec } from './spec.ts';

const RUN_ON: readonly RunOn[] = ['success', 'failure', 'always'];

/** Calls a tool when the execution ends, just as a `tool` node does; no edge leads to it or from it. */
export const finalizerKind: RunnableKind<FinalizerSpec> = {
  type: 'finalizer',
  aliases: [],
  fields: {
    ...toolKind.fields,
    run_on: word('At which ends of the execution it runs. Default `always`.', RUN_ON),
  },
  leaf: false,
  toolLike: true,

  parse(fields, at) {
    const runOn = readWord(fields, { name: 'run_on', words: RUN_ON }, at) ?? 'always';
    const tool = toolKind.parse(fields, at);
    return tool === null ? null : { tool, runOn };
  },

  runOn: ({ runOn }) => runOn,
  tool: ({ tool }) => tool.ref,
  toolAliases: ({ tool: { names } }) => names.slice(1),
  outputSchema: ({ tool }) => tool.outputSchema,

  hasQuota: ({ tool }) => toolKind.hasQuota?.(tool) ?? false,
  queueOfCall: ({ tool }, input) => toolKind.queueOfCall?.(tool, input) ?? { ok: true, name: null },

  writes: ({ tool }, node) => toolKind.writes?.(tool, node) ?? [],

  runner: createFinalizerRunner,

  enter({ tool }, context) {
    return toolKind.enter(tool, context);
  },
};
