import type { ExpressionNode } from './expression.ts';

/** Why an expression that is sound CEL is not accepted. */
export class ExpressionRefusal extends Error {}

/** A CEL literal as the JSON value it stands for. `source` is what CEL's parser read. */
export function convertLiteral(source: unknown): ExpressionNode {
  if (source === null || typeof source === 'boolean') return { kind: 'literal', value: source };
  if (typeof source === 'string') return { kind: 'literal', value: checkedText(source) };
  if (typeof source === 'number' || typeof source === 'bigint') {
    return { kind: 'literal', value: checkedLiteral(Number(source)) };
  }
  throw new ExpressionRefusal(
    source instanceof Uint8Array
      ? 'a byte string, which JSON has no form for; write a string'
      : 'an unsigned number; write it without the u',
  );
}

function checkedLiteral(value: number): number {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new ExpressionRefusal('a number of 2^53 or more');
}

/** Neither store takes these characters, so a result must not be able to hold them. */
function checkedText(value: string): string {
  if (value.includes('\0') || !value.isWellFormed()) {
    throw new ExpressionRefusal('a string that holds U+0000 or a lone surrogate');
  }
  return value;
}
