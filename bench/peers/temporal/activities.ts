export const activities = {
  noop: (): Promise<object> => Promise.resolve({}),
};

export type Activities = typeof activities;
