import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { pace, timed } from '../../api/pace.ts';
import { useSession } from '../../app/session.tsx';
import styles from './page.module.css';
import {
  countDeadLetters,
  countExecutions,
  countPending,
  countWorkers,
  type Figure,
} from './read-figures.ts';

interface Tile {
  readonly title: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** The route of the API that says the figure. */
  readonly needs: readonly [method: string, path: string];
  readonly read: (signal: AbortSignal) => Promise<Figure>;
}

const FAILED = 'status = failed and ended > -24h';

const TILES: readonly Tile[] = [
  {
    title: 'Running',
    to: '/executions',
    search: { status: 'running' },
    needs: ['GET', '/executions/counts'],
    read: (signal) => countExecutions('status = running', signal),
  },
  {
    title: 'Failed in the last 24 hours',
    to: '/executions',
    search: { q: FAILED },
    needs: ['GET', '/executions/counts'],
    read: (signal) => countExecutions(FAILED, signal),
  },
  {
    title: 'Waiting for a person',
    to: '/inbox',
    needs: ['GET', '/approvals'],
    read: countPending,
  },
  {
    title: 'Dead letters',
    to: '/failures',
    needs: ['GET', '/work-items'],
    read: countDeadLetters,
  },
  { title: 'Tool workers', to: '/workers', needs: ['GET', '/workers'], read: countWorkers },
];

/** Figures that lead to the lists behind them. */
export function Tiles({ everyMs }: { readonly everyMs: number }) {
  const { can } = useSession();
  return (
    <ul aria-label="Figures" className={styles.tiles}>
      {TILES.filter(({ needs }) => can(...needs)).map((tile) => (
        <li key={tile.title}>
          <TileLink tile={tile} everyMs={everyMs} />
        </li>
      ))}
    </ul>
  );
}

function TileLink({ tile, everyMs }: { readonly tile: Tile; readonly everyMs: number }) {
  const { title, to, search = {} } = tile;
  const query = useQuery({
    queryKey: ['home', title],
    queryFn: ({ signal }) => timed(() => tile.read(signal)),
    select: ({ answer }) => answer,
    refetchInterval: ({ state }) => pace(everyMs, state.data),
  });
  return (
    <Link to={to} search={search} className={styles.tile}>
      <span className={styles.figure}>{query.data === undefined ? '–' : write(query.data)}</span>{' '}
      <span>{query.error === null ? title : `${title}: not readable`}</span>
    </Link>
  );
}

function write({ count, isExact }: Figure): string {
  return `${count.toLocaleString('en')}${isExact ? '' : '+'}`;
}
