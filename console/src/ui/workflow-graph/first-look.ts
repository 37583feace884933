import { type Layout, sizeOf } from './lay-out.ts';
import { centreOf } from './move-focus.ts';

export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Letters at a smaller zoom cannot be read. */
const READABLE_ZOOM = 0.55;
const MARGIN = 24;

/** The whole graph where it is readable then, else its beginning: the start at the top, in the middle. */
export function firstLook(
  layout: Layout,
  startId: string | null,
  frame: { readonly width: number; readonly height: number },
): View {
  const corners = [...layout.nodes].map(([id, { x, y }]) => {
    const { width, height } = sizeOf(id);
    return { right: x + width, bottom: y + height };
  });
  const width = Math.max(1, ...corners.map(({ right }) => right));
  const height = Math.max(1, ...corners.map(({ bottom }) => bottom));
  const fitting = Math.min(
    (frame.width - 2 * MARGIN) / width,
    (frame.height - 2 * MARGIN) / height,
    1,
  );
  if (fitting >= READABLE_ZOOM) {
    return {
      x: (frame.width - width * fitting) / 2,
      y: (frame.height - height * fitting) / 2,
      zoom: fitting,
    };
  }
  const start = startId === null ? null : centreOf(startId, layout);
  const middle = start?.x ?? width / 2;
  return { x: frame.width / 2 - middle * READABLE_ZOOM, y: MARGIN, zoom: READABLE_ZOOM };
}
