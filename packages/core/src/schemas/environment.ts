// What a visit ran in: everything besides the site that can change its numbers, so that a campaign can be repeated.
import Type, { type Static } from 'typebox';
import { EngineOptions } from './engine-options.ts';
import { orNull } from './fields.ts';
import { LinkBackend } from './link-check.ts';

export const Environment = Type.Object({
  id: Type.String({ description: 'SHA-256 of all other fields: equal environments have equal ids.' }),
  runner: Type.Object({ version: Type.String(), node: Type.String() }),
  machine: Type.Object({
    kernel: Type.String(),
    arch: Type.String(),
    cpu: Type.String(),
    cores: Type.Integer(),
    memoryBytes: Type.Integer(),
  }),
  browser: Type.Object({
    product: Type.String({ description: 'Such as Chrome/156.0.8078.79.' }),
    executable: Type.String(),
    flags: Type.Array(Type.String(), { description: 'Without the profile’s path.' }),
    sandbox: Type.Boolean(),
    preferences: Type.Record(Type.String(), Type.Unknown()),
    driver: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'Such as browsertime.' }),
          version: Type.String(),
          options: EngineOptions,
          viewport: Type.String({ description: 'Size of the page in CSS pixels, such as 1366 × 768.' }),
        },
        { description: 'Program that drove the browser, if it is not Pronghorn itself.' },
      ),
    ),
    speedIndexFrom: Type.Optional(
      Type.Enum(['video'], {
        description:
          'Source of SpeedIndex and the visual changes: a video of the display. Absent: frames of the browser, or none. The two are never compared.',
      }),
    ),
  }),
  link: Type.Object({
    backend: LinkBackend,
    kernel: orNull(Type.String({ description: 'Kernel that shapes the packets; null if none does.' })),
    congestionControl: orNull(
      Type.String({
        description:
          'TCP congestion control at the browser’s end, and at the demo origin’s if it served the site; other servers use their own. Null: unknown.',
      }),
    ),
    priority: Type.Enum(['cgroup', 'none'], { description: 'cgroup: visit and origin have priority over everything else on the machine.' }),
    offloads: Type.Enum(['off', 'receive', 'machine'], {
      description:
        'Segmentation offloads on the link. off: packets are as a network carries them; receive: they are, and the visit’s end merges what it ' +
        'has received, as devices do, where nothing shapes the link; machine: as the machine has them.',
    }),
    uplink: Type.Optional(
      Type.Object(
        {
          mtu: Type.Object(
            { v4: orNull(Type.Integer()), v6: orNull(Type.Integer()) },
            { description: 'Largest packet in bytes for each IP version, by the machine’s routes; null: no route.' },
          ),
          ipv6: Type.Enum(['works', 'leads-nowhere', 'unproven', 'none'], {
            description:
              'works: a host of the campaign answered over IPv6, and visits used it for hosts without IPv4; leads-nowhere: hosts answered over IPv4, but none over IPv6; unproven: no host has an ' +
              'IPv6 address, or the link is direct; none: the machine has no IPv6 route.',
          }),
        },
        { description: 'The machine’s route to the internet, which visits use; absent if they reach only the demo origin.' },
      ),
    ),
    receiveBuffers: Type.Object(
      {
        tcp: orNull(
          Type.String({ description: 'net.ipv4.tcp_rmem: minimum, initial and maximum bytes. Half of the initial size is the window.' }),
        ),
        udpMaxBytes: orNull(Type.Integer({ description: 'net.core.rmem_max: Chrome requests 1 MiB for QUIC and gets at most this.' })),
      },
      { description: 'Receive buffers of the browser’s sockets, from its kernel; null if unknown.' },
    ),
  }),
  isolation: Type.Optional(
    Type.Enum(['context', 'process'], { description: 'Whether the visit had a fresh context in a running Chrome, or a fresh Chrome.' }),
  ),
  cpuSlowdown: Type.Optional(
    Type.Object(
      {
        factor: Type.Number({ description: 'How many times slower Chrome ran scripts.' }),
        machineIndex: orNull(
          Type.Integer({
            description:
              'The machine’s index in Lighthouse’s CPU benchmark, to the nearest hundred; the factor follows from it and from the device’s. ' +
              'Null: not measured, because the campaign sets the factor.',
          }),
        ),
      },
      { description: 'Absent if the CPU is not slowed down.' },
    ),
  ),
  origin: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Server and settings of the demo origin, if it served the site.' }),
  ),
});
export type Environment = Static<typeof Environment>;
