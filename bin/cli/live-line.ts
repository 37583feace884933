const CLEAR_LINE = '\r\u001b[2K';
const REFRESH_MS = 100;

export interface LiveLine {
  draw(): void;
  clear(): void;
  /** Clears the line and draws it no more. */
  end(): void;
}

/** A line on stderr that a terminal shows in place of the one before, ten times a second. */
export function createLiveLine(render: (seconds: string) => string): LiveLine {
  const startedAt = performance.now();

  function draw(): void {
    const line = render(((performance.now() - startedAt) / 1000).toFixed(1));
    // A line that wraps could not be cleared again.
    process.stderr.write(CLEAR_LINE + line.slice(0, (process.stderr.columns || 80) - 1));
  }

  function clear(): void {
    process.stderr.write(CLEAR_LINE);
  }

  const timer = setInterval(draw, REFRESH_MS);
  return {
    draw,
    clear,
    end() {
      clearInterval(timer);
      clear();
    },
  };
}
