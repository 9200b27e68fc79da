-- A journal belongs to one caller and is only ever added to. Names are keyed hashes, heads and entries are encrypted.
CREATE TABLE journals (
    name BLOB PRIMARY KEY, owner BLOB NOT NULL, locked_id BLOB NOT NULL,
    created_at REAL NOT NULL, touched_at REAL NOT NULL, finished INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX journals_by_owner ON journals (owner, touched_at);
CREATE TABLE journal_entries (
    journal BLOB NOT NULL REFERENCES journals (name) ON DELETE CASCADE, number INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (journal, number)
) WITHOUT ROWID;
