-- Whose token started a schedule's campaign by hand: it counts among that token's own.
ALTER TABLE schedule_starts ADD COLUMN startedBy TEXT;
CREATE INDEX schedule_starts_by_hand ON schedule_starts (startedBy, campaignId) WHERE startedBy IS NOT NULL;
CREATE INDEX schedules_of_token ON schedules (createdBy);
