/** A span as it is exported, OpenTelemetry's terms. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  /** Unix milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** The error; null: none. */
  readonly error: { readonly type: string; readonly message: string } | null;
}

/** Undefined values are omitted. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;
export type AttributeValue = string | number | boolean | readonly string[];
