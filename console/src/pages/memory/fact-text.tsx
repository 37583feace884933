import { useState } from 'react';

import { Button } from '../../ui/controls/button.tsx';

const SHOWN_MAX = 300;

/** The content of a fact, as text; a long one is cut until somebody asks for all of it. */
export function FactText({ content }: { readonly content: string }) {
  const [whole, setWhole] = useState(false);
  if (whole || content.length <= SHOWN_MAX) return <>{content}</>;
  return (
    <>
      {content.slice(0, SHOWN_MAX)}…{' '}
      <Button kind="quiet" onClick={() => setWhole(true)}>
        Show all {content.length} characters
      </Button>
    </>
  );
}
