/** How many violations of a schema a message lists, by what it refuses. */
const VIOLATIONS_TOLD_MAX = { request: 20, tool: 10, child: 5 } as const;

export function tellViolations(
  violations: readonly string[],
  refused: keyof typeof VIOLATIONS_TOLD_MAX,
): readonly string[] {
  return violations.slice(0, VIOLATIONS_TOLD_MAX[refused]);
}
