// The image that pipelines run: as any user, with the folder of the gate's file alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Campaign } from '../../packages/core/src/schemas/index.ts';
import { proves } from '../../packages/core/src/testing/proves.ts';
import { docker, freeNetworks, Project, removeLeftovers } from './engine.ts';
import { reasonToSkip } from './passed.ts';

describe('docker run … gate', { ...proves('containers', 'gates'), skip: await reasonToSkip(import.meta.filename) }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-gate-'));
  let project: Project;
  let token: string;

  before(async () => {
    chmodSync(folder, 0o755);
    const file = { sites: [{ url: 'https://a.example/' }], rounds: 30, assertions: ['onLoad p75 <= 1 s'] };
    writeFileSync(join(folder, 'pronghorn.json'), JSON.stringify(file));
    await removeLeftovers();
    project = new Project(await freeNetworks());
    await project.up('api');
    token = (await project.exec('api', 'pronghorn', 'token', 'create', '--role', 'submitter', '--name', 'pipeline')).trim();
  });
  after(async () => {
    await project?.down();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As docs/gates.md has it, on the network of the service. @returns the exit code */
  function gate(args: string[], { as = 'prg_nobody', api = 'http://api:8080', options = [] as string[] } = {}) {
    const run = ['run', '--rm', '--pull', 'never', '--network', `${project.name}_service`, '-v', `${folder}:/w`, '-w', '/w'];
    const variables = ['-e', 'PRONGHORN_API', '-e', 'PRONGHORN_TOKEN', '-e', 'GITHUB_SHA=abc', '-e', 'GITHUB_EVENT_NAME=push'];
    const env = { ...process.env, PRONGHORN_API: api, PRONGHORN_TOKEN: as };
    const { status, stdout, stderr } = spawnSync('docker', [...run, ...variables, ...options, 'pronghorn-test/gate:dev', ...args], {
      ...{ env, encoding: 'utf8' },
    });
    return { code: status, said: stdout + stderr };
  }

  it('asks as a user without rights, with nothing that measures', async () => {
    const shell = (...line: string[]) =>
      docker(['run', '--rm', '--pull', 'never', '--entrypoint', 'sh', 'pronghorn-test/gate:dev', '-c', ...line]);
    assert.equal((await shell('id -u')).stdout.trim(), '10001');
    const { stdout } = await shell('for program in chromium nginx npm linux tc; do command -v $program; done; ls /opt');
    assert.equal(stdout, 'pronghorn-gate\n');
  });

  it('asks a service, and ends with a code that says why nothing was decided', () => {
    const listed = gate(['gates', 'list'], { as: token });
    assert.deepEqual([listed.code, listed.said.trim().split('.')[0]], [0, 'There are no gates']);
    const refused = gate(['--config', 'pronghorn.json']);
    assert.equal(refused.code, 77, refused.said);
    // Nobody measures here.
    const waited = gate(['--config', 'pronghorn.json', '--wait', '0.05'], { as: token });
    assert.equal(waited.code, 75, waited.said);
    assert.match(waited.said, /0 of 30 rounds of campaign 1 are done after 3 s, and it continues: ask later with --campaign 1/);
    const campaigns = gate(['gates', 'list', '--api', 'http://nobody.invalid'], { as: token });
    assert.equal(campaigns.code, 69, campaigns.said);
  });

  it('writes its reports as the user who owns the folder', async () => {
    const [campaign] = await campaigns();
    assert.deepEqual(campaign?.annotations, { commit: 'abc', event: 'push' });
    const { code, said } = gate(['--campaign', '1', '--wait', '0.05', '--junit', 'gate.xml'], {
      as: token,
      options: ['--user', `${process.getuid?.()}:${process.getgid?.()}`],
    });
    assert.equal(code, 75, said);
    assert.equal(readFileSync(join(folder, 'gate.xml'), 'utf8'), '', 'it can be written, and there is nothing to say yet');
    const denied = gate(['--campaign', '1', '--junit', 'gate.xml'], { as: token });
    assert.deepEqual([denied.code, /--junit gate\.xml can't be written \(permission denied\)/.test(denied.said)], [2, true], denied.said);
  });

  async function campaigns(): Promise<Campaign[]> {
    const script = `fetch('http://127.0.0.1:8080/api/v1/campaigns', { headers: { authorization: 'Bearer ' + process.argv[1] } }).then((answer) => answer.json()).then((page) => console.log(JSON.stringify(page.items)))`;
    return JSON.parse(await project.exec('api', 'node', '-e', script, token));
  }
});
