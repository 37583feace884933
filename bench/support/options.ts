import { parseArgs } from 'node:util';

const OPTIONS = {
  peers: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  only: { type: 'string' },
  churn: { type: 'string' },
  idle: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '5' },
  statements: { type: 'boolean', default: false },
  log: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  large: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  save: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

type OptionName = keyof typeof OPTIONS;

const TEXTS: Readonly<Record<OptionName, string>> = {
  peers: 'with the peers',
  quick: 'the most important workloads, under three minutes',
  rounds: 'rounds of all workloads; 5, with --quick 2',
  seconds: 'length of a window; 2, with --quick 1.5',
  only: 'these, separated by commas: ids (B/16), workloads (B), subjects (DBOS), or both (svc B/16)',
  churn: 'workload G too, for this many minutes',
  idle: 'clusters with nothing to do too, for --minutes',
  minutes: 'length of --idle; 5',
  statements: 'the statements of each workload',
  log: 'the log bytes of each workload, by table and index',
  profile: 'where the processor time of each process goes, by part and by function; slows all down',
  large: 'a backlog of a million too',
  json: 'print the report as JSON',
  save: 'write the figures into docs/concepts/performance.md',
  help: 'print this',
};

export type BenchOptions = ReturnType<typeof readOptions>;

/** Throws for an unknown option. */
export function readOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS }).values;
}

export function helpText(): string {
  const lines = Object.entries(OPTIONS).map(([name, { type }]) => {
    const flag = `--${name}${type === 'string' ? ' <value>' : ''}`;
    return `  ${flag.padEnd(22)}${TEXTS[name as OptionName]}`;
  });
  return ['Usage: npm run bench -- [options]', '', ...lines].join('\n');
}
