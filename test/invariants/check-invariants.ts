import { asLastSeen } from './as-last-seen.ts';
import { checkAnswers } from './checks/check-answers.ts';
import { checkApprovals } from './checks/check-approvals.ts';
import { checkArchives, type Archiving } from './checks/check-archives.ts';
import { checkAudit } from './checks/check-audit.ts';
import { checkBudgets, type BudgetOf } from './checks/check-budgets.ts';
import { checkBuilds } from './checks/check-builds.ts';
import { checkConcurrency, checkTenantOrder, type KeyOf } from './checks/check-concurrency.ts';
import { checkStarts, type StartRule } from './checks/check-starts.ts';
import { checkEffects } from './checks/check-effects.ts';
import { checkEventsTaken } from './checks/check-events-taken.ts';
import { checkForks } from './checks/check-forks.ts';
import { checkFunctions } from './checks/check-functions.ts';
import { checkFamilies } from './checks/check-families.ts';
import { checkLabelRows, checkLabels, type LabelsOf } from './checks/check-labels.ts';
import { checkImports } from './checks/check-imports.ts';
import { checkHistories } from './checks/check-histories.ts';
import { checkOperations } from './checks/check-operations.ts';
import { checkPauses } from './checks/check-pauses.ts';
import { checkPlaces } from './checks/check-places.ts';
import { checkQuotas } from './checks/check-quotas.ts';
import { checkWorkflowPauses } from './checks/check-workflow-pauses.ts';
import { checkRecency } from './checks/check-recency.ts';
import { checkResults, type SeenWait } from './checks/check-results.ts';
import { checkRest } from './checks/check-rest.ts';
import { checkRetired, type KeptDays } from './checks/check-retired.ts';
import { checkRetries } from './checks/check-retries.ts';
import { checkSent } from './checks/check-sent.ts';
import { checkSchedules } from './checks/check-schedules.ts';
import { checkSuspensions } from './checks/check-suspensions.ts';
import { checkTenants } from './checks/check-tenants.ts';
import { checkTurns, type SeenClaim, type ShareOf } from './checks/check-turns.ts';
import { checkTenantTurns, type SeenEngineClaim } from './checks/check-tenant-turns.ts';
import { checkTransactions } from './checks/check-transactions.ts';
import { checkUndos } from './checks/check-undos.ts';
import { checkWebhooks, type Receipt } from './checks/check-webhooks.ts';
import { checkWork } from './checks/check-work.ts';
import type { Dump } from './dump.ts';
import type { History } from './history.ts';
import type { Violation } from './violation.ts';
import { withoutImported } from './without-imported.ts';

/**
 * Checks everything that must hold through all failures, in the requests and answers of clients and
 * in dumps of the tables, oldest first. All rules follow from the interface document and
 * ARCHITECTURE.md, none from the implementation.
 */
export function checkInvariants(params: {
  readonly history: History;
  readonly dumps: readonly Dump[];
  /**
   * By the database's clock: no fault occurs from this moment. The last dump is taken long after
   * it.
   */
  readonly wellSince: number;
  /** How many executions a tenant may have, without children that wait or borrow a place. */
  readonly limits: Readonly<Record<string, number>>;
  /** Budgets by the workflows that have one. */
  readonly budgets?: Readonly<Record<string, BudgetOf>>;
  /** Keys of concurrency by the workflows that have one. */
  readonly keys?: Readonly<Partial<Record<string, KeyOf>>>;
  /** When executions begin, by the workflows that have such a rule. */
  readonly startRules?: Readonly<Partial<Record<string, StartRule>>>;
  /** Labels by the workflows that give some; absent: not known. */
  readonly labelled?: Readonly<Partial<Record<string, LabelsOf>>>;
  /** Keys of fairness by the workflows that have one. */
  readonly shares?: Readonly<Partial<Record<string, ShareOf>>>;
  /** The claims that got items, in the order in which the store carried them out. */
  readonly claims?: readonly SeenClaim[];
  /** The claims of schedulers on the queue of the engine, in that order. */
  readonly engineClaims?: readonly SeenEngineClaim[];
  /** The state keys of outputs by workflows; null: the output is the state. */
  readonly outputKeys?: Readonly<Partial<Record<string, string | null>>>;
  /** How long requests for results waited; absent: not seen. */
  readonly waits?: readonly SeenWait[];
  readonly receipts?: readonly Receipt[];
  /** How long executions are kept without a policy; by default forever. */
  readonly keptDays?: KeptDays;
  /** Absent: nothing is archived. */
  readonly archiving?: Archiving;
}): Violation[] {
  const { wellSince, limits, receipts = [] } = params;
  const { history, dumps } = asLastSeen(withoutImported(params));
  const last = dumps.at(-1);
  if (last === undefined) return [];
  return [
    ...checkRetired(params.dumps, params.keptDays),
    ...checkArchives(params.archiving, {
      dump: params.dumps.at(-1) ?? last,
      seen: last,
      history: params.history,
    }),
    ...checkImports(params.dumps, params.history, last),
    ...checkHistories(dumps, history),
    ...checkWork(dumps, history),
    ...checkAnswers(last, history),
    ...checkSent(last, history),
    ...checkRecency(last, history),
    ...checkResults(last, history, params),
    ...checkApprovals(last, history),
    ...checkEventsTaken(last),
    ...checkEffects(last, history),
    ...checkOperations(last, history),
    ...checkFamilies(last),
    ...checkFunctions(dumps, history),
    ...checkBuilds(last, history),
    ...checkBudgets(dumps, history, params.budgets),
    ...checkAudit(last, history),
    ...checkSchedules(dumps),
    ...checkWebhooks(last, receipts),
    ...checkSuspensions(last, history),
    ...checkPauses(dumps, history),
    ...checkWorkflowPauses(dumps, history),
    ...checkRetries(last, history),
    ...checkForks(last, history),
    ...params.dumps.flatMap(checkLabelRows),
    ...checkLabels(last, history, params.labelled),
    ...checkPlaces(dumps),
    ...checkUndos(last),
    ...checkQuotas(dumps, history, params.claims),
    ...checkConcurrency(dumps, history, params.keys),
    ...checkStarts(last, history, params.startRules),
    ...checkTurns(dumps, params.claims, params.shares),
    ...checkTenantTurns(params.engineClaims),
    ...checkTransactions(last),
    ...checkTenants(dumps, history, limits),
    ...checkTenantOrder(last, {
      limits,
      apart: new Set([params.keys, params.startRules].flatMap((of) => Object.keys(of ?? {}))),
    }),
    ...checkRest(dumps, wellSince),
  ];
}
