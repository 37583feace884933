import { Link } from '@tanstack/react-router';

/** Leads to the comparison of two executions; `other` null: the page asks for it. */
export function CompareLink({
  one,
  other,
}: {
  readonly one: string;
  readonly other: string | null;
}) {
  return (
    <Link
      to="/executions/$id/compare"
      params={{ id: one }}
      search={other === null ? {} : { with: other }}
      aria-label={other === null ? 'Compare with another execution' : `Compare with ${other}`}
    >
      Compare
    </Link>
  );
}
