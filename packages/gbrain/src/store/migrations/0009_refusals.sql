-- breaking: no
-- Texts that the provider refused are few and are asked for by every search; without this they are found by reading
-- all vectors.
create index chunk_vectors_refused on chunk_vectors (profile_id, hash) where refusal is not null;
