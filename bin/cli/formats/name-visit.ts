export interface Visit {
  readonly node_id: string;
  readonly visit: number;
}

/** A visit as a person names it: a node that was entered once has no number. */
export function nameVisit({ node_id: node, visit }: Visit): string {
  return visit === 0 ? node : `${node} (visit ${visit})`;
}
