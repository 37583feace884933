/** A broken invariant: the rule, the objects it concerns, and what the checker saw instead. */
export interface Violation {
  readonly rule: string;
  /** Ids of the objects, and where to look. */
  readonly about?: Readonly<Record<string, string | number>>;
  readonly saw: string;
}

/** One violation for each item that breaks the rule. */
export function violations<Item>(
  rule: string,
  items: Iterable<Item>,
  judge: (item: Item) => Omit<Violation, 'rule'> | null,
): Violation[] {
  return [...items].flatMap((item) => {
    const found = judge(item);
    return found === null ? [] : [{ rule, ...found }];
  });
}

export function describe({ rule, about = {}, saw }: Violation): string {
  const ids = Object.entries(about).map(([name, id]) => `${name} ${id}`);
  return [`${rule}: ${saw}`, ...ids].join('\n  ');
}
