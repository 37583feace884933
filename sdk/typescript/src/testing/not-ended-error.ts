/** The execution waits for something that the test has not given it: time, an event, a decision. */
export class NotEndedError extends Error {
  override readonly name = 'NotEndedError';
  readonly executionId: string;

  constructor(executionId: string, waitsFor: string) {
    super(`${executionId} has not ended. ${waitsFor}`);
    this.executionId = executionId;
  }
}
