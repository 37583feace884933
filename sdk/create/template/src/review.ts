import { typeOnly, workflow } from 'svc-sdk/workflow';

/** A graph: a person decides, then the document is published. */
export const review = workflow('review', {
  state: typeOnly<{ readonly document: string }>(),
})
  .step('decide', ({ humanApproval }) =>
    humanApproval({ description: 'Publish the document?', timeout: '7d' }),
  )
  .next('publish', ({ state, pass }) =>
    pass({ output: { published: state.document }, outputKey: 'result' }),
  )
  .build();
