import type { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

/**
 * The formats of ajv, all of which are matched in linear time. Only `url` is not by itself: what may
 * stand before `@` it tries once for each colon. A name may hold colons anyway, so the part for the
 * password decides nothing and is left out.
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
