-- Vectors of memories, for the search by meaning. Only where the server has the extension pgvector, and the owner of the
-- tables can use it or install it; without it the search goes by words. It can run again and again: `cuecard sync server`
-- runs it until it has made everything.

DO $$
DECLARE
    place text;
BEGIN
    IF EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') THEN
        BEGIN
            CREATE EXTENSION IF NOT EXISTS vector;
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END IF;
    place := (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE e.extname = 'vector' AND has_schema_privilege(n.oid, 'USAGE'));
    IF place IS NULL THEN
        RETURN;
    END IF;

    -- `model` names the sentence model that has made a vector; vectors of different models are never compared.
    EXECUTE 'CREATE TABLE IF NOT EXISTS cuecard.embedding (
        scope_id bigint NOT NULL,
        path text NOT NULL,
        model bigint NOT NULL,
        hash text NOT NULL,
        row ' || place || '.vector NOT NULL,
        PRIMARY KEY (scope_id, path, model),
        FOREIGN KEY (scope_id, path) REFERENCES cuecard.memory ON DELETE CASCADE
    )';
    ALTER TABLE cuecard.embedding ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS members ON cuecard.embedding;
    CREATE POLICY members ON cuecard.embedding FOR SELECT
        USING (scope_id IN (SELECT scope_id FROM cuecard.membership));
    GRANT SELECT ON cuecard.embedding TO PUBLIC;

    -- Store the vectors of versions that the scope has.
    EXECUTE 'CREATE OR REPLACE FUNCTION cuecard.embed(wanted text, made_by bigint, paths text[], hashes text[],
            rows text[])
        RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ' || place || ', pg_temp AS $body$
        DECLARE
            target bigint := (SELECT s.id FROM cuecard.scope s WHERE s.name = wanted);
        BEGIN
            IF coalesce(cuecard.right_in(target), '''') NOT IN (''write'', ''administer'') THEN
                RAISE EXCEPTION ''you may not push to the scope `%`'', wanted USING ERRCODE = ''insufficient_privilege'';
            END IF;
            -- No version changes before its vector is there, which would outlive it.
            PERFORM 1 FROM cuecard.scope s WHERE s.id = target FOR UPDATE;
            INSERT INTO cuecard.embedding AS e (scope_id, path, model, hash, row)
                SELECT target, m.path, made_by, m.hash, given.row::vector
                FROM unnest(paths, hashes, rows) AS given (path, hash, row)
                JOIN cuecard.memory m ON m.scope_id = target AND m.path = given.path AND m.hash = given.hash
                ON CONFLICT (scope_id, path, model) DO UPDATE SET hash = excluded.hash, row = excluded.row;
        END $body$';

    -- The memories nearest to a vector that the same model has made, of the scopes that the caller can read.
    EXECUTE 'CREATE OR REPLACE FUNCTION cuecard.nearest(query text, made_by bigint, wanted text, most integer)
        RETURNS TABLE (scope text, path text, data bytea) LANGUAGE sql STABLE
        SET search_path = pg_catalog, ' || place || ', pg_temp AS $body$
            SELECT s.name, m.path, m.data FROM cuecard.embedding e
            JOIN cuecard.memory m ON m.scope_id = e.scope_id AND m.path = e.path AND m.hash = e.hash
            JOIN cuecard.scope s ON s.id = m.scope_id
            WHERE e.model = made_by AND vector_dims(e.row) = vector_dims(query::vector) AND wanted IN ('''', s.name)
                AND m.data IS NOT NULL
            ORDER BY e.row <=> query::vector, m.path LIMIT most
        $body$';

    -- The vector of a version is forgotten with it: nobody can read what a deleted memory was about.
    CREATE OR REPLACE FUNCTION cuecard.forget_vectors() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            -- Whoever owns the tables may remove this one, and nobody's push depends on it.
            IF to_regclass('cuecard.embedding') IS NOT NULL THEN
                DELETE FROM cuecard.embedding e WHERE e.scope_id = OLD.scope_id AND e.path = OLD.path;
            END IF;
            RETURN NULL;
        END $body$;
    DELETE FROM cuecard.embedding e USING cuecard.memory m
        WHERE m.scope_id = e.scope_id AND m.path = e.path AND (m.hash <> e.hash OR m.data IS NULL);
    -- The last thing that is made.
    CREATE OR REPLACE TRIGGER forget_vectors AFTER UPDATE ON cuecard.memory FOR EACH ROW
        WHEN (OLD.hash IS DISTINCT FROM NEW.hash) EXECUTE FUNCTION cuecard.forget_vectors();
END $$;
