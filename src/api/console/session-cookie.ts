const NAME = 'svc-session';
/** A working day; a token that is revoked or expires ends the session earlier. */
const SECONDS_MAX = 12 * 60 * 60;

/** Browsers refuse cookies of more than 4096 bytes, attributes included. */
export const SESSION_TOKEN_BYTES_MAX = 2_900;

/**
 * `Set-Cookie` of a session. No `Path`: the browser then takes the folder of the request's address,
 * `<prefix>/console/api`, under any prefix that a proxy strips.
 */
export function renderSessionCookie(params: {
  readonly token: string;
  readonly isSecure: boolean;
}): string {
  const value = Buffer.from(params.token, 'utf8').toString('base64url');
  return render({ value, seconds: SECONDS_MAX, isSecure: params.isSecure });
}

/** `Set-Cookie` that removes the cookie of a session. */
export function renderEndedSession(params: { readonly isSecure: boolean }): string {
  return render({ value: '', seconds: 0, isSecure: params.isSecure });
}

/** The token of a `Cookie` header; null: the header has none that could be one. */
export function readSessionToken(header: string | undefined): string | null {
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${NAME}=`));
  if (found === undefined) return null;
  const value = found.slice(NAME.length + 1);
  if (!/^[\w-]+$/.test(value)) return null;
  const token = Buffer.from(value, 'base64url').toString('utf8');
  return isTokenText(token) ? token : null;
}

/** The characters that an Authorization header may carry as a token. */
export function isTokenText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function render(params: {
  readonly value: string;
  readonly seconds: number;
  readonly isSecure: boolean;
}): string {
  const { value, seconds, isSecure } = params;
  const secure = isSecure ? '; Secure' : '';
  return `${NAME}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
