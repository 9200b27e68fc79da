-- Paid answers: names are keyed hashes of whole requests, values are encrypted.
CREATE TABLE ask_answers (
    name BLOB PRIMARY KEY, value BLOB NOT NULL, made_at REAL NOT NULL, expires_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX ask_answers_by_end ON ask_answers (expires_at);
-- Money in billionths of a US dollar. A reservation is what a question under way may cost at most.
CREATE TABLE ask_reservations (
    id INTEGER PRIMARY KEY, statement TEXT NOT NULL, door TEXT NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL,
    amount INTEGER NOT NULL, ends_at REAL NOT NULL
);
CREATE TABLE ask_spending (
    day TEXT NOT NULL, statement TEXT NOT NULL, model TEXT NOT NULL, door TEXT NOT NULL, begun_at REAL NOT NULL,
    questions INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0, searches INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
    cached_tokens INTEGER NOT NULL DEFAULT 0, amount INTEGER NOT NULL DEFAULT 0, uncertain INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, statement, model)
) WITHOUT ROWID;
CREATE INDEX ask_spending_by_statement ON ask_spending (statement);
