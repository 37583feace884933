import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import type { ChildProcess } from 'node:child_process';
import type { Profiler } from 'node:inspector';

import { SERVING_OPTIONS } from './serving-options.ts';

/*
 * Loaded with `--import` into a process that has an IPC channel: it then tells what it has used, and
 * profiles itself from one message to another. The other side of the channel is `meterOf`.
 */

const METER = 'bench-meter';
const SAMPLE_MICROS = 200;

type Question = 'cpu' | 'profile' | 'profiled';

interface Message {
  readonly [METER]: Question;
}

export interface Meter {
  /** Microseconds of user and system time. */
  cpuMicros(): Promise<number>;
  profile(during: () => Promise<void>): Promise<Profiler.Profile>;
}

/** Options of Node that load the meter; the others are those that a server starts itself with. */
export const METER_OPTIONS: readonly string[] = [...SERVING_OPTIONS, '--import', import.meta.url];

export function meterOf(child: ChildProcess): Meter {
  const ask = async (question: Question): Promise<unknown> => {
    child.send({ [METER]: question } satisfies Message);
    const [answer] = (await once(child, 'message')) as [{ readonly answer: unknown }];
    return answer.answer;
  };
  return {
    cpuMicros: async () => Number(await ask('cpu')),
    async profile(during) {
      await ask('profile');
      await during();
      return (await ask('profiled')) as Profiler.Profile;
    },
  };
}

if (process.send !== undefined && process.execArgv.includes(import.meta.url)) answerQuestions();

function answerQuestions(): void {
  const session = new Session();
  const answers: Readonly<Record<Question, () => Promise<unknown>>> = {
    async cpu() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    async profile() {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
      await session.post('Profiler.start');
      return null;
    },
    async profiled() {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return { nodes: profile.nodes };
    },
  };
  process.on('message', (message: Partial<Message>) => {
    const question = message[METER];
    if (question === undefined) return;
    void answers[question]().then((answer) => process.send?.({ answer }));
  });
  process.once('disconnect', () => process.exit(0));
  // A server ends when it is asked to, although its channel is open.
  process.channel?.unref();
}
