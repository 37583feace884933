import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { queryClient } from './api/query-client.ts';
import { applyTheme } from './app/preferences.ts';
import { router } from './app/router.tsx';
import { SessionGate } from './app/session.tsx';
import './app/style-nonce.ts';
import './ui/tokens.css';
import './ui/base.css';

applyTheme();

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id "root".');

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <SessionGate>
        <RouterProvider router={router} />
      </SessionGate>
    </QueryClientProvider>
  </StrictMode>,
);
