/** A place of the console's menu, with the route of the API that its page reads first. */
export interface Place {
  readonly to: string;
  readonly title: string;
  /** Roles that may not call it do not see the place. */
  readonly needs: readonly [method: string, path: string];
}

export interface PlaceGroup {
  readonly title: string;
  readonly places: readonly Place[];
}

export const PLACES: readonly PlaceGroup[] = [
  {
    title: 'Run',
    places: [
      { to: '/', title: 'Home', needs: ['GET', '/executions'] },
      { to: '/executions', title: 'Executions', needs: ['GET', '/executions'] },
      { to: '/inbox', title: 'Inbox', needs: ['GET', '/approvals'] },
      { to: '/failures', title: 'Failures', needs: ['GET', '/failures'] },
      { to: '/workers', title: 'Workers and queues', needs: ['GET', '/workers'] },
    ],
  },
  {
    title: 'Build',
    places: [
      { to: '/workflows', title: 'Workflows', needs: ['GET', '/workflows'] },
      { to: '/schedules', title: 'Schedules', needs: ['GET', '/schedules'] },
      { to: '/webhooks', title: 'Webhooks', needs: ['GET', '/webhooks'] },
      { to: '/agents', title: 'Agents', needs: ['GET', '/agents'] },
      { to: '/memory', title: 'Memory', needs: ['GET', '/v1/memory/facts'] },
    ],
  },
  {
    title: 'Govern',
    places: [
      { to: '/audit', title: 'Audit', needs: ['GET', '/audit'] },
      { to: '/tokens', title: 'Tokens', needs: ['GET', '/tokens'] },
      { to: '/tenants', title: 'Tenants', needs: ['GET', '/tenants'] },
      { to: '/settings', title: 'Settings', needs: ['GET', '/settings'] },
      { to: '/system', title: 'System', needs: ['GET', '/system'] },
    ],
  },
];
