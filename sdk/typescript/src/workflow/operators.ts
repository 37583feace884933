import { createExpression, writeOperand, type Expression, type Operand } from './expression.ts';

/** Whether both are equal. Both must have the same type. */
export function eq<T>(left: Expression<T>, right: NoInfer<Operand<T>>): Expression<boolean> {
  return join('==', left, right);
}

/** Whether both differ. Both must have the same type. */
export function ne<T>(left: Expression<T>, right: NoInfer<Operand<T>>): Expression<boolean> {
  return join('!=', left, right);
}

type Ordered = number | string;

/** Whether `left` is greater. A null, which an absent value gives, fails the step: see `orElse`. */
export function gt<T extends Ordered>(
  left: Expression<T>,
  right: NoInfer<Operand<T>>,
): Expression<boolean> {
  return join('>', left, right);
}

/** Whether `left` is greater or equal. */
export function ge<T extends Ordered>(
  left: Expression<T>,
  right: NoInfer<Operand<T>>,
): Expression<boolean> {
  return join('>=', left, right);
}

/** Whether `left` is less. */
export function lt<T extends Ordered>(
  left: Expression<T>,
  right: NoInfer<Operand<T>>,
): Expression<boolean> {
  return join('<', left, right);
}

/** Whether `left` is less or equal. */
export function le<T extends Ordered>(
  left: Expression<T>,
  right: NoInfer<Operand<T>>,
): Expression<boolean> {
  return join('<=', left, right);
}

/** Whether all are true. */
export function and(...parts: readonly Expression<boolean>[]): Expression<boolean> {
  return joinAll('&&', parts);
}

/** Whether one is true. */
export function or(...parts: readonly Expression<boolean>[]): Expression<boolean> {
  return joinAll('||', parts);
}

/** Whether it is false. */
export function not(part: Expression<boolean>): Expression<boolean> {
  return createExpression(`!(${part['~cel']})`);
}

/** Whether the value exists and is not null. */
export function present(value: Expression): Expression<boolean> {
  return createExpression(`${writeOperand(value)} != null`);
}

/** The value, or `other` where it is absent or null. */
export function orElse<T>(
  value: Expression<T>,
  other: NoInfer<Operand<NonNullable<T>>>,
): Expression<NonNullable<T>> {
  const read = writeOperand(value);
  return createExpression(`${read} != null ? ${read} : ${writeOperand(other)}`);
}

/** The same expression under a type that you know better. Nothing checks it. */
export function unchecked<T>(value: Expression): Expression<T> {
  return {
    '~kind': 'expression',
    '~cel': value['~cel'],
    '~mapping': value['~mapping'],
  };
}

function join(sign: string, left: unknown, right: unknown): Expression<boolean> {
  return createExpression(`${writeOperand(left)} ${sign} ${writeOperand(right)}`);
}

function joinAll(sign: string, parts: readonly Expression[]): Expression<boolean> {
  if (parts.length === 0) throw new TypeError(`${sign} needs at least one expression`);
  return createExpression(parts.map((part) => writeOperand(part)).join(` ${sign} `));
}
