/**
 * The policy of a tenant, a workflow or a node. Globs (`*` matches any characters, `?` one),
 * matched against names of tools and models. It is stored as sent, so it has the wire's names; an
 * absent key leaves the decision to the next level.
 */
export interface Policy {
  readonly blocked_tools?: readonly string[];
  /** Tools that a person must approve before they are called. */
  readonly require_approval_for?: readonly string[];
  /** Only these models may be called. */
  readonly model_allowlist?: readonly string[];
}

/** The policy for one node: the innermost level that has a key decides it. */
export interface EffectivePolicy {
  /** A tool that goes by several names: one that is blocked, or needs approval, is enough. */
  judgeTool(...names: readonly [string, ...string[]]): ToolJudgement;
  /** A model goes by several names: one that is allowed is enough. */
  judgeModel(names: readonly string[]): 'allowed' | 'blocked';
}

export type ToolJudgement =
  { readonly is: 'allowed' } | { readonly is: 'blocked' | 'approval'; readonly pattern: string };

export function effectivePolicy(levels: {
  readonly node: Policy | null;
  readonly workflow: Policy | null;
  readonly tenant: Policy;
}): EffectivePolicy {
  const { node, workflow, tenant } = levels;
  const pick = (key: keyof Policy) => node?.[key] ?? workflow?.[key] ?? tenant[key];
  return {
    judgeTool(...names) {
      const blocked = firstMatch(pick('blocked_tools') ?? [], names);
      if (blocked !== null) return { is: 'blocked', pattern: blocked };
      const approval = firstMatch(pick('require_approval_for') ?? [], names);
      return approval === null ? { is: 'allowed' } : { is: 'approval', pattern: approval };
    },
    judgeModel(names) {
      const allowed = pick('model_allowlist');
      if (allowed === undefined) return 'allowed';
      return firstMatch(allowed, names) === null ? 'blocked' : 'allowed';
    },
  };
}

function firstMatch(globs: readonly string[], names: readonly string[]): string | null {
  return globs.find((glob) => names.some((name) => matchesGlob(glob, name))) ?? null;
}

/** Linear in the lengths times the number of stars: a glob of a stranger costs no more than that. */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let inGlob = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const wanted = glob[inGlob];
    if (wanted === '*') {
      star = inGlob;
      resume = at;
      inGlob += 1;
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[at])) {
      at += 1;
      inGlob += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      inGlob = star + 1;
    } else return false;
  }
  while (glob[inGlob] === '*') inGlob += 1;
  return inGlob === glob.length;
}
