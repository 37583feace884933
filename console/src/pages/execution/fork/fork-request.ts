import type { BodyOf, ReplyOf } from '../../../api/client.ts';

/** Where a fork leaves its original: at the last visit of a node, or after an event. */
export type ForkFrom =
  | {
      readonly node: string;
      /** `failed`: a map keeps the items that succeeded. */
      readonly items?: 'failed';
    }
  | { readonly sequence: number };

export type ForkBody = BodyOf<'fork-execution'>;
export type Patch = NonNullable<ForkBody['patch']>;
export type Preview = Extract<ReplyOf<'fork-execution'>, { readonly begins: unknown }>;

export function bodyOf(
  from: ForkFrom,
  more: { readonly patch: Patch; readonly isLatest: boolean },
): ForkBody {
  return {
    ...('sequence' in from ? { at: from.sequence } : { at: from.node }),
    ...('items' in from ? { items: from.items } : {}),
    ...(Object.keys(more.patch).length === 0 ? {} : { patch: more.patch }),
    ...(more.isLatest ? { revision: 'latest' as const } : {}),
  };
}

export function commandOf(id: string, { at, items, patch, revision }: ForkBody): string {
  return [
    `svc execution fork ${id} --at ${at}`,
    ...(items === 'failed' ? ['--failed-items'] : []),
    ...(patch === undefined ? [] : [`--patch ${quote(JSON.stringify(patch))}`]),
    ...(revision === 'latest' ? ['--latest'] : []),
  ].join(' ');
}

/** For a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
