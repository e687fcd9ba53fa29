// The profile as Docker reads it: what is in it is a list of what is allowed, and nothing that would open the machine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Rule {
  names: string[];
  action: string;
  args?: { index: number; value: number; op: string }[];
  includes?: { caps: string[] };
}
const profile: {
  defaultAction: string;
  defaultErrnoRet: number;
  archMap: { architecture: string; subArchitectures: string[] }[];
  syscalls: Rule[];
} = JSON.parse(readFileSync(new URL('seccomp.json', import.meta.url), 'utf8'));
const rulesOf = (name: string) => profile.syscalls.filter(({ names }) => names.includes(name));

test('what the profile does not name does not exist, so that programs fall back to what it names', () => {
  assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO');
  assert.equal(profile.defaultErrnoRet, 38); // ENOSYS
  assert.deepEqual(new Set(profile.syscalls.map(({ action }) => action)), new Set(['SCMP_ACT_ALLOW']));
});

test('programs of 32 bits are for no architecture', () => {
  assert.deepEqual(
    profile.archMap.map(({ architecture, subArchitectures }) => [architecture, subArchitectures.length]),
    [
      ['SCMP_ARCH_X86_64', 0],
      ['SCMP_ARCH_AARCH64', 0],
    ],
  );
});

test('a call stands in one rule, unless its arguments decide', () => {
  for (const name of new Set(profile.syscalls.flatMap(({ names }) => names))) {
    const rules = rulesOf(name);
    assert.ok(rules.length === 1 || rules.every(({ args }) => args?.length === 1), `${name} stands in ${rules.length} rules`);
  }
});

test('sockets are of the families that a runner needs', () => {
  const families = rulesOf('socket').flatMap(({ args = [] }) => args.map(({ index, value, op }) => `${index} ${op} ${value}`));
  const [unix, inet, inet6, netlink, packet] = [1, 2, 10, 16, 17];
  assert.deepEqual(
    families,
    [unix, inet, inet6, netlink, packet].map((family) => `0 SCMP_CMP_EQ ${family}`),
  );
});

test('mounts and namespaces of others are for containers with SYS_ADMIN alone', () => {
  for (const name of ['mount', 'umount2', 'setns'])
    assert.deepEqual(
      rulesOf(name).map(({ includes }) => includes),
      [{ caps: ['CAP_SYS_ADMIN'] }],
    );
});

test('nothing is allowed that loads code into the kernel, traces it, or goes around the other rules', () => {
  const never = [
    ...['bpf', 'perf_event_open', 'userfaultfd', 'init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load', 'reboot'],
    ...['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'add_key', 'request_key', 'keyctl', 'open_by_handle_at', 'fanotify_init'],
    ...[
      'fsopen',
      'fsmount',
      'move_mount',
      'open_tree',
      'mount_setattr',
      'pivot_root',
      'swapon',
      'quotactl',
      'acct',
      'settimeofday',
      'clock_settime',
    ],
    ...[
      'process_vm_readv',
      'process_vm_writev',
      'pidfd_getfd',
      'kcmp',
      'iopl',
      'ioperm',
      'modify_ldt',
      'syslog',
      'nfsservctl',
      'lookup_dcookie',
    ],
  ];
  assert.deepEqual(
    never.filter((name) => rulesOf(name).length > 0),
    [],
  );
});
