import { nearestName } from '../../nearest-name.ts';
import { LABEL_NAME_RULE } from '../labels/labels.ts';
import type { Condition } from './condition.ts';
import {
  FIELD_NAMES,
  FIELDS,
  findField,
  LABEL_FIELD,
  LABELS,
  type NamedField,
  type Spelling,
} from './fields.ts';
import { makeCondition, type Operand } from './make-condition.ts';
import type { QueryProblem } from './problem.ts';
import { readTokens, type Token } from './tokens.ts';

export const QUERY_LENGTH_MAX = 8_000;
export const CONDITIONS_MAX = 20;
export const VALUES_MAX = 100;

export type ParsedQuery =
  | { readonly conditions: readonly Condition[]; readonly problems: null }
  | { readonly conditions: null; readonly problems: readonly QueryProblem[] };

/**
 * Reads a query such as `status = failed and workflow = "orders" and started > -2h`. A query
 * without a condition is one that every execution fits. After a mistake, the parser continues with
 * the next `and`, so that it reports the mistakes of all conditions.
 */
export function parseQuery(query: string): ParsedQuery {
  if (query.length > QUERY_LENGTH_MAX) {
    const message = `a query has at most ${QUERY_LENGTH_MAX} characters`;
    return refuse([{ position: QUERY_LENGTH_MAX, length: 0, message, expected: [] }]);
  }
  const { tokens, problems: ofTokens } = readTokens(query);
  const problems: QueryProblem[] = [...ofTokens];
  const conditions: Condition[] = [];
  const reader = createReader(tokens);
  let count = 0;
  while (reader.peek().kind !== 'end') {
    count += 1;
    if (count > CONDITIONS_MAX) {
      const message = `a query has at most ${CONDITIONS_MAX} conditions`;
      return refuse([...problems, problemAt(reader.peek(), message)]);
    }
    const read = readCondition(reader);
    if ('problem' in read) {
      problems.push(read.problem);
      skipToAnd(reader);
    } else conditions.push(read.condition);
    const after = reader.peek();
    if (after.kind === 'end') break;
    if (!isWord(after, 'and')) {
      problems.push(problemAt(after, isWord(after, 'or') ? NO_OR : JOINT, ['and']));
      skipToAnd(reader);
    }
    const joint = reader.take();
    if (reader.peek().kind === 'end' && joint.kind !== 'end') {
      problems.push(problemAt(reader.peek(), 'a condition must follow "and"', FIELD_NAMES));
    }
  }
  if (problems.length === 0) return { conditions, problems: null };
  return refuse(problems.toSorted((left, right) => left.position - right.position));
}

const JOINT = 'conditions are joined by "and"';
const NO_OR = `${JOINT}: in place of "or", give a list, such as status in (failed, cancelled)`;

function refuse(problems: readonly QueryProblem[]): ParsedQuery {
  return { conditions: null, problems };
}

type Read<Value> = Value | { readonly problem: QueryProblem };

function readCondition(reader: Reader): Read<{ readonly condition: Condition }> {
  const name = reader.take();
  const named = name.kind === 'word' ? findField(name.value) : null;
  if (named === null) return { problem: refuseField(name) };
  const operator = readOperator(reader, named);
  if ('problem' in operator) return operator;
  const operands = operator.spelling === 'in' ? readList(reader, named) : readOne(reader, named);
  if ('problem' in operands) return operands;
  return makeCondition(named, operator.spelling, operands.values);
}

function refuseField(token: Token): QueryProblem {
  if (token.kind !== 'word') {
    return problemAt(token, 'a condition begins with the name of a field', FIELD_NAMES);
  }
  const { value } = token;
  if (value.toLowerCase().startsWith(LABELS) && value.length > LABELS.length) {
    return problemAt(token, `${value.slice(LABELS.length)} ${LABEL_NAME_RULE}`);
  }
  const nearest = nearestField(value);
  const hint = nearest === null ? `: use ${FIELD_NAMES.join(', ')}` : `; did you mean ${nearest}?`;
  return problemAt(token, `no field is named ${value}${hint}`, FIELD_NAMES);
}

/** `labels` alone stands for a label, and `label.customer` is a slip. */
function nearestField(value: string): string | null {
  const label = /^labels?(?:\.(.*))?$/i.exec(value);
  if (label === null) return nearestName(value, FIELD_NAMES);
  const [, name = ''] = label;
  return name === '' ? LABEL_FIELD : `${LABELS}${name}`;
}

function readOperator(reader: Reader, named: NamedField): Read<{ readonly spelling: Spelling }> {
  const { operators } = FIELDS[named.field];
  const name = nameOf(named);
  const token = reader.peek();
  const isOperator = token.kind === 'operator' || isWord(token, 'in');
  const spelling = operators.find((each) => each === token.value.toLowerCase());
  if (!isOperator || spelling === undefined) {
    const said = isOperator ? `${name} has no ${token.value}` : `${name} needs an operator`;
    return { problem: problemAt(token, `${said}: use ${operators.join(' ')}`, operators) };
  }
  reader.take();
  return { spelling };
}

function readOne(reader: Reader, named: NamedField): Read<{ readonly values: readonly Operand[] }> {
  const token = reader.peek();
  if (token.kind !== 'word' && token.kind !== 'text') {
    return {
      problem: problemAt(token, `${nameOf(named)} needs a value`, FIELDS[named.field].values),
    };
  }
  reader.take();
  return { values: [token] };
}

function readList(
  reader: Reader,
  named: NamedField,
): Read<{ readonly values: readonly Operand[] }> {
  const values: Operand[] = [];
  if (reader.peek().kind !== '(') {
    return { problem: problemAt(reader.peek(), '"in" needs values in parentheses', ['(']) };
  }
  do {
    reader.take();
    const next = readOne(reader, named);
    if ('problem' in next) return next;
    values.push(...next.values);
    if (values.length > VALUES_MAX) {
      const message = `a list has at most ${VALUES_MAX} values`;
      return { problem: problemAt(reader.peek(), message) };
    }
  } while (reader.peek().kind === ',');
  if (reader.peek().kind !== ')') {
    return { problem: problemAt(reader.peek(), 'the list needs a comma or its end', [',', ')']) };
  }
  reader.take();
  return { values };
}

/** As the query names it: a label has a name of its own. */
function nameOf({ field, label }: NamedField): string {
  return field === 'labels' ? `${LABELS}${label}` : field;
}

interface Reader {
  readonly peek: () => Token;
  readonly take: () => Token;
}

/** The end is never passed. */
function createReader(tokens: readonly Token[]): Reader {
  const end: Token = tokens.at(-1) ?? { kind: 'end', value: '', position: 0, length: 0 };
  let index = 0;
  const peek = () => tokens[index] ?? end;
  return {
    peek,
    take() {
      const token = peek();
      index += 1;
      return token;
    },
  };
}

function skipToAnd(reader: Reader): void {
  while (reader.peek().kind !== 'end' && !isWord(reader.peek(), 'and')) reader.take();
}

function isWord(token: Token, word: string): boolean {
  return token.kind === 'word' && token.value.toLowerCase() === word;
}

function problemAt(
  { position, length }: Pick<Token, 'position' | 'length'>,
  message: string,
  expected: readonly string[] = [],
): QueryProblem {
  return { position, length, message, expected };
}
