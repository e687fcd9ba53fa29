// Lines for a pipeline that checks a gate, as in docs/gates.md.
import { shellQuoted } from '../../text/shell.ts';

/** @param service its address, without a slash at the end */
export const cliLines = (service: string, gate: string): string =>
  `export PRONGHORN_API=${service} PRONGHORN_TOKEN=prg_…    # role submitter
./pronghorn gate --gate ${shellQuoted(gate)} --url https://staging.example.com/    # without --url: what the gate measures`;

export const curlLines = (service: string, gateId: string): string =>
  `curl -s ${service}/api/v1/gates/check -H "authorization: Bearer $PRONGHORN_TOKEN" \\
  -H 'content-type: application/json' -d '{ "gateId": "${gateId}", "campaignId": "12" }'`;

/** @param gate its name; without one, the gate is the repository's pronghorn.json. */
export const githubWorkflow = (service: string, gate?: string): string => `name: Page speed
on: # main's own campaigns are the baseline of all others
  push: { branches: [main] }
  pull_request:
permissions:
  contents: read
  pull-requests: write # the comment
concurrency: # a newer commit of a change takes the place of the one before; every run of main counts
  group: page-speed-\${{ github.head_ref || github.run_id }}
  cancel-in-progress: true
jobs:
  gate:
    # Forks get no secrets.
    if: github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 130 # more than the gate waits: 60 for each of two runs
    steps:
      - uses: actions/checkout@v5
      - id: gate
        uses: pronghorn/pronghorn@v1.0.0-rc.1 # where your copy of Pronghorn is
        with:
          api: ${service}
          token: \${{ secrets.PRONGHORN_TOKEN }} # role submitter
${gateInput(10, gate)}          url: \${{ github.event_name == 'pull_request' && format('https://pr-{0}.example.com/', github.event.number) || 'https://staging.example.com/' }}
          exit-on: inconclusive=0
      - if: always()
        uses: actions/upload-artifact@v4
        with: { name: gate, path: "\${{ steps.gate.outputs.junit }}" }
`;

/** @param gate as in `githubWorkflow` */
export const gitlabJob = (service: string, gate?: string): string => `include:
  - component: gitlab.example/tools/pronghorn/gate@1.0.0-rc.1 # where your copy of Pronghorn is
    inputs:
      image: registry.example/pronghorn/gate:1.0.0-rc.1
      api: ${service} # PRONGHORN_TOKEN, of role submitter, is a masked variable of the project
${gateInput(6, gate)}      url: https://$CI_COMMIT_REF_SLUG.example.com/
`;

const gateInput = (indent: number, gate?: string): string =>
  gate === undefined ? '' : `${' '.repeat(indent)}gate: ${JSON.stringify(gate)}\n`;
