import type { CutAt, Line } from '../proxy/line.ts';
import { pickLine, type Blow, type Fault, type Scene } from './fault.ts';

const CUT_MS_MAX = 6_000;

function lineFault(
  name: string,
  strike: (line: Line, scene: Scene) => Omit<Blow, 'target' | 'heal'>,
): Fault {
  return {
    name,
    fire: async (scene) => {
      const line = pickLine(scene);
      if (line === null) return null;
      return {
        target: line.name,
        ...strike(line, scene),
        heal: async () => line.heal(),
      };
    },
  };
}

/** Cuts where the caller cannot know whether its request was executed. */
function cutAt(at: CutAt, protocol: 'postgres' | 'http'): Fault {
  return {
    name: `line-cut-${at}-${protocol}`,
    fire: async (scene) => {
      const line = pickLine(scene, (one) => one.protocol === protocol);
      if (line === null) return null;
      let isCut = false;
      const over = line.cutNextWrite(at).then(() => {
        isCut = true;
      });
      return {
        target: line.name,
        lastsMs: CUT_MS_MAX,
        over,
        heal: async () => {
          line.heal();
          return isCut ? undefined : 'nothing was written meanwhile';
        },
      };
    },
  };
}

export const LINE_FAULTS: readonly Fault[] = [
  lineFault('line-breaks', (line) => {
    line.breakAll();
    return { lastsMs: 0 };
  }),
  lineFault('line-refuses', (line, { dice }) => {
    line.refuse();
    return { lastsMs: dice.between(500, 6_000) };
  }),
  lineFault('line-half-open', (line, { dice }) => {
    line.fallSilent();
    // Usually shorter than the product's answer timeouts, and sometimes longer.
    const isLong = dice.chance(0.15);
    return { lastsMs: isLong ? dice.between(36_000, 42_000) : dice.between(2_000, 12_000) };
  }),
  lineFault('line-slow', (line, { dice }) => {
    line.slowDown(dice.between(20, 800));
    return { lastsMs: dice.between(2_000, 8_000) };
  }),
  cutAt('request', 'postgres'),
  cutAt('answer', 'postgres'),
  cutAt('request', 'http'),
  cutAt('answer', 'http'),
];
