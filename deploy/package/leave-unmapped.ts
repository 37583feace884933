import type { Plugin } from 'rolldown';

/**
 * Leaves packages out of the source maps: the maps exist for stacks that name our sources, and half of
 * their size would describe code of others.
 */
export const leaveUnmapped: Plugin = {
  name: 'leave-unmapped',
  transform: {
    filter: { id: /[\\/]node_modules[\\/]/ },
    handler: (code) => ({ code, map: { mappings: '' } }),
  },
};
