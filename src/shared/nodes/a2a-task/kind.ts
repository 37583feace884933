import { flag, text, word } from '../../domain/workflow/schema/fields.ts';
import { enterWork } from '../enter-work.ts';
import { readName, readText, readWord } from '../read-fields.ts';
import { readFlag } from '../read-flag.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createA2aTaskRunner } from './run.ts';
import { ON_INPUT_REQUIRED, type A2aTaskSpec } from './spec.ts';

/** A task for an agent of the Agent2Agent protocol; `a2a-task/run.ts` has it done. */
export const a2aTaskKind: RunnableKind<A2aTaskSpec> = {
  type: 'a2a_task',
  aliases: [],
  fields: {
    remote_agent: text('One of `remote_agents`, by name.'),
    skill: text('A skill of the agent, by id or name.'),
    stream: flag('Whether the agent streams changes, if it can.'),
    on_input_required: word(
      'How to treat a question of the agent. Default `park`.',
      ON_INPUT_REQUIRED,
    ),
  },
  leaf: true,
  toolLike: true,
  freshKeyOnRetry: true,

  parse(fields, at) {
    const name = readName(fields, 'remote_agent', at);
    const skill = readText(fields, 'skill', at);
    const stream = readFlag(fields, 'stream', at);
    const onInputRequired =
      readWord(fields, { name: 'on_input_required', words: ON_INPUT_REQUIRED }, at) ?? 'park';
    if (name === null) return null;
    const agent = at.parts.remoteAgents.get(name);
    if (agent === undefined) {
      // An invalid value has already been reported at its place.
      const said = `no agent ${JSON.stringify(name)} that can be called is in remote_agents`;
      at.problem('/remote_agent', said);
      return null;
    }
    return { agent, skill, stream, onInputRequired };
  },

  tool: ({ agent }) => agent.name,

  runner: createA2aTaskRunner,

  enter(_spec, context) {
    const { nodeTimeoutMs } = context.node;
    return enterWork({ queue: 'engine', call: { timeout_ms: nodeTimeoutMs }, context });
  },
};
