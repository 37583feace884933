import type { Totals } from './totals.ts';

/** The counts of a JUnit report, as pytest and Maven write it. Skipped tests count as neither. */
export function totalsOfJunit(xml: string): Totals {
  // The output of a test may look like a part of the report.
  const report = xml.replaceAll(/<!\[CDATA\[[\s\S]*?\]\]>/g, '');
  const cases = [...report.matchAll(/<testcase\b([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)];
  const failures: string[] = [];
  let passed = 0;
  for (const [, attributes = '', , inner = ''] of cases) {
    const failure = /<(?:failure|error)\b([^>]*)>/.exec(inner)?.[1];
    if (failure !== undefined) {
      // An exception without a message has its type alone.
      const reason = attribute(failure, 'message') || attribute(failure, 'type');
      failures.push(
        `${attribute(attributes, 'classname')} › ${attribute(attributes, 'name')}\n  ${reason}`,
      );
    } else if (!inner.includes('<skipped')) passed += 1;
  }
  return { passed, failed: failures.length, failures };
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}
