// What a visit ran in: everything beside the site that can change its numbers, so that a campaign can be repeated.
import Type, { type Static } from 'typebox';
import { EngineOptions } from './engine-options.ts';
import { orNull } from './fields.ts';
import { LinkBackend } from './link-check.ts';

export const Environment = Type.Object({
  id: Type.String({ description: 'SHA-256 of all other fields: the same environment has the same id.' }),
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
          viewport: Type.String({ description: 'Of the page, CSS pixels, such as 1366 × 768.' }),
        },
        { description: 'What drove the browser, where that is another program’s code than Pronghorn’s.' },
      ),
    ),
    speedIndexFrom: Type.Optional(
      Type.Enum(['video'], {
        description:
          'What SpeedIndex and the visual changes are from: a video of the display. Absent: frames of the browser, or there is none. The two are never compared.',
      }),
    ),
  }),
  link: Type.Object({
    backend: LinkBackend,
    kernel: orNull(Type.String({ description: 'Of what shapes the packets; null where nothing does.' })),
    congestionControl: orNull(
      Type.String({
        description:
          'Of TCP at the browser’s end, and at the demo origin’s where that served the site; servers elsewhere use their own. Null: unknown.',
      }),
    ),
    priority: Type.Enum(['cgroup', 'none'], { description: 'cgroup: visit and origin go before everything else on the machine.' }),
    offloads: Type.Enum(['off', 'machine'], {
      description: 'Segmentation offloads on the link: off, so that packets are what a network carries; or as the machine has them.',
    }),
    uplink: Type.Optional(
      Type.Object(
        {
          mtu: Type.Object(
            { v4: orNull(Type.Integer()), v6: orNull(Type.Integer()) },
            { description: 'Bytes of the largest packet that goes there over each family, as the machine’s route says; null: no route.' },
          ),
          ipv6: Type.Enum(['works', 'leads-nowhere', 'unproven', 'none'], {
            description:
              'works: a host of the campaign answered over it, and visits had it for hosts without IPv4; leads-nowhere: none did though they answered over IPv4; unproven: none has an ' +
              'address of IPv6, or the link is direct; none: the machine has no way.',
          }),
        },
        { description: 'The machine’s own way to the world, which visits’ packets take; absent where they reach the demo origin alone.' },
      ),
    ),
    receiveBuffers: Type.Object(
      {
        tcp: orNull(
          Type.String({ description: 'net.ipv4.tcp_rmem: bytes at least, at first, at most. At first, half of it is the window.' }),
        ),
        udpMaxBytes: orNull(Type.Integer({ description: 'net.core.rmem_max: Chrome asks for 1 MiB for QUIC and gets at most this.' })),
      },
      { description: 'Of the browser’s sockets, from its kernel; null where unknown.' },
    ),
  }),
  isolation: Type.Optional(
    Type.Enum(['context', 'process'], { description: 'Whether the visit had a fresh context of a Chrome that ran, or a fresh Chrome.' }),
  ),
  cpuSlowdown: Type.Optional(
    Type.Object(
      {
        factor: Type.Number({ description: 'How many times slower Chrome made scripts run.' }),
        machineIndex: orNull(
          Type.Integer({
            description:
              'The machine’s own, of the benchmark that Lighthouse has, to the nearest hundred: the factor follows from it and the device’s. ' +
              'Null: not measured, since the campaign names the factor.',
          }),
        ),
      },
      { description: 'Absent where the CPU is as the machine has it.' },
    ),
  ),
  origin: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Server and settings of the demo origin, where it served the site.' }),
  ),
});
export type Environment = Static<typeof Environment>;
