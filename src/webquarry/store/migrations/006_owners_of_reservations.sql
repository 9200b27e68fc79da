-- Whose process a reservation is, and how many questions it stands for: what is set aside for one that died counts as spent at once.
ALTER TABLE ask_reservations ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE ask_reservations ADD COLUMN questions INTEGER NOT NULL DEFAULT 0;
