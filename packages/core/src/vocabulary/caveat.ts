// What limits an answer besides its own uncertainty: something about the pages, the machine or the networks that a reader would not expect.

/**
 * What each limit is, in a few words, and whether it is a warning: the numbers may be of something other than was asked for. Warnings stand
 * wherever the answer does; the others where there is room for sentences.
 */
export const caveatKinds = {
  redirected: { title: 'measured at another address', isWarning: true },
  broken: { title: 'parts of the page never load', isWarning: true },
  busy: { title: 'other programs used the machine', isWarning: true },
  unchecked: { title: 'the link was not checked', isWarning: true },
  // Their rounds are left out of the metrics that they touch.
  unequal: { title: 'visits not watched equally long', isWarning: false },
  moves: { title: 'no SpeedIndex: the page keeps moving', isWarning: false },
  native: { title: 'the machine’s own network', isWarning: false },
  'own-server': { title: 'served by Pronghorn’s own nginx', isWarning: false },
  'own-stacks': { title: 'compares the server’s two stacks as well', isWarning: false },
  'early-data': { title: 'early data (0-RTT) in repeat views', isWarning: false },
} as const satisfies Record<string, { title: string; isWarning: boolean }>;

export type CaveatCode = keyof typeof caveatKinds;
export const caveatCodes = Object.keys(caveatKinds) as CaveatCode[];
