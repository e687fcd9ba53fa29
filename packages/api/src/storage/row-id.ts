/** The row that an id of the API names; 0, which no row has, for text that is no such id. */
export const rowId = (id: string): number => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0);
