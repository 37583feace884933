/** A request that the service refused or could not answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  /** Stable, for programs: `not_found`, `conflict`, …; `no_answer` without an answer. */
  readonly code: string;
  /** `X-Request-Id` of the answer: the service's log names it too. */
  readonly requestId: string | null;
  readonly body: unknown;

  constructor(facts: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly requestId: string | null;
    readonly body: unknown;
  }) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.body = facts.body;
  }
}

/** The error that an answer carries, whether or not its body is JSON. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text();
  const body = parseJson(text);
  const fields = isRecord(body) ? body : {};
  return new ApiError({
    status: response.status,
    code: typeof fields.code === 'string' ? fields.code : `http_${response.status}`,
    message:
      typeof fields.error === 'string' ? fields.error : `The service answered ${response.status}.`,
    requestId: response.headers.get('x-request-id'),
    body: body ?? text,
  });
}

/** The message to show for anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
