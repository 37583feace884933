import document from '../../../docs/worker-cases.json' with { type: 'json' };

import { usageError } from '../../cli/exit-code.ts';

/*
 * The cases that a worker is checked with, as `docs/worker-cases.json` holds them.
 * `docs/reference/worker-conformance.md` explains every member.
 */

export interface CaseFile {
  /** Rules that every case checks. */
  readonly always: readonly Rule[];
  readonly cases: readonly Case[];
}

export interface Rule {
  readonly name: string;
  readonly rule: string;
  /** Page and section that have the rule, below `docs/reference/`. */
  readonly see: string;
}

export interface Case extends Rule {
  /** `tool:check.trace`, or a member that the worker's claims have: absent ones make the case not apply. */
  readonly needs?: readonly string[];
  /** True: the runtime knows only the four calls of the contract, and only their members. */
  readonly plain?: boolean;
  readonly items: readonly CaseItem[];
  readonly mischief?: readonly Mischief[];
  readonly signal?: { readonly send: NodeJS.Signals; readonly when: Moment };
  readonly until: Until;
  readonly expect: readonly Expectation[];
}

export interface CaseItem {
  readonly name: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly queue_type?: 'python_tool' | 'function';
  readonly lease_ms?: number;
  /** Null: the item has no such member. */
  readonly heartbeat_interval_ms?: number | null;
  /** Null: the item has no key, as of an engine older than the member. */
  readonly idempotency_key?: null;
  /** Members that the item has beside its own, or in their place; null removes one. */
  readonly with?: Readonly<Record<string, unknown>>;
  /** Given to each claim, as by a runtime that knows no `tools`. */
  readonly ignores_tools?: boolean;
  /** Absent: it waits from the start. */
  readonly after?: Moment;
}

export type CallKind =
  | 'claim'
  | 'heartbeat'
  | 'complete'
  | 'fail'
  | 'release'
  | 'steps'
  | 'suspend'
  | 'continue'
  | 'journal'
  | 'register'
  | 'unknown';

/** Picks calls. An item of a claim is one that the claim has got. */
export interface Filter {
  readonly kind: CallKind | readonly CallKind[];
  readonly item?: string;
  /** Null: the worker got no answer. */
  readonly status?: number | null;
}

/** The answer to the nth such call, from 1, or the lease of an item, and so many milliseconds more. */
export type Moment = (
  { readonly call: Filter; readonly nth?: number } | { readonly leased: string }
) & { readonly then_ms?: number };

export type Until =
  | { readonly ended: readonly string[]; readonly quiet_ms?: number }
  | { readonly calls: Filter; readonly count: number; readonly quiet_ms?: number }
  | { readonly passed_ms: number }
  | { readonly exit: true };

export interface Mischief {
  readonly on: Filter;
  /** Only so many calls, the first ones. */
  readonly first?: number;
  /** Only calls that begin so soon after the first one that fits `on`. */
  readonly for_ms?: number;
  readonly do: MischiefAction;
}

export type MischiefAction =
  /** The request is not served. */
  | {
      readonly answer: {
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: unknown;
        /** In place of `body`: text that is no JSON. */
        readonly text?: string;
        /** One result among the others, where several calls travel together. */
        readonly alone?: boolean;
      };
    }
  /** The connection breaks before the request is served, or after. */
  | { readonly lose: 'request' | 'answer' }
  | { readonly delay_ms: number }
  /** Members that the answer has beside its own. */
  | { readonly add: Readonly<Record<string, unknown>> }
  /** The lease is taken back first. `again`: the item waits for the next claim. */
  | { readonly take_back: 'again' | 'ended' };

export type Expectation =
  | { readonly calls: Filter; readonly count: number | Range }
  | { readonly calls: Filter; readonly have: Readonly<Record<string, unknown>> }
  /** All of them have the same values. */
  | { readonly calls: Filter; readonly same: readonly string[] }
  /** Time from the answer to one until the next begins. */
  | { readonly calls: Filter; readonly pace: Range; readonly first?: number }
  | { readonly never: Filter; readonly after: Moment; readonly for_ms?: number }
  | { readonly exit: { readonly code: number | 'not 0'; readonly within_ms: number } }
  | { readonly any_of: readonly (readonly Expectation[])[] };

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

export const CASE_FILE = withRepeats(document) as CaseFile;

/** Long texts stand as `{"$repeat": [text, times]}`. */
function withRepeats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRepeats);
  if (typeof value !== 'object' || value === null) return value;
  if ('$repeat' in value) {
    const [text, times] = value.$repeat as readonly [string, number];
    return text.repeat(times);
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withRepeats(part)]));
}

/** The cases of these names, in the order of the file; no name means all. */
export function selectCases(names: readonly string[]): readonly Case[] {
  const { cases } = CASE_FILE;
  for (const name of names) {
    if (!cases.some((one) => one.name === name)) {
      throw usageError(`there is no case ${name}; svc worker check --list names all`);
    }
  }
  return names.length === 0 ? cases : cases.filter(({ name }) => names.includes(name));
}
