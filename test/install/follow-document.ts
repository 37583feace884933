import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

import { eventually } from '../support/eventually.ts';
import { startOtlpCollector } from '../support/servers/otlp-collector.ts';
import { setUpMachine } from './machine.ts';

/* `install.ts` starts this program in its own namespaces. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COLLECTOR_PORT = 4318;
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
/** Rules are evaluated every 15 s; an alert that a restart causes ends within two minutes. */
const EVALUATED_MS_MAX = 180_000;
const TARGETS = { 'svc-api': 2, 'svc-scheduler': 2 };

const begunAt = performance.now();
const machine = await setUpMachine();
const collector = await startOtlpCollector({ port: COLLECTOR_PORT });
try {
  tell('a machine with PostgreSQL on 127.0.0.1:5432');
  await follow('docs/get-started/install.md', 'vm');
  await follow('docs/get-started/install.md', 'vm-more');
  await follow('docs/get-started/install.md', 'vm-worker');
  await follow('docs/get-started/install.md', 'vm-watch');
  await follow('docs/get-started/install.md', 'vm-traces');
  await follow('docs/operate/hardening.md', 'hardening');
  await follow('docs/get-started/install.md', 'vm-upgrade');
  await traceOne();
  await lookAtPrometheus();
  tell('installed, watched and traced as the document says');
} catch (error) {
  tell(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.stdout.write(`${machine.journal()}\n`);
  process.exitCode = 1;
} finally {
  await collector.close();
}
// Everything else in the namespace ends with this process.
process.exit();

/** Runs, in order, every block of the page that has this word after `sh`. */
async function follow(page: string, way: string): Promise<void> {
  const text = readFileSync(ROOT + page, 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`sh ${way}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  if (blocks.length === 0) throw new Error(`${page} has no block "sh ${way}"`);
  for (const [index, [, block = '']] of blocks.entries()) {
    const what = `${page}, block ${index + 1} of "${way}"`;
    // Only this block needs a network outside the machine.
    const withOuterNetwork = block.includes('build-image-root.sh');
    const { code, output } = await machine.run(block, { withOuterNetwork });
    if (code !== 0) throw new Error(`${what} ended with ${code}:\n${block}\n${output}`);
    tell(`${what}: done`);
  }
}

/**
 * Starts an execution under a caller's span, and checks that the spans of all processes are one
 * trace.
 */
async function traceOne(): Promise<void> {
  const started = await run(`
    curl --silent --fail --header "authorization: Bearer $SVC_TOKEN" --header 'content-type: application/json' \
      --header 'traceparent: 00-${CALLER.traceId}-${CALLER.spanId}-01' \
      --data '{"workflow_id": "example-python-fn", "input": {"number": 7}}' http://127.0.0.1:7701/executions`);
  const { execution_id: id } = JSON.parse(started) as { readonly execution_id: string };
  const wanted = ['svc.execution', 'svc.node.square', 'svc.tool.numbers.square'];
  const spans = await eventually(
    () => {
      const found = collector.spans.filter(({ traceId }) => traceId === CALLER.traceId);
      const names = found.map(({ name }) => name);
      if (wanted.every((name) => names.includes(name))) return found;
      throw new Error(`of ${id} the collector has only: ${names.join(', ') || 'nothing'}`);
    },
    { withinMs: 60_000 },
  );
  const byName = (name: string) => spans.find((span) => span.name === name);
  const [execution, node, tool] = wanted.map(byName);
  const isOne =
    execution?.parentSpanId === CALLER.spanId &&
    node?.parentSpanId === execution.spanId &&
    tool?.parentSpanId === node.spanId;
  if (!isOne) throw new Error(`the spans of ${id} are not below each other`);
  if (collector.problems.length > 0) throw new Error(collector.problems.join('\n'));
  const roles = new Set(spans.map(({ process: of }) => of['svc.role']));
  tell(`trace ${CALLER.traceId} of ${id}, from ${[...roles].join(' and ')}:`);
  for (const { name, spanId, parentSpanId } of spans)
    tell(`  ${name} ${spanId} below ${parentSpanId}`);
}

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastEvaluation: string;
  readonly state: string;
}

/** Every process is scraped, every rule was evaluated, and no alert fires. */
async function lookAtPrometheus(): Promise<void> {
  const expected = countAlerts();
  const { rules, up } = await eventually(
    async () => {
      const { activeTargets } = await ask<{
        readonly activeTargets: readonly { readonly labels: { job: string }; health: string }[];
      }>('targets');
      const up = Object.keys(TARGETS).map(
        (job) =>
          activeTargets.filter(({ labels, health }) => labels.job === job && health === 'up')
            .length,
      );
      if (up.join() !== Object.values(TARGETS).join()) {
        throw new Error(`up are ${up.join(' and ')} of ${Object.keys(TARGETS).join(' and ')}`);
      }
      const { groups } = await ask<{ readonly groups: readonly { rules: readonly Rule[] }[] }>(
        'rules',
      );
      const all = groups.flatMap((group) => group.rules);
      if (all.length !== expected) throw new Error(`${all.length} of ${expected} rules are loaded`);
      // A pending alert would fire later, unless a restart caused it; then it ends.
      const bad = all.filter(({ health, state }) => health !== 'ok' || state !== 'inactive');
      if (bad.length > 0) {
        throw new Error(bad.map((one) => `${one.name}: ${one.health}, ${one.state}`).join('\n'));
      }
      return { rules: all, up };
    },
    { withinMs: EVALUATED_MS_MAX },
  );
  tell(
    `targets up: ${Object.keys(TARGETS)
      .map((job, n) => `${up[n]} of ${job}`)
      .join(', ')}`,
  );
  tell(`${rules.length} alerting rules evaluated, last at ${rules.at(-1)?.lastEvaluation}`);
  tell('none fires, and none is about to');
}

async function ask<Data>(what: string): Promise<Data> {
  const response = await fetch(`http://127.0.0.1:9090/api/v1/${what}`);
  return ((await response.json()) as { readonly data: Data }).data;
}

function countAlerts(): number {
  const { groups } = parse(readFileSync(`${ROOT}deploy/prometheus/alerts.yaml`, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly unknown[] }[];
  };
  return groups.reduce((count, { rules }) => count + rules.length, 0);
}

async function run(block: string): Promise<string> {
  const { code, output } = await machine.run(block);
  if (code !== 0) throw new Error(`${block.trim()} ended with ${code}: ${output}`);
  return output;
}

function tell(line: string): void {
  const seconds = ((performance.now() - begunAt) / 1_000).toFixed(0).padStart(4);
  process.stdout.write(`${seconds} s  ${line}\n`);
}
