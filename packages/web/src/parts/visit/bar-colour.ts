// What a bar's colour says.
import type { Resource } from '@pronghorn/core/schemas';
import { protocolOf } from '../../text/vocabulary.ts';
import { type Connection, colourOf } from './connections.ts';

export const colourings = ['protocol', 'connection'] as const;
export type Colouring = (typeof colourings)[number];

/** The name of its CSS variable, without the dashes. */
export function barColour(resource: Resource, by: Colouring, connections: ReadonlyMap<number, Connection>): string {
  if (by === 'protocol') return protocolOf(resource.protocol);
  const connection = resource.connectionId === null ? undefined : connections.get(resource.connectionId);
  return connection === undefined ? 'other' : `connection-${colourOf(connection)}`;
}
