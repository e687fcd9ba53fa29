/** Why an entry of a HAR says nothing about who advertises HTTP/3. */
export const leftOutReasons = ['no-answer', 'no-headers', 'cached', 'no-page'] as const;
export type LeftOut = Partial<Record<(typeof leftOutReasons)[number], number>>;
