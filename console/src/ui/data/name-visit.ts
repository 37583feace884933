/** A visit as a person names it: a node that was entered once has no number. */
export function nameVisit(of: { readonly node_id: string; readonly visit: number }): string {
  return of.visit === 0 ? of.node_id : `${of.node_id}, visit ${of.visit}`;
}
