import type { Mutation } from './mutations.ts';

const TAGS = 'shared/store/sqlite/work/fair-tags.ts';
const TURNS = 'shared/store/rows/fair-turns.ts';
const CLASS_TAG = 'Math.min(Math.max(last.tag, lowest), head.tag)';

/** Bugs of fairness between keys. */
export const FAIR_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'a key that joins a queue waits for all others',
    file: TAGS,
    from: 'order by seq\n  limit 1`;',
    to: 'order by seq desc\n  limit 1`;',
  },
  {
    bug: 'all items of a key have one turn',
    file: TAGS,
    from: 'if (last !== undefined) return',
    to: 'if (last !== undefined && last.seq > 0) return',
  },
  {
    bug: 'all keys of fairness are one',
    file: TAGS,
    from: 'and ${SHARE_KEY} = :share',
    to: 'and :share <> 0',
  },
  {
    bug: 'a released item returns to a tag from before the queue was empty',
    file: 'shared/store/sqlite/work/queue.ts',
    from: 'tagReturned(connection, { queueKey, queueName, priority, tag: item.seq })',
    to: 'item.seq',
  },
  {
    bug: 'the weight of a key changes nothing',
    file: 'shared/domain/work/fair-queue.ts',
    from: 'Math.ceil(TAGS_PER_TURN / weight)',
    to: 'weight > 0 ? TAGS_PER_TURN : 0',
  },
  {
    bug: 'items without a key go before all keys',
    file: TURNS,
    from: CLASS_TAG,
    to: 'lowest',
  },
  {
    bug: 'keys go before all items without a key',
    file: TURNS,
    from: `last.priority === head.priority ? ${CLASS_TAG} : lowest`,
    to: 'last.priority > head.priority ? lowest : head.tag',
  },
  {
    bug: 'items without a key wait for a key that has one item at a time',
    file: TURNS,
    from: 'tag: known.last.tag - back }',
    to: 'tag: known.last.tag }',
  },
  {
    bug: 'the fairness that a start brings is lost',
    file: 'shared/domain/workflow/flow/given-rules.ts',
    from: 'const written = given?.fairness ?? null;',
    to: 'const written = given?.rate ?? null;',
  },
  {
    bug: 'the record of an item has no key',
    file: 'shared/engine/commit/collect-effects.ts',
    from: 'own?.ok === true ? withShare(context, effect, own.name) : null',
    to: 'own?.ok === true ? own.name : null',
  },
];
