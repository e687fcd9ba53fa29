// Points in time, as all of the API writes them.
import Type from 'typebox';

export const Time = (description = 'ISO 8601.') => Type.String({ format: 'date-time', description });
export const TimeOrNull = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });
