import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';

import { useOutage } from '../api/outage.ts';
import { Button } from '../ui/controls/button.tsx';
import { Menu } from '../ui/controls/menu.tsx';
import { Loading } from '../ui/feedback/states.tsx';
import { Toasts } from '../ui/feedback/toast.tsx';
import { CommandPalette } from './command-palette.tsx';
import styles from './frame.module.css';
import { PLACES } from './navigation.ts';
import { toggleTheme, toggleTimeZone, useTheme, useTimeZone } from './preferences.ts';
import { useSession } from './session.tsx';
import { TenantSwitcher } from './tenant-switcher.tsx';
import { useShortcuts } from './use-shortcuts.ts';

/** The frame around every page: menu, tenant, outage, command palette. */
export function Frame() {
  // A visit of another page closes the menu.
  const [menuOpenAt, setMenuOpenAt] = useState<string | null>(null);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const menuOpen = menuOpenAt === path;
  useShortcuts({
    'mod+k': () => setPaletteOpen(true),
    '/': () => main.current?.querySelector<HTMLElement>('[data-filter]')?.focus(),
  });
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main" onClick={() => main.current?.focus()}>
        Skip to the page
      </a>
      <header className={styles.top}>
        <Button
          kind="quiet"
          className={styles.menuButton}
          aria-expanded={menuOpen}
          aria-controls="places"
          aria-label="Menu"
          onClick={() => setMenuOpenAt(menuOpen ? null : path)}
        >
          ☰
        </Button>
        <Link to="/" className={styles.brand}>
          svc
        </Link>
        <TenantSwitcher />
        <span className={styles.gap} />
        <Button onClick={() => setPaletteOpen(true)} aria-keyshortcuts="Control+K Meta+K">
          Go to… <kbd className={styles.key}>⌘K</kbd>
        </Button>
        <PersonMenu />
      </header>
      <nav id="places" aria-label="Places" className={menuOpen ? styles.navOpen : styles.nav}>
        <Places />
      </nav>
      <main id="main" ref={main} tabIndex={-1} className={styles.main}>
        <OutageBanner />
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <CommandPalette open={paletteOpen} onClose={() => setPaletteOpen(false)} />
      <Toasts />
    </div>
  );
}

function Places() {
  const { can } = useSession();
  return PLACES.map(({ title, places }) => {
    const open = places.filter(({ needs }) => can(...needs));
    return open.length === 0 ? null : (
      <div key={title} className={styles.group}>
        <p className={styles.groupTitle}>{title}</p>
        <ul className={styles.places}>
          {open.map((place) => (
            <li key={place.to}>
              <Link
                to={place.to}
                activeOptions={{ exact: place.to === '/' }}
                className={styles.place}
              >
                {place.title}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    );
  });
}

function PersonMenu() {
  const { who, signOut } = useSession();
  const theme = useTheme();
  const zone = useTimeZone();
  return (
    <Menu
      kind="quiet"
      label={who.authenticated ? (who.name ?? who.role) : 'No sign-in'}
      entries={[
        { label: theme === 'dark' ? 'Light theme' : 'Dark theme', onSelect: toggleTheme },
        {
          label: zone === 'utc' ? 'Times in local time' : 'Times in UTC',
          onSelect: toggleTimeZone,
        },
        ...(who.authenticated ? [{ label: 'Sign out', onSelect: () => void signOut() }] : []),
      ]}
    />
  );
}

function OutageBanner() {
  const since = useOutage();
  return (
    <div role="status">
      {since === null ? null : (
        <p className={styles.outage}>
          The service does not answer. The console tries again and then catches up; nothing you
          typed is lost.
        </p>
      )}
    </div>
  );
}
