// How visits spread: what a SpreadPlot is given.
import type { Distribution } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';

export type SpreadPoint = {
  value: number;
  visitId: string;
  /** Number of its round, for the words at the point. */
  round?: number;
};

export type SpreadSlot = {
  protocol: Protocol;
  /** Where a protocol has two slots (A/A), what tells them apart; default: the protocol's name. */
  name?: string;
  values: readonly SpreadPoint[];
  /**
   * As the API gives it (`GET /campaigns/:id/distributions`): box and violin are drawn of its numbers, so that they are the same as in every
   * table. Without it the visits stand alone.
   */
  distribution?: Distribution | null;
};

export type SpreadGroup = {
  /** Such as the condition's name, or site and condition. */
  label: string;
  /** In smaller letters below it. */
  note?: string;
  slots: readonly SpreadSlot[];
};
