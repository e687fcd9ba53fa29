// What requests may choose from, and the defaults: plain values, so that command lines and forms can list them without a schema.

export const adjustments = ['hommel', 'holm', 'benjamini-hochberg'] as const;
/**
 * How p-values are corrected for the number of comparisons (`adjustPValues`). Hommel's and Holm's corrections limit the chance of any false claim, Hommel's for
 * independent p-values and those that depend positively, Holm's for all. Benjamini–Hochberg's limits the share of false ones among the claims on average,
 * for the same p-values as Hommel's.
 */
export type Adjustment = (typeof adjustments)[number];

/** Fewer rounds calibrate nothing. */
export const minCalibrationRounds = 10;
