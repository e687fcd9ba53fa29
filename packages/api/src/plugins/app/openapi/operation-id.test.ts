import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationIdOf } from './operation.ts';

test('operations are named by what they do to what', () => {
  const named = (method: string, path: string, isList = false) => operationIdOf(method, `/api/v1${path}`, isList);
  assert.equal(named('GET', '/campaigns', true), 'listCampaigns');
  assert.equal(named('POST', '/campaigns'), 'createCampaign');
  assert.equal(named('GET', '/campaigns/:id'), 'getCampaign');
  assert.equal(named('GET', '/campaigns/:id/results'), 'getCampaignResults');
  assert.equal(named('GET', '/campaigns/:id/link-checks', true), 'listCampaignLinkChecks');
  assert.equal(named('POST', '/campaigns/:id/cancel'), 'cancelCampaign');
  assert.equal(named('PUT', '/leases/:id/visits/:visitId'), 'putLeaseVisit');
  assert.equal(named('PUT', '/leases/:id/discoveries/:discoveryId'), 'putLeaseDiscovery');
  assert.equal(named('DELETE', '/conditions/:name'), 'deleteCondition');
  assert.equal(named('DELETE', '/leases'), 'deleteLeases');
  assert.equal(named('POST', '/gates/check'), 'checkGates');
  assert.equal(named('GET', '/campaigns/:id/visits.csv'), 'getCampaignVisitsCsv');
});
