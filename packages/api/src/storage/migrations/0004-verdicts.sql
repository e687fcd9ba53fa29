-- How a campaign's comparisons are judged is part of it. Campaigns from before are judged as new ones are by default.
UPDATE campaigns SET spec = json_set(spec, '$.adjustment', 'holm', '$.margin', 0.05, '$.maximumRounds', NULL);
