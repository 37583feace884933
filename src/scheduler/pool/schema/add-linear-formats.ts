import type { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

/**
 * The formats of ajv, matched in linear time. Only ajv's `url` is not linear: it tries the part
 * before `@` once for each colon. A name may contain colons anyway, so the part for the password
 * changes nothing and is omitted.
 */
export function addLinearFormats(ajv: Ajv): void {
  addFormats.default(ajv);
  ajv.addFormat('url', URL_PATTERN);
}

const USER_AND_PASSWORD = String.raw`(?:\S+(?::\S*)?@)?`;
const USER = String.raw`(?:\S+@)?`;
const URL_PATTERN = withoutPassword(addFormats.default.get('url'));

function withoutPassword(url: unknown): RegExp {
  if (!(url instanceof RegExp) || !url.source.includes(USER_AND_PASSWORD)) {
    throw new Error('the format url of ajv-formats is another than it was: look at its pattern');
  }
  return new RegExp(url.source.replace(USER_AND_PASSWORD, USER), url.flags);
}
