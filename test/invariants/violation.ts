/** An invariant that does not hold: which, for what, and what was seen instead. */
export interface Violation {
  readonly rule: string;
  /** Ids of what it is about, and where to look. */
  readonly about?: Readonly<Record<string, string | number>>;
  readonly saw: string;
}

/** Of each thing that breaks a rule, one violation. */
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
