-- Who asks a question now: a keyed hash of its request, the process, and when the claim ends unless it is renewed.
CREATE TABLE IF NOT EXISTS ask_claims (name BLOB PRIMARY KEY, owner TEXT NOT NULL, ends_at REAL NOT NULL) WITHOUT ROWID;
-- What the bill says of a statement beside money. Its first words are encrypted.
CREATE TABLE IF NOT EXISTS ask_statements (
    statement TEXT PRIMARY KEY, door TEXT NOT NULL, begun_at REAL NOT NULL, words BLOB,
    hits INTEGER NOT NULL DEFAULT 0, kept_searches INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ask_statements_by_begin ON ask_statements (begun_at);
