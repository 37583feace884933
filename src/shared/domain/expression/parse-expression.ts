import type { ASTNode } from '@marcbachmann/cel-js';
import { Environment, ParseError } from '@marcbachmann/cel-js';
import { ExpressionRefusal } from './convert-literal.ts';
import { convertRoot } from './convert-node.ts';
import type { Expression } from './expression.ts';
import { quoteExpression } from './quote-expression.ts';

export type { Expression } from './expression.ts';

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly message: string };

const SOURCE_BYTES_MAX = 4096;

/**
 * Parses a CEL expression over `state`, `output`, `input` and `execution`, and checks everything
 * that can be known before it runs: syntax, names, numbers of arguments, and the bounds on length
 * (4096 bytes), depth (32), nesting of comprehensions (2) and literal lists (256 items).
 *
 * Only the library's parser is used. CEL's own evaluation fails on an absent path, takes nothing
 * but booleans as conditions and keeps integers apart from doubles, none of which suits JSON.
 *
 * `variables` are further names that the scope will hold, where it is not that of a node.
 */
export function parseExpression(
  source: string,
  variables: readonly string[] = [],
): ParsedExpression {
  const refuse = (reason: string): ParsedExpression => ({
    ok: false,
    message: `${quoteExpression(source)}: ${reason}`,
  });
  if (
    source.length > SOURCE_BYTES_MAX ||
    new TextEncoder().encode(source).length > SOURCE_BYTES_MAX
  ) {
    return refuse(`longer than ${SOURCE_BYTES_MAX} bytes`);
  }
  if (source.trim() === '') return refuse('the expression is empty');
  try {
    return { ok: true, expression: { source, root: convertRoot(readSyntax(source), variables) } };
  } catch (error) {
    if (error instanceof ExpressionRefusal) return refuse(error.message);
    if (error instanceof ParseError) return refuse(describeSyntaxError(error));
    throw error;
  }
}

const ENVIRONMENT = new Environment({
  unlistedVariablesAreDyn: true,
  limits: {
    maxAstNodes: 4096,
    maxDepth: 64,
    maxListElements: 256,
    maxMapEntries: 256,
    maxCallArguments: 8,
  },
});

function readSyntax(source: string): ASTNode {
  return ENVIRONMENT.parse(source).ast;
}

const SYNTAX_HINT =
  'conditions are joined with && and ||, negated with !, and compared with ==; paths begin with a variable, such as input.customer, and not with $';

function describeSyntaxError(error: ParseError): string {
  const column = error.range === undefined ? '' : ` at column ${error.range.start + 1}`;
  if (error.code === 'limit_exceeded') return `too large${column}: ${error.summary}`;
  const hint = error.code === 'unexpected_character' ? ` (${SYNTAX_HINT})` : '';
  return `syntax error${column}: ${error.summary}${hint}`;
}
