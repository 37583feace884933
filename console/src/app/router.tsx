import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
} from '@tanstack/react-router';
import type { FunctionComponent } from 'react';

import { CONSOLE_URL } from '../api/base.ts';
import { loadModule } from '../api/load-module.ts';
import { EmptyState, ErrorState } from '../ui/feedback/states.tsx';
import { Frame } from './frame.tsx';
import { parseSearch, readSearch, writeSearch } from './search.ts';

const root = createRootRoute({
  component: Frame,
  validateSearch: readSearch,
  errorComponent: ({ error }) => <ErrorState error={error} />,
  notFoundComponent: () => (
    <EmptyState title="There is no such page">
      <Link to="/">Go to the first page</Link>
    </EmptyState>
  ),
});

/** Every page of the console; each is a file that its first visit loads. */
const pages = [
  page('/', () => import('../pages/home/page.tsx').then((room) => room.HomePage)),
  page('/executions', () =>
    import('../pages/executions/page.tsx').then((room) => room.ExecutionsPage),
  ),
  page('/executions/$id', () =>
    import('../pages/execution/page.tsx').then((room) => room.ExecutionPage),
  ),
  page('/executions/$id/compare', () =>
    import('../pages/execution-compare/page.tsx').then((room) => room.ExecutionComparePage),
  ),
  page('/inbox', () => import('../pages/inbox/page.tsx').then((room) => room.InboxPage)),
  page('/failures', () => import('../pages/failures/page.tsx').then((room) => room.FailuresPage)),
  page('/workers', () => import('../pages/workers/page.tsx').then((room) => room.WorkersPage)),
  page('/workflows', () =>
    import('../pages/workflows/page.tsx').then((room) => room.WorkflowsPage),
  ),
  page('/workflows/$id', () =>
    import('../pages/workflow/page.tsx').then((room) => room.WorkflowPage),
  ),
  page('/editor', () =>
    import('../pages/workflow-editor/page.tsx').then((room) => room.WorkflowEditorPage),
  ),
  page('/schedules', () =>
    import('../pages/schedules/page.tsx').then((room) => room.SchedulesPage),
  ),
  page('/webhooks', () => import('../pages/webhooks/page.tsx').then((room) => room.WebhooksPage)),
  page('/agents', () => import('../pages/agents/page.tsx').then((room) => room.AgentsPage)),
  page('/memory', () => import('../pages/memory/page.tsx').then((room) => room.MemoryPage)),
  page('/audit', () => import('../pages/audit/page.tsx').then((room) => room.AuditPage)),
  page('/tokens', () => import('../pages/tokens/page.tsx').then((room) => room.TokensPage)),
  page('/tenants', () => import('../pages/tenants/page.tsx').then((room) => room.TenantsPage)),
  page('/settings', () => import('../pages/settings/page.tsx').then((room) => room.SettingsPage)),
  page('/system', () => import('../pages/system/page.tsx').then((room) => room.SystemPage)),
];

export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: CONSOLE_URL.pathname.replace(/\/$/, '') || '/',
  defaultPreload: 'intent',
  parseSearch,
  stringifySearch: writeSearch,
});

function page(path: string, load: () => Promise<FunctionComponent>) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(async () => ({ default: await loadModule(load) })),
  });
}
