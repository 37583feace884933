import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { McpToolSpec } from '../../../../src/shared/nodes/mcp-tool/spec.ts';
import type { ToolSpec } from '../../../../src/shared/nodes/tool/spec.ts';
import { accept, lines, read } from '../../domain/workflow/read.ts';

const HTTP = { kind: 'http', reference: 'https://shop.example/{id}' };

function toolNode(tool: JsonObject, node: JsonObject = {}): JsonObject {
  return {
    tools: { t: tool },
    nodes: { a: { kind: { type: 'tool', tool_ref: 't', ...node } } },
  };
}

const REFUSED: readonly (readonly [title: string, ir: JsonObject, problems: readonly string[]])[] =
  [
    [
      'no reference to a tool',
      { nodes: { a: { kind: 'tool' } } },
      ['/nodes/a/tool_ref: missing tool_ref'],
    ],
    [
      'a tool that does not exist',
      { nodes: { a: { kind: { type: 'tool', tool_ref: 'x' } } } },
      ['/nodes/a/kind/tool_ref: no tool "x" that can be called is in tools'],
    ],
    [
      'a tool that cannot be called: its own problem and the node’s',
      toolNode({ kind: 'http', reference: 'https://{host}/' }),
      [
        '/tools/t/reference: must begin with http:// or https:// and a host, written out: values may only stand in the path and the query',
        '/nodes/a/kind/tool_ref: no tool "t" that can be called is in tools',
      ],
    ],
    [
      'a tool that nobody uses and that cannot be called',
      { tools: { t: { kind: 'python', reference: 'module' } }, nodes: {} },
      ['/tools/t/reference: must be module:function'],
    ],
    [
      'a tool of MCP without a tool',
      { tools: { t: { kind: 'mcp', reference: 'server' } }, nodes: {} },
      ['/tools/t/reference: must be server/tool'],
    ],
    [
      'an MCP tool without server and tool',
      { nodes: { a: { kind: 'mcp_tool' } } },
      ['/nodes/a/server: missing server', '/nodes/a/tool: missing tool'],
    ],
    [
      'an MCP server whose command is missing',
      {
        mcp_servers: { s: { transport: 'stdio' } },
        nodes: { a: { kind: { type: 'mcp_tool', server: 's', tool: 't' } } },
      },
      ['/mcp_servers/s/command: missing command'],
    ],
  ];

for (const [title, ir, problems] of REFUSED) {
  test(`refused: ${title}`, (t) => {
    const result = read({ workflow_id: 'w', ...ir });
    t.deepEqual(result.ok ? [] : lines(result.problems), problems);
  });
}

test('a server that is not of the definition is warned about: the operator may have it', (t) => {
  const { warnings } = accept({
    tools: { t: { kind: 'mcp', reference: 'files/read' } },
    nodes: {
      a: { kind: { type: 'tool', tool_ref: 't' } },
      b: { kind: { type: 'mcp_tool', server: 'files', tool: 'read' } },
    },
    start_node: 'a',
    edges: [{ from: 'a', to: 'b' }],
  });
  const words =
    '"files" is not among mcp_servers: the node fails unless the operator has configured an MCP server of that name';
  t.deepEqual(lines(warnings), [`/tools/t/reference: ${words}`, `/nodes/b/kind/server: ${words}`]);
});

test('the input of a worker’s tool is not checked, which is warned about', (t) => {
  const tool = { kind: 'python', reference: 'm:f', input_schema: {} };
  t.deepEqual(lines(accept(toolNode(tool)).warnings), [
    '/tools/t/input_schema: is not checked: a worker is given the input as it is',
  ]);
});

test('a tool of a worker goes to its queue with the schema of the node, else of the tool', (t) => {
  const ofTool = { type: 'object', title: 'tool' };
  const ofNode = { type: 'object', title: 'node' };
  const tool = { kind: 'python', reference: 'm.n:f', output_schema: ofTool };
  const specOf = (node: JsonObject) =>
    accept(toolNode(tool, node)).plan.nodes.get('a')?.spec as ToolSpec;
  t.deepEqual(specOf({}), {
    ref: 't',
    names: ['t', 'm.n.f'],
    does: { kind: 'python', module: 'm.n', function: 'f' },
    outputSchema: ofTool,
    quota: { concurrency: null, rate: null },
  });
  t.deepEqual(specOf({ output_schema: ofNode }).outputSchema, ofNode);
});

test('a tool that the engine calls must satisfy both schemas', (t) => {
  const ofTool = { type: 'object', title: 'tool' };
  const ofNode = { type: 'object', title: 'node' };
  const ir = toolNode({ ...HTTP, output_schema: ofTool }, { output_schema: ofNode });
  const spec = accept(ir).plan.nodes.get('a')?.spec as ToolSpec;
  t.deepEqual(spec.does.kind === 'call' ? spec.does.tool.outputSchemas : [], [ofTool, ofNode]);
});

test('a tool’s other names say the same', (t) => {
  const spec = (tool: JsonObject) => accept(toolNode(tool)).plan.nodes.get('a')?.spec;
  t.deepEqual(spec({ type: 'http', url: HTTP.reference }), spec(HTTP));
});

test('an MCP tool is called by server and tool, and a slash in the tool is its own', (t) => {
  const { plan } = accept({
    mcp_servers: { s: { url: 'https://s.example/mcp' } },
    tools: { t: { kind: 'mcp', reference: 's/a/b' } },
    nodes: {
      a: { kind: { type: 'mcp_tool', server: 's', tool: 'a/b' } },
      b: { kind: { type: 'tool', tool_ref: 't' } },
    },
    start_node: 'a',
    edges: [{ from: 'a', to: 'b' }],
  });
  const [a, b] = ['a', 'b'].map((id) => plan.nodes.get(id));
  t.is(a?.kind.tool?.(a.spec), 's.a/b');
  t.is(b?.kind.tool?.(b.spec), 't');
  const spec = plan.nodes.get('b')?.spec as ToolSpec;
  const mcp = plan.nodes.get('a')?.spec as McpToolSpec;
  t.deepEqual(spec.does.kind === 'call' ? spec.does.tool.target : null, mcp.tool.target);
});
