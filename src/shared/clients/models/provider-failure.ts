import { HttpError, type HttpErrorCode } from '../../domain/http-error.ts';
import type { ModelErrorClass, ModelFailure } from '../../ports/models.ts';

/** A failed call on its way out through the provider's client. Its message is ours. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly failure: Omit<ModelFailure, 'ok'>;

  constructor(failure: Omit<ModelFailure, 'ok'>) {
    super(failure.error);
    this.failure = failure;
  }
}

/**
 * Turns any error of the provider's client into a failure. The client wraps lower errors, and its
 * messages quote addresses and answers, so only the kinds of errors are read.
 */
export function toFailure(
  error: unknown,
  given: { readonly provider: string; readonly timeout: AbortSignal },
): Omit<ModelFailure, 'ok'> {
  const chain = [...causes(error)];
  const known = chain.find((cause) => cause instanceof ProviderFailure);
  if (known !== undefined) return known.failure;
  const who = `provider ${given.provider}`;
  if (given.timeout.aborted) return TIMED_OUT(who);
  const http = chain.find((cause) => cause instanceof HttpError);
  if (http !== undefined) return { error: `${who}: ${http.message}`, ...classOf(http.code) };
  const names = chain.map((cause) => (cause instanceof Error ? cause.name : ''));
  if (names.some((name) => REFUSED_BY_CLIENT.includes(name))) {
    return {
      error: `the call cannot be put into the protocol of ${who}`,
      errorClass: 'invalid_input',
      final: true,
    };
  }
  return { error: `${who} gave an answer that is not of its protocol`, ...INVALID };
}

const INVALID = { errorClass: 'invalid_response', final: false } as const;

const TIMED_OUT = (who: string) =>
  ({ error: `${who} did not answer in time`, errorClass: 'timeout', final: false }) as const;

/** Errors of the clients for what they were asked, not for what was answered. */
const REFUSED_BY_CLIENT = [
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
];

function classOf(code: HttpErrorCode): {
  readonly errorClass: ModelErrorClass;
  readonly final: boolean;
} {
  switch (code) {
    case 'bad_url':
    case 'refused_address':
    case 'too_many_redirects':
    case 'refused_redirect':
      return { errorClass: 'refused_address', final: true };
    case 'unreachable':
    case 'aborted':
      return { errorClass: 'unreachable', final: false };
    case 'timed_out':
      return { errorClass: 'timeout', final: false };
    case 'too_large':
      return { errorClass: 'too_large', final: false };
    case 'encoded':
      return INVALID;
  }
}

function* causes(error: unknown): Generator<unknown> {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && current !== undefined; depth += 1) {
    yield current;
    current = current instanceof Error ? current.cause : undefined;
  }
}

const CAUSES_MAX = 8;
