-- What a site of a campaign has of its own beside its name (JSON: visitor, workload, levels; null: nothing). Its specification, which much reads a field
-- or two of, had all sites a second time.
ALTER TABLE campaign_sites ADD COLUMN own TEXT CHECK (own IS NULL OR json_valid(own));
UPDATE campaign_sites SET own = asked.own
FROM (
  SELECT campaigns.id, key AS place, json_remove(value, '$.url', '$.name', '$.expectStatus') AS own
  FROM campaigns, json_each(spec, '$.sites')
) AS asked
WHERE campaignId = asked.id AND campaign_sites.place = asked.place AND asked.own <> '{}';
UPDATE campaigns SET spec = json_remove(spec, '$.sites');
