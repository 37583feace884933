import { NonRetryableError } from '../worker/errors.ts';
import type { EntryUsage } from './journal.ts';

/** The use of a model in a step. */
export interface ModelUsage {
  /** As `gpt-5-mini` or `openai/gpt-5-mini`: svc finds the price by it. */
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars. Absent: svc calculates it when it knows the price of the model. */
  readonly costUsd?: number;
}

/**
 * Adds up what the attempts of a step report. The sum has a cost if each report has one, and a model
 * if all reports name the same: the price of one model says nothing about the tokens of another.
 */
export class UsageSum {
  readonly #reports: ModelUsage[] = [];

  /** @throws NonRetryableError for amounts that are none: another attempt would report them again */
  readonly add = (usage: ModelUsage): void => {
    const { inputTokens, outputTokens, costUsd = 0 } = usage;
    const areTokens = [inputTokens, outputTokens].every(
      (tokens) => Number.isSafeInteger(tokens) && tokens >= 0,
    );
    if (!areTokens || !(costUsd >= 0 && costUsd < Infinity)) {
      const text = JSON.stringify(usage);
      throw new NonRetryableError(
        `usage must be whole numbers of tokens and a cost from 0: ${text}`,
      );
    }
    this.#reports.push(usage);
  };

  /** The member of the entry; none if nothing was reported. */
  get member(): { readonly usage?: EntryUsage } {
    const [first] = this.#reports;
    if (first === undefined) return {};
    const costs = this.#reports.flatMap(({ costUsd }) => costUsd ?? []);
    const isOneModel = this.#reports.every(({ model }) => model === first.model);
    return {
      usage: {
        ...(isOneModel && first.model !== undefined && { model: first.model }),
        input_tokens: sum(this.#reports.map(({ inputTokens }) => inputTokens)),
        output_tokens: sum(this.#reports.map(({ outputTokens }) => outputTokens)),
        ...(costs.length === this.#reports.length && { cost_usd: sum(costs) }),
      },
    };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
