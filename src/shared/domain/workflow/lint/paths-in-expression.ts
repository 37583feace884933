import {
  EXPRESSION_VARIABLES,
  type Expression,
  type ExpressionNode,
  type ExpressionVariable,
  type PathNode,
} from '../../expression/expression.ts';

/** A path that is read. Null stands for a key that is worked out: any position or member. */
export interface ReadPath {
  readonly variable: ExpressionVariable;
  readonly keys: readonly (string | number | null)[];
  /** Whether the author tests for its existence, and so knows that it may be missing. */
  readonly isAskedFor: boolean;
}

/** The paths that an expression reads, those over the items of a comprehension included. */
export function pathsInExpression({ root }: Expression): readonly ReadPath[] {
  const paths: ReadPath[] = [];
  collect(root, new Map(), paths);
  const asked = paths.filter(({ isAskedFor }) => isAskedFor);
  return paths.map((path) => ({
    ...path,
    isAskedFor: asked.some((other) => isBelow(path, other)),
  }));
}

type Bound = Pick<ReadPath, 'variable' | 'keys'> | null;
type Names = ReadonlyMap<string, Bound>;

function collect(node: ExpressionNode, names: Names, paths: ReadPath[]): void {
  const each = (nodes: readonly ExpressionNode[]) => {
    for (const inner of nodes) collect(inner, names, paths);
  };
  switch (node.kind) {
    case 'literal':
      return;
    case 'variable':
    case 'path':
      return collectPath(node, { names, paths, isAskedFor: false });
    case 'has':
      return collectPath(node.path, { names, paths, isAskedFor: true });
    case 'not':
    case 'negate':
      return each([node.operand]);
    case 'binary':
      return each([node.left, node.right]);
    case 'logical':
      return each(node.operands);
    case 'conditional':
      return each([node.condition, node.whenTrue, node.whenFalse]);
    case 'list':
      return each(node.items);
    case 'map':
      return each(node.entries.flat());
    case 'call':
      return each(node.args);
    case 'comprehension': {
      each([node.range]);
      const range = pathOf(node.range, names);
      const item = range === null ? null : { ...range, keys: [...range.keys, null] };
      const inner = new Map([...names, [node.variable, item]]);
      for (const part of [node.filter, node.body]) {
        if (part !== null) collect(part, inner, paths);
      }
    }
  }
}

function collectPath(
  node: ExpressionNode,
  at: { readonly names: Names; readonly paths: ReadPath[]; readonly isAskedFor: boolean },
): void {
  const path = pathOf(node, at.names);
  if (path !== null && path.keys.length > 0) {
    at.paths.push({ ...path, isAskedFor: at.isAskedFor });
  }
  for (let step = node; step.kind === 'path'; step = step.target) {
    if (step.key.kind !== 'literal') collect(step.key, at.names, at.paths);
    if (path === null && step.target.kind !== 'path') collect(step.target, at.names, at.paths);
  }
}

/** Null: it begins with something else than a variable. */
function pathOf(node: ExpressionNode, names: Names): Bound {
  if (node.kind === 'variable') {
    if (names.has(node.name)) return names.get(node.name) ?? null;
    const variable = EXPRESSION_VARIABLES.find((known) => known === node.name);
    return variable === undefined ? null : { variable, keys: [] };
  }
  if (node.kind !== 'path') return null;
  const target = pathOf(node.target, names);
  return target === null ? null : { ...target, keys: [...target.keys, keyOf(node)] };
}

function keyOf({ key }: PathNode): string | number | null {
  if (key.kind !== 'literal') return null;
  return typeof key.value === 'string' || typeof key.value === 'number' ? key.value : null;
}

function isBelow(path: ReadPath, other: ReadPath): boolean {
  return (
    path.variable === other.variable && other.keys.every((key, index) => path.keys[index] === key)
  );
}
