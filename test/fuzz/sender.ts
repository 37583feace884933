import { exchange, type Exchange } from '../support/exchange.ts';
import { judgeAnswer, judgeRaw, type Verdict } from './judge.ts';
import type { Ledger, OperationCounts } from './ledger.ts';
import type { RawShape } from './raw-shapes.ts';
import { bytesOf, draftOf, simplerThan, type FuzzRequest } from './requests.ts';

/** A server that no request may reach. */
export interface Trap {
  readonly port: number;
  readonly visits: () => number;
}

/** Sends requests and shapes to one process, and records the rules that the answers break. */
export class Sender {
  readonly #port: number;
  readonly #ledger: Ledger;
  readonly #trap: Trap;

  constructor(params: { readonly url: string; readonly ledger: Ledger; readonly trap: Trap }) {
    this.#port = Number(new URL(params.url).port);
    this.#ledger = params.ledger;
    this.#trap = params.trap;
  }

  /**
   * Returns the status, 0 without an answer. `counted`: how to count the answer; null: a
   * repetition, which doesn't count.
   */
  async send(request: FuzzRequest, counted: keyof OperationCounts | null): Promise<number> {
    const visits = this.#trap.visits();
    const { status, verdicts, got } = await this.#judge(request);
    this.#ledger.requests += 1;
    if (counted !== null) this.#ledger.countAnswer(request.operation.name, counted, status);
    for (const verdict of verdicts) {
      this.find(verdict, await this.#shrink(request, verdict.rule), got);
    }
    if (this.#trap.visits() > visits) {
      const detail = 'the watched server was asked';
      this.find({ rule: 'no request reaches an internal server', detail }, request, got);
    }
    if (counted === 'valid' && status >= 400) {
      this.#ledger.misses.set(request.operation.name, describeExchange(got));
    }
    return status;
  }

  async sendShape(shape: RawShape): Promise<void> {
    const { name, parts, expected, isCutOff } = shape;
    const got = await exchange({
      port: this.#port,
      parts,
      answersDue: expected.length,
      isCutOff,
      msMax: SHAPE_MS_MAX,
    });
    this.#ledger.requests += 1;
    this.#ledger.countShape(name);
    for (const verdict of judgeRaw(got, shape)) {
      this.#ledger.find(`socket ${verdict.rule} ${verdict.detail}`, {
        ...verdict,
        operation: 'socket',
        mutations: [name],
        bytes: Buffer.concat(parts),
        answer: describeExchange(got),
      });
    }
  }

  find(verdict: Verdict, request: FuzzRequest, got: Exchange | null): void {
    const { name } = request.operation;
    this.#ledger.find(`${name} ${verdict.rule} ${got?.answers[0]?.status ?? ''}`, {
      ...verdict,
      operation: name,
      mutations: request.mutations.map((mutation) => mutation.name),
      bytes: bytesOf(request),
      answer: got === null ? '' : describeExchange(got),
    });
  }

  async #judge(request: FuzzRequest): Promise<{
    readonly status: number;
    readonly verdicts: readonly Verdict[];
    readonly got: Exchange;
  }> {
    const { method } = draftOf(request);
    const got = await exchange({
      port: this.#port,
      parts: [bytesOf(request)],
      answersDue: 1,
      isHead: method === 'HEAD',
      streamMsMax: STREAM_MS_MAX,
    });
    const [answer] = got.answers;
    if (answer === undefined) {
      const detail = `${got.end} after ${got.ms.toFixed(0)} ms`;
      return { status: 0, verdicts: [{ rule: 'every request is answered', detail }], got };
    }
    const verdicts = [...judgeAnswer(answer, request.operation, method)];
    if (got.answers.length > 1) {
      const detail = `${got.answers.length} answers`;
      verdicts.push({ rule: 'one request has one answer', detail });
    }
    return { status: answer.status, verdicts, got };
  }

  /** Removes one change after another while the request still breaks the rule. */
  async #shrink(request: FuzzRequest, rule: string): Promise<FuzzRequest> {
    for (const simpler of simplerThan(request)) {
      const { verdicts } = await this.#judge(simpler);
      if (verdicts.some((verdict) => verdict.rule === rule)) return this.#shrink(simpler, rule);
    }
    return request;
  }
}

/** Longer than the server waits for a whole request. */
const SHAPE_MS_MAX = 45_000;
/** How long the sender reads the events of a stream. */
const STREAM_MS_MAX = 100;

function describeExchange({ answers, end, ms }: Exchange): string {
  const told = answers
    .slice(0, 3)
    .map(({ status, body }) => `${status} ${body.toString().slice(0, 600)}`);
  return [...told, `(${end} after ${ms.toFixed(0)} ms)`].join('\n');
}
