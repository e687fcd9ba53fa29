// What a pipeline needs to ask a gate: lines to copy, as docs/gates.md has them.

/** @param service where the service is, without a slash at the end. */
export const cliLines = (service: string, gate: string): string =>
  `export PRONGHORN_API=${service} PRONGHORN_TOKEN=prg_…    # role submitter
./pronghorn gates show ${shellQuoted(gate)} --json > pronghorn.json    # what it measures and asserts, as a file
./pronghorn gate --config pronghorn.json --url https://staging.example.com/`;

export const curlLines = (service: string, gateId: string): string =>
  `curl -s ${service}/api/v1/gates/check -H "authorization: Bearer $PRONGHORN_TOKEN" \\
  -H 'content-type: application/json' -d '{ "gateId": "${gateId}", "campaignId": "12" }'`;

export const githubWorkflow = (service: string): string => `name: Page speed
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
    timeout-minutes: 75 # more than the gate waits: 60
    steps:
      - uses: actions/checkout@v5
      - id: gate
        uses: pronghorn/pronghorn@v0.1.0 # where your copy of Pronghorn is
        with:
          api: ${service}
          token: \${{ secrets.PRONGHORN_TOKEN }} # role submitter
          url: \${{ github.event_name == 'pull_request' && format('https://pr-{0}.example.com/', github.event.number) || 'https://staging.example.com/' }}
          exit-on: inconclusive=0
      - if: always()
        uses: actions/upload-artifact@v4
        with: { name: gate, path: "\${{ steps.gate.outputs.junit }}" }
`;

export const gitlabJob = (service: string): string => `include:
  - component: gitlab.example/tools/pronghorn/gate@0.1.0 # where your copy of Pronghorn is
    inputs:
      image: registry.example/pronghorn/gate:0.1.0
      api: ${service} # PRONGHORN_TOKEN, of role submitter, is a masked variable of the project
      url: https://$CI_COMMIT_REF_SLUG.example.com/
`;

/** One word of a shell, whatever is in it. */
export const shellQuoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
