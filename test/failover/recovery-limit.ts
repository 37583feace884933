/** Within this time of a promotion, or of the end of a fault, callers must get answers again. */
export const RECOVERY_MS_MAX = 5_000;
