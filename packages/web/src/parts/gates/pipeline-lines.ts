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
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/checkout@v5
        with: { repository: pronghorn/pronghorn, path: .pronghorn-tool } # where your copy of Pronghorn is
      - name: Gate
        env:
          PRONGHORN_API: ${service}
          PRONGHORN_TOKEN: \${{ secrets.PRONGHORN_TOKEN }} # role submitter
        run: >
          .pronghorn-tool/pronghorn gate --config pronghorn.json
          --url "\${{ github.event_name == 'pull_request' && format('https://pr-{0}.example.com/', github.event.number) || 'https://staging.example.com/' }}"
          --junit gate.xml --summary --exit-on inconclusive=0
      - if: always()
        uses: actions/upload-artifact@v4
        with: { name: gate, path: gate.xml }
`;

export const gitlabJob = (service: string): string => `gate:
  stage: test
  image: debian:12
  variables:
    PRONGHORN_API: ${service} # PRONGHORN_TOKEN is a masked variable of the project
  script:
    - apt-get update && apt-get install -y git curl ca-certificates
    - git clone --depth 1 https://gitlab.example/tools/pronghorn.git tool # where your copy of Pronghorn is
    - tool/pronghorn gate --config pronghorn.json --url "$CI_ENVIRONMENT_URL" --junit gate.xml --markdown gate.md
  allow_failure:
    exit_codes: [3] # inconclusive: a warning; a page that is down ends with 5, which is red
  artifacts:
    when: always
    reports: { junit: gate.xml }
    paths: [gate.md]
`;

/** One word of a shell, whatever is in it. */
export const shellQuoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
