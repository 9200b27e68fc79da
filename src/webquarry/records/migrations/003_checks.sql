-- A value that only the right key decrypts, and a seal over the head of a journal and the number of its entries: what was changed on the disk is noticed.
CREATE TABLE key_check (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL);
ALTER TABLE journals ADD COLUMN seal BLOB;
