import { readFileSync } from 'node:fs';
import test from 'ava';

import { METRICS } from '../../src/shared/telemetry/metric-list.ts';
import { createQueryCheck, labelsLeft, labelsTold } from './promql.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const source = readFileSync(new URL('../../deploy/grafana/svc.json', import.meta.url), 'utf8');
const { panels } = JSON.parse(source) as { readonly panels: readonly Panel[] };
const check = createQueryCheck();

for (const panel of panels.filter(({ type }) => type !== 'row')) {
  test(`the panel "${panel.title}" (${panel.id}) asks for metrics and labels that exist`, (t) => {
    t.true((panel.targets ?? []).length > 0);
    for (const { expr, legendFormat } of panel.targets ?? []) {
      t.deepEqual(check(expr), [], expr);
      const left = labelsLeft(expr);
      for (const label of labelsTold(legendFormat)) {
        t.true(left === null || left.includes(label), `${expr}: it has no label ${label} left`);
      }
    }
  });
}

test('no panel lies over another, and each has an id of its own', (t) => {
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const [index, one] of panels.entries()) {
    for (const other of panels.slice(index + 1)) {
      const [a, b] = [one.gridPos, other.gridPos];
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      t.true(apart, `${one.title} and ${other.title}`);
    }
  }
});

test('figures of the cluster are never summed up over processes', (t) => {
  const ofCluster = Object.values(METRICS).filter(({ help }) =>
    help.includes('For the whole cluster.'),
  );
  t.true(ofCluster.length > 5);
  for (const { name } of ofCluster) {
    t.notRegex(source, new RegExp(`(sum|avg)( by \\([^)]*\\))? \\(?${name}\\b`), name);
  }
});
