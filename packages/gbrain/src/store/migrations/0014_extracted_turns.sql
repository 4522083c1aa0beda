-- breaking: no
-- Turns of conversations whose facts were extracted: a turn is sent to a model once. It holds no words, only the digest
-- of the turn and the ids of its facts, and is written in the transaction of those facts.

create table extracted_turns (
  source_id text collate "C" not null references sources (id),
  -- SHA-256 of the visibility of its facts and the text as the model was given it.
  turn_hash text collate "C" not null,
  -- What became of each fact, by id.
  outcome jsonb not null,
  at timestamptz(3) not null,
  primary key (source_id, turn_hash)
);
