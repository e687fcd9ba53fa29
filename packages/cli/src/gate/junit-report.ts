// A gate's answer as JUnit XML: what Jenkins, GitLab and most others show beside the tests.
import { create } from 'xmlbuilder2';
import { nameOf, placesOf, type Reported, wordsOf } from './reported.ts';

/**
 * A test suite for each site, condition and view, a test case for each check. There is no schema of JUnit's own; elements, attributes and
 * their order are those that Jenkins' and GitLab's readers share (github.com/testmoapp/junitxml). What is unmeasured is a failure of that type, since no
 * other test tells that a page is down, and skipped where its exit code is that of a pass. What is inconclusive is skipped, and a failure of type
 * inconclusive where its exit code is that of a failure.
 */
export function junitReport(reported: Reported): string {
  const { campaign, result, exitCodes } = reported;
  const places = placesOf(reported);
  const stopping = {
    ...{ pass: false, fail: true, inconclusive: exitCodes.inconclusive === exitCodes.fail },
    unmeasured: exitCodes.unmeasured !== exitCodes.pass,
  };
  const countsOf = (checks: typeof result.checks) => {
    const failures = checks.filter(({ outcome }) => stopping[outcome]).length;
    const passes = checks.filter(({ outcome }) => outcome === 'pass').length;
    return { tests: checks.length, failures, errors: 0, skipped: checks.length - failures - passes };
  };
  const invalidCharReplacement = '\ufffd';
  const root = create({ version: '1.0', encoding: 'UTF-8', invalidCharReplacement }).ele('testsuites', {
    name: `Pronghorn gate: ${campaign.spec.name}`,
    ...countsOf(result.checks),
  });
  for (const { site, condition, view, checks } of places) {
    const suite = root.ele('testsuite', {
      name: `${site.name}, ${condition}, ${view}`,
      ...countsOf(checks),
      timestamp: (campaign.finishedAt ?? campaign.createdAt).replace(/\.\d+Z$/, ''),
    });
    const properties = suite.ele('properties');
    const { commit, branch, buildUrl } = campaign.annotations;
    for (const [name, value] of Object.entries({
      url: site.url,
      campaign: campaign.id,
      commit,
      branch,
      buildUrl,
      decide: result.decide,
      gate: result.words,
    }))
      if (value !== undefined) properties.ele('property', { name, value });
    for (const check of checks) {
      const test = suite.ele('testcase', { name: nameOf(result, check), classname: `${site.name}.${condition}.${view}` });
      outcomeOf(test, check, stopping[check.outcome]);
    }
  }
  return `${root.end({ prettyPrint: true })}\n`;
}

type Element = ReturnType<typeof create>;

function outcomeOf(test: Element, check: Reported['result']['checks'][number], stops: boolean): void {
  const words = wordsOf(check);
  if (check.outcome === 'pass') test.ele('system-out').txt(words);
  else if (!stops) test.ele('skipped', { message: words });
  else test.ele('failure', { message: words, type: check.outcome }).txt(words);
}
