/** A broken rule, with the request that broke it. */
export interface Finding {
  readonly seed: string;
  readonly round: number;
  readonly rule: string;
  readonly detail: string;
  /** A route, `socket`, `workflow` or `process`. */
  readonly operation: string;
  /** The changes to a valid request. */
  readonly mutations: readonly string[];
  readonly bytes: Buffer;
  /** A summary of the answer; empty without one. */
  readonly answer: string;
}

/** The numbers of answers by status; 0 stands for no answer. */
export interface OperationCounts {
  readonly valid: Record<string, number>;
  readonly mutated: Record<string, number>;
}

export interface CampaignReport {
  readonly seed: string;
  readonly rounds: number;
  readonly requests: number;
  /** By route: the answers to valid and to mutated requests. */
  readonly operations: Readonly<Record<string, OperationCounts>>;
  /** How often each shape of bytes was sent. */
  readonly shapes: Readonly<Record<string, number>>;
  /** The outcomes of malicious workflows. */
  readonly workflows: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** Valid requests that were refused while no others were under way. */
  readonly misses: Readonly<Record<string, string>>;
  /** The number of refused requests after which all rows of the database were compared. */
  readonly stateChecked: number;
  /**
   * The number of batches that were not compared, because background work kept changing the
   * database.
   */
  readonly unquiet: number;
  readonly memoryMb: { readonly first: number; readonly highest: number; readonly last: number };
  /** The highest CPU time of one request that was sent alone. */
  readonly longestCpuMs: number;
  readonly longestHealthMs: number;
}

const FINDINGS_MAX = 12;

export class Ledger {
  readonly seed: string;
  round = 0;
  requests = 0;
  stateChecked = 0;
  unquiet = 0;
  longestCpuMs = 0;
  longestHealthMs = 0;
  memoryMb = { first: 0, highest: 0, last: 0 };
  readonly misses = new Map<string, string>();
  readonly #operations = new Map<string, OperationCounts>();
  readonly #shapes: Record<string, number> = {};
  readonly #workflows: Record<string, number> = {};
  readonly #findings = new Map<string, Finding>();

  constructor(params: { readonly seed: string; readonly operations: readonly string[] }) {
    this.seed = params.seed;
    for (const name of params.operations) this.#operations.set(name, { valid: {}, mutated: {} });
  }

  countAnswer(operation: string, counted: keyof OperationCounts, status: number): void {
    const counts = this.#operations.get(operation)?.[counted];
    if (counts !== undefined) add(counts, String(status));
  }

  countShape(name: string): void {
    add(this.#shapes, name);
  }

  countWorkflow(outcome: string): void {
    add(this.#workflows, outcome);
  }

  noteMemory(megabytes: number): void {
    const { first, highest } = this.memoryMb;
    this.memoryMb = {
      first: first === 0 ? megabytes : first,
      highest: Math.max(highest, megabytes),
      last: megabytes,
    };
  }

  /** Keeps the first finding of each kind. */
  find(kind: string, found: Omit<Finding, 'seed' | 'round'>): void {
    if (this.#findings.has(kind)) return;
    this.#findings.set(kind, { seed: this.seed, round: this.round, ...found });
  }

  /** Records a finding about the process, not about one request. */
  findInProcess(rule: string, detail: string): void {
    const found = { rule, detail, operation: 'process', mutations: [], bytes: NOTHING, answer: '' };
    this.find(`process ${rule}`, found);
  }

  hasEnough(): boolean {
    return this.#findings.size >= FINDINGS_MAX;
  }

  summary(): string {
    const { highest, last } = this.memoryMb;
    return (
      `${this.requests} requests, ${this.stateChecked} compared, ${this.#findings.size} findings, ` +
      `memory ${last.toFixed(0)} MB (at most ${highest.toFixed(0)})`
    );
  }

  report(rounds: number): CampaignReport {
    const { seed, requests, stateChecked, unquiet, memoryMb, longestCpuMs, longestHealthMs } = this;
    return {
      seed,
      rounds,
      requests,
      operations: Object.fromEntries(this.#operations),
      shapes: this.#shapes,
      workflows: this.#workflows,
      findings: [...this.#findings.values()],
      misses: Object.fromEntries(this.misses),
      stateChecked,
      unquiet,
      memoryMb,
      longestCpuMs,
      longestHealthMs,
    };
  }
}

const NOTHING = Buffer.alloc(0);

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
