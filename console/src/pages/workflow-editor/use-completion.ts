import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

import { call } from '../../api/client.ts';
import { suggest } from './suggest.ts';

/** Completion from the JSON Schema of definitions that the service publishes. */
export function useCompletion(): (context: CompletionContext) => Promise<CompletionResult | null> {
  const client = useQueryClient();
  return useCallback(
    async (context) => {
      const isAsked = context.explicit || context.matchBefore(/[\w$.-]+$/) !== null;
      if (!isAsked) return null;
      const schema = await client.ensureQueryData({
        queryKey: ['workflow-schema'],
        queryFn: ({ signal }) => call('get-workflow-schema', { signal }),
        staleTime: Infinity,
      });
      const found = suggest(context.state.doc.toString(), context.pos, schema);
      if (found === null || found.list.length === 0) return null;
      return {
        from: found.from,
        options: found.list.map(({ label, apply, info, isKey }) => ({
          label,
          apply,
          type: isKey ? 'property' : 'enum',
          ...(info === null ? {} : { info }),
        })),
        validFor: /^[\w$.-]*$/,
      };
    },
    [client],
  );
}
