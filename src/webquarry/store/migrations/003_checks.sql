-- A value that only the right key decrypts, and seals: over the head of a journal with the number of its entries, and over each row of the ledger.
CREATE TABLE key_check (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL);
ALTER TABLE journals ADD COLUMN seal BLOB;
ALTER TABLE ask_spending ADD COLUMN seal BLOB;
