import type { ExecutionStatus } from '../status.ts';
import type { ExecutionId } from '../../ids.ts';

/** One condition of a query. An execution fits a query if it fits each of its conditions. */
export type Condition =
  | StatusCondition
  | IdCondition
  | TextCondition
  | ClassCondition
  | ContainsCondition
  | LabelCondition
  | WaitingCondition
  | TimeCondition;

export interface StatusCondition {
  readonly field: 'status';
  readonly operator: SetOperator;
  readonly values: readonly ExecutionStatus[];
}

export interface IdCondition {
  readonly field: 'id' | 'parent';
  readonly operator: SetOperator;
  readonly values: readonly ExecutionId[];
}

export interface TextCondition {
  readonly field: 'workflow' | 'version';
  readonly operator: SetOperator;
  readonly values: readonly string[];
}

/** The class of the error that an execution failed with. */
export interface ClassCondition {
  readonly field: 'error_class';
  readonly operator: 'in';
  readonly values: readonly string[];
}

/** The case of ASCII letters does not matter. */
export interface ContainsCondition {
  readonly field: 'workflow' | 'version' | 'error';
  readonly operator: 'contains';
  readonly text: string;
}

/** `not_in` also fits an execution without the label. */
export type LabelCondition = {
  readonly field: 'labels';
  /** The name of the label. */
  readonly label: string;
} & (
  | { readonly operator: SetOperator; readonly values: readonly string[] }
  | { readonly operator: 'contains'; readonly text: string }
);

/** Whether it waits for a place before it begins. */
export interface WaitingCondition {
  readonly field: 'waiting';
  readonly operator: 'is';
  readonly value: boolean;
}

export interface TimeCondition {
  readonly field: 'started' | 'ended';
  readonly operator: TimeOperator;
  readonly at: Moment;
}

/** One of the values, or none of them. */
export type SetOperator = 'in' | 'not_in';

export const TIME_OPERATORS = ['>', '>=', '<', '<='] as const;
export type TimeOperator = (typeof TIME_OPERATORS)[number];

/** An ISO instant, or so long before the query is used. */
export type Moment = { readonly instant: string } | { readonly agoMs: number };
