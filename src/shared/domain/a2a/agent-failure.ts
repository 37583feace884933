/** Why a call of an agent came to nothing. The message is ours: agents' own words are not in it. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly errorClass: AgentErrorClass;
  /** Another attempt would go the same way. */
  readonly isFinal: boolean;
  /** After a rate limit: when the agent wants to be asked again. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    options: {
      readonly errorClass: AgentErrorClass;
      readonly isFinal?: boolean;
      readonly retryAfterMs?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.errorClass = options.errorClass;
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export type AgentErrorClass =
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'http_4xx'
  | 'http_5xx'
  | 'invalid_response'
  | 'too_large'
  | 'refused_address'
  | 'unauthorized'
  | 'invalid_input'
  | 'unsupported'
  | 'error';
