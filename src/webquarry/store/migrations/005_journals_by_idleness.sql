-- Which journals give way. Of all, those touched too long ago, and of an owner, finished ones first, then those touched longest ago.
CREATE INDEX IF NOT EXISTS journals_by_touch ON journals (touched_at);
CREATE INDEX IF NOT EXISTS journals_by_rank ON journals (owner, finished DESC, touched_at, name);
