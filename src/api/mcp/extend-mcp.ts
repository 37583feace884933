import type { McpServer } from '@modelcontextprotocol/server';

/** Adds tools from elsewhere, such as those that a conformance kit calls. */
export type ExtendMcp = (server: McpServer) => void;
