-- Which environments no visit refers to any more, when a campaign is deleted.
CREATE INDEX visits_of_environment ON visits (environmentId) WHERE environmentId IS NOT NULL;
