import type { Totals } from './totals.ts';

/** The counts of a JUnit report, as pytest and Maven write it. Skipped tests count as neither. */
export function totalsOfJunit(xml: string): Totals {
  const cases = [...xml.matchAll(/<testcase\b([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)];
  const failures: string[] = [];
  let passed = 0;
  for (const [, attributes = '', , inner = ''] of cases) {
    const message = /<(?:failure|error)\b[^>]*?message="([^"]*)"/.exec(inner)?.[1];
    if (message !== undefined) {
      failures.push(
        `${attribute(attributes, 'classname')} › ${attribute(attributes, 'name')}\n  ${message}`,
      );
    } else if (!inner.includes('<skipped')) passed += 1;
  }
  return { passed, failed: failures.length, failures };
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}
