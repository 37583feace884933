import type { Point } from './lay-out.ts';

const CORNER = 6;

/** A line along the points with rounded corners, as an SVG path. */
export function drawPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M ${first.x} ${first.y}`;
  let before = first;
  rest.forEach((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) {
      path += ` L ${point.x} ${point.y}`;
      return;
    }
    const into = towards(point, before);
    const out = towards(point, next);
    path += ` L ${into.x} ${into.y} Q ${point.x} ${point.y} ${out.x} ${out.y}`;
    before = point;
  });
  return path;
}

/** The point on the way from `corner` to `other`, a corner's radius away. */
function towards(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(CORNER, length / 2) / length;
  return {
    x: corner.x + (other.x - corner.x) * part,
    y: corner.y + (other.y - corner.y) * part,
  };
}
