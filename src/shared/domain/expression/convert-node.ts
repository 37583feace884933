import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionRefusal, convertLiteral } from './convert-literal.ts';
import type { ExpressionNode, Macro, PathNode } from './expression.ts';
import { EXPRESSION_VARIABLES } from './expression.ts';
import { FUNCTIONS } from './functions.ts';

/** Where in an expression a node stands. `names` are the variables comprehensions have bound. */
interface Place {
  readonly depth: number;
  readonly comprehensions: number;
  readonly names: readonly string[];
}

const DEPTH_MAX = 32;
const COMPREHENSIONS_MAX = 2;

/** `variables` are known beside those of every expression. */
export function convertRoot(node: ASTNode, variables: readonly string[]): ExpressionNode {
  return convertNode(node, { depth: 0, comprehensions: 0, names: variables });
}

/**
 * Converts the library's syntax tree into our own, refusing (by throwing `ExpressionRefusal`) what
 * cannot run. A chain of `&&` or `||` becomes one node, so that long conditions are not deep.
 */
function convertNode(node: ASTNode, outer: Place): ExpressionNode {
  const place = { ...outer, depth: outer.depth + 1 };
  if (place.depth > DEPTH_MAX) throw new ExpressionRefusal(`nested deeper than ${DEPTH_MAX}`);
  const convert = (inner: ASTNode) => convertNode(inner, place);
  switch (node.op) {
    case 'value':
      return convertLiteral(node.args);
    case 'id':
      return convertVariable(node.args, place);
    case '.':
    case '[]':
      return convertPath(node, place);
    case '!_':
      return { kind: 'not', operand: convert(node.args) };
    case '-_':
      return { kind: 'negate', operand: convert(node.args) };
    case '&&':
    case '||':
      return { kind: 'logical', operator: node.op, operands: operandsOf(node).map(convert) };
    case '?:': {
      const [condition, whenTrue, whenFalse] = node.args;
      return {
        kind: 'conditional',
        condition: convert(condition),
        whenTrue: convert(whenTrue),
        whenFalse: convert(whenFalse),
      };
    }
    case 'list':
      return { kind: 'list', items: node.args.map(convert) };
    case 'map':
      return {
        kind: 'map',
        entries: node.args.map(([key, value]) => [convert(key), convert(value)]),
      };
    case 'call':
      return convertFunction(node.args[0], node.args[1], place);
    case 'rcall': {
      const [name, receiver, args] = node.args;
      return convertMethod({ name, receiver, args }, place);
    }
    case '.?':
    case '[?]':
      throw new ExpressionRefusal('an absent path is null already; write . instead of .?');
    default: {
      const [left, right] = node.args;
      return { kind: 'binary', operator: node.op, left: convert(left), right: convert(right) };
    }
  }
}

function convertVariable(name: string, place: Place): ExpressionNode {
  if (place.names.includes(name) || EXPRESSION_VARIABLES.some((known) => known === name)) {
    return { kind: 'variable', name };
  }
  throw new ExpressionRefusal(
    `unknown variable ${name}: the variables are ${[...EXPRESSION_VARIABLES, ...place.names].join(', ')}`,
  );
}

function convertPath(node: ASTNode, place: Place): PathNode {
  if (node.op === '.') {
    const [target, key] = node.args;
    return {
      kind: 'path',
      target: convertNode(target, place),
      key: { kind: 'literal', value: key },
    };
  }
  if (node.op === '[]') {
    const [target, key] = node.args;
    return { kind: 'path', target: convertNode(target, place), key: convertNode(key, place) };
  }
  throw new ExpressionRefusal('has() takes a path, such as has(state.a)');
}

function operandsOf(node: ASTNode): readonly ASTNode[] {
  const operands: ASTNode[] = [];
  let rest = node;
  while ((rest.op === '&&' || rest.op === '||') && rest.op === node.op) {
    operands.push(rest.args[1]);
    rest = rest.args[0];
  }
  operands.push(rest);
  return operands.reverse();
}

function convertFunction(name: string, args: readonly ASTNode[], place: Place): ExpressionNode {
  if (name === 'has') {
    const [path, ...others] = args;
    if (path === undefined || others.length > 0) throw new ExpressionRefusal('has() takes a path');
    return { kind: 'has', path: convertPath(path, place) };
  }
  return convertCall({ form: 'function', name, args }, place);
}

function convertMethod(
  called: {
    readonly name: string;
    readonly receiver: ASTNode;
    readonly args: readonly ASTNode[];
  },
  place: Place,
): ExpressionNode {
  const { name, receiver, args } = called;
  const macro = MACROS.find((known) => known === name);
  if (macro !== undefined) return convertComprehension({ macro, range: receiver, args }, place);
  return convertCall({ form: 'method', name, args: [receiver, ...args] }, place);
}

function convertCall(
  call: {
    readonly form: 'function' | 'method';
    readonly name: string;
    readonly args: readonly ASTNode[];
  },
  place: Place,
): ExpressionNode {
  const { form, name, args } = call;
  if (name === 'matches') {
    throw new ExpressionRefusal(
      'matches() is not available, because a pattern can take exponential time; ' +
        'use startsWith(), endsWith(), contains() or split()',
    );
  }
  const called = FUNCTIONS.get(name);
  if (called === undefined || !called.forms.includes(form)) {
    const known = [...FUNCTIONS].filter(([, one]) => one.forms.includes(form)).map(([one]) => one);
    throw new ExpressionRefusal(
      `unknown ${form} ${name}(): the ${form}s are ${(form === 'function' ? ['has', ...known] : [...known, ...MACROS]).join(', ')}`,
    );
  }
  if (args.length < called.argsMin || args.length > called.argsMax) {
    throw new ExpressionRefusal(`${name}() called with a wrong number of arguments`);
  }
  return { kind: 'call', name, args: args.map((arg) => convertNode(arg, place)) };
}

const MACROS: readonly Macro[] = ['all', 'exists', 'exists_one', 'filter', 'map'];

function convertComprehension(
  comprehension: {
    readonly macro: Macro;
    readonly range: ASTNode;
    readonly args: readonly ASTNode[];
  },
  place: Place,
): ExpressionNode {
  const { macro, range, args } = comprehension;
  const [name, ...steps] = args;
  const [first, second] = steps;
  if (name?.op !== 'id' || first === undefined || steps.length > (macro === 'map' ? 2 : 1)) {
    throw new ExpressionRefusal(`${macro}() takes a variable and an expression over it`);
  }
  const inner = {
    ...place,
    comprehensions: place.comprehensions + 1,
    names: [...place.names, name.args],
  };
  if (inner.comprehensions > COMPREHENSIONS_MAX) {
    throw new ExpressionRefusal(`more than ${COMPREHENSIONS_MAX} comprehensions in one another`);
  }
  return {
    kind: 'comprehension',
    macro,
    range: convertNode(range, place),
    variable: name.args,
    filter: second === undefined ? null : convertNode(first, inner),
    body: convertNode(second ?? first, inner),
  };
}
