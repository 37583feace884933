/**
 * Calls to addresses that users give: agents, tools, callbacks. The adapter decides which addresses
 * may be reached, and checks every redirect by the same rule. Throws `HttpError` (domain) when a
 * call is refused or comes to nothing; any status that was answered is an answer.
 */
export interface Http {
  fetch(request: HttpRequest): Promise<HttpResponse>;
}

export interface HttpRequest {
  readonly url: string;
  /** GET when not given. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Those that describe the connection itself are not sent, as in the Fetch standard. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For all of it: resolving, connecting, redirects and the body. */
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
  /**
   * `same_origin` refuses a redirect to another origin: for requests that carry a secret in their URL
   * or body. Headers that may hold one never go to another origin. `follow` when not given.
   */
  readonly redirects?: 'follow' | 'same_origin';
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; what came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Where the answer came from, after redirects. */
  readonly url: string;
}
