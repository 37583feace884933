import { findResultProblem } from '../expression/check-result.ts';
import { shareSteps, type StepBudget } from '../expression/evaluate-expression.ts';
import type { ExpressionScope } from '../expression/expression.ts';
import { evaluateMapping, type Mapping } from '../expression/mapping.ts';
import type { JsonValue } from '../json.ts';
import type { BodyTemplate, JsonTemplate } from './body-template.ts';
import { hasBody, UNSENDABLE, type HttpTool } from './http-tool.ts';
import type { Template, TemplatePart } from './template.ts';
import { isDotSegment, segmentsOf, type UrlTemplate } from './url-template.ts';

/** A request with its values and secrets in place. */
export interface RenderedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The secrets that were put in, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Whether one of them would go along with a redirect: headers that may hold one do not. */
  readonly secretTravels: boolean;
}

export type Rendered =
  | { readonly ok: true; readonly request: RenderedRequest }
  | { readonly ok: false; readonly error: string; readonly errorClass: string };

export type ReadSecret = (
  name: string,
) =>
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };

/**
 * Puts values and secrets into a tool's request. A value stays what it stands for: it cannot leave
 * its segment of the path, its part of the query, its header, or its place in a JSON body. Messages
 * name the place, and never hold a value.
 */
export function renderRequest(params: {
  readonly tool: HttpTool;
  readonly input: JsonValue;
  readonly scope: ExpressionScope;
  readonly readSecret: ReadSecret;
}): Rendered {
  const { tool, input, scope, readSecret } = params;
  const secrets = new Map<string, string>();
  const renderer = new Renderer({ ...scope, input }, readSecret, secrets);
  try {
    const url = renderUrl(tool.url, renderer);
    const body = renderBody(tool, input, renderer);
    const inUrlOrBody = secrets.size;
    const headers = renderHeaders(tool, renderer);
    const secretTravels = inUrlOrBody > 0 || hasSecretThatStays(tool);
    const contentType = contentTypeOf(tool.body);
    return {
      ok: true,
      request: {
        url,
        headers: { ...(body !== null && { 'content-type': contentType }), ...headers },
        body,
        secrets,
        secretTravels,
      },
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, error: error.message, errorClass: error.errorClass };
  }
}

class Refusal extends Error {
  readonly errorClass: string;

  constructor(message: string, errorClass: string) {
    super(message);
    this.errorClass = errorClass;
  }
}

class Renderer {
  readonly #scope: ExpressionScope;
  readonly #readSecret: ReadSecret;
  readonly #secrets: Map<string, string>;
  readonly #steps: StepBudget;
  #charactersLeft = CHARACTERS_MAX;

  constructor(scope: ExpressionScope, readSecret: ReadSecret, secrets: Map<string, string>) {
    this.#scope = scope;
    this.#steps = shareSteps(scope);
    this.#readSecret = readSecret;
    this.#secrets = secrets;
  }

  /** `write` makes a value fit its place. */
  text(template: Template, write: (text: string, place: string) => string): string {
    return template
      .map((part) => {
        const text = this.#part(part, write);
        this.#charactersLeft -= text.length;
        if (this.#charactersLeft >= 0) return text;
        throw invalid(`the request is longer than ${CHARACTERS_MAX} characters`);
      })
      .join('');
  }

  #part(part: TemplatePart, write: (text: string, place: string) => string): string {
    if (part.kind === 'text') return part.text;
    if (part.kind === 'secret') return write(this.#secret(part.name), `secret ${part.name}`);
    return write(asText(this.value(part.mapping), part.source), `{${part.source}}`);
  }

  value(mapping: Mapping): JsonValue {
    const result = evaluateMapping(mapping, this.#scope, this.#steps);
    if (result.ok) return result.value;
    throw new Refusal(result.message, 'expression_error');
  }

  #secret(name: string): string {
    const reading = this.#readSecret(name);
    if (!reading.ok) throw new Refusal(reading.problem, 'unauthorized');
    this.#secrets.set(name, reading.value);
    return reading.value;
  }
}

function asText(value: JsonValue, source: string): string {
  if (value === null) return '';
  if (typeof value === 'object') throw invalid(`{${source}} is a list or an object, not text`);
  const text = String(value);
  if (text.isWellFormed()) return text;
  throw invalid(`{${source}} holds a lone surrogate, which is not Unicode text`);
}

function invalid(message: string): Refusal {
  return new Refusal(message, 'invalid_input');
}

function renderUrl({ origin, path, query }: UrlTemplate, renderer: Renderer): string {
  const rawPath = renderer.text(path, writeSegment) || '/';
  const rawQuery = query === null ? '' : `?${renderer.text(query, encodeURIComponent)}`;
  const url = new URL(`${origin}${rawPath}${rawQuery}`);
  const isKept =
    url.origin === origin &&
    segmentsOf(url.pathname).length === segmentsOf(rawPath).length &&
    !segmentsOf(rawPath).some(isDotSegment);
  if (!isKept) throw invalid('a value would change the path of the address');
  if (url.href.length <= URL_CHARACTERS_MAX) return url.href;
  throw invalid(`the address is longer than ${URL_CHARACTERS_MAX} characters`);
}

/** Servers that decode a path before they read it would follow `..` in it; honest values have none. */
function writeSegment(text: string, place: string): string {
  if (text === '') throw invalid(`${place} is empty, which would make another address`);
  const climbs = text.split(/[/\\]/).some((part) => part === '.' || part === '..');
  if (climbs) throw invalid(`${place} has . or .. in it, which would make another address`);
  return encodeURIComponent(text);
}

function renderHeaders(tool: HttpTool, renderer: Renderer): Readonly<Record<string, string>> {
  return Object.fromEntries(
    tool.headers.map(([name, template]) => [
      name,
      renderer.text(template, (text, place) => {
        if (!UNSENDABLE.test(text)) return text;
        throw invalid(`${place} has characters that the header ${name} cannot carry`);
      }),
    ]),
  );
}

/** These headers go along to another origin. */
function hasSecretThatStays(tool: HttpTool): boolean {
  return tool.headers.some(
    ([name, template]) =>
      ['accept', 'accept-language', 'content-type', 'user-agent'].includes(name) &&
      template.some(({ kind }) => kind === 'secret'),
  );
}

function renderBody(tool: HttpTool, input: JsonValue, renderer: Renderer): string | null {
  if (tool.body === null) return hasBody(tool.method) ? JSON.stringify(input) : null;
  if (tool.body.kind === 'text') return renderer.text(tool.body.template, (text) => text);
  const body = renderJson(tool.body.value, renderer);
  const problem = findResultProblem(body, CHARACTERS_MAX);
  if (problem !== null) throw invalid(`body: ${problem}`);
  return JSON.stringify(body);
}

function renderJson(template: JsonTemplate, renderer: Renderer): JsonValue {
  switch (template.kind) {
    case 'mapping':
      return renderer.value(template.mapping);
    case 'template':
      return renderer.text(template.template, (text) => text);
    case 'list':
      return template.items.map((item) => renderJson(item, renderer));
    case 'object':
      return Object.fromEntries(
        template.entries.map(([key, value]) => [key, renderJson(value, renderer)]),
      );
  }
}

function contentTypeOf(body: BodyTemplate | null): string {
  return body?.kind === 'text' ? 'text/plain; charset=utf-8' : 'application/json';
}

/** Limit of all templates together, and of a body: a value may occur in them many times. */
const CHARACTERS_MAX = 16 * 1024 * 1024;
/** The input of `safe-fetch.ts`. */
const URL_CHARACTERS_MAX = 2048;
