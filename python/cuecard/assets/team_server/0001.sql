-- The tables of an organisation's memories. Rules: docs/reference/sync.md, "The server".
--
-- Members read the tables under row-level security. Nobody but the owner writes to them: `push`, `decide` and
-- `set_member` check what the caller may do, and run as the owner. The first two are in `0003.sql`.

CREATE SCHEMA cuecard;

CREATE TABLE cuecard.schema_version (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE cuecard.scope (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9._/-]{0,99}$'),
    -- Names this history of the scope.
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    -- The number of the last change, and the hash over all changes up to it.
    counter bigint NOT NULL DEFAULT 0,
    head text NOT NULL DEFAULT '',
    -- Deletions up to this number may be forgotten.
    floor bigint NOT NULL DEFAULT 0
);

CREATE TABLE cuecard.member (
    scope_id bigint NOT NULL REFERENCES cuecard.scope ON DELETE CASCADE,
    login text NOT NULL,
    may text NOT NULL CHECK (may IN ('read', 'propose', 'write', 'administer')),
    PRIMARY KEY (scope_id, login)
);

-- The last version of each memory. A deleted memory has no data and the hash ''.
CREATE TABLE cuecard.memory (
    scope_id bigint NOT NULL REFERENCES cuecard.scope ON DELETE CASCADE,
    path text NOT NULL,
    counter bigint NOT NULL,
    head text NOT NULL,
    hash text NOT NULL,
    data bytea,
    words tsvector,
    -- For people; the order is that of `counter`.
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (scope_id, path)
);
CREATE UNIQUE INDEX memory_order ON cuecard.memory (scope_id, counter);
CREATE INDEX memory_words ON cuecard.memory USING gin (words);

-- Every change: who replaced which version by which.
CREATE TABLE cuecard.audit (
    scope_id bigint NOT NULL REFERENCES cuecard.scope ON DELETE CASCADE,
    counter bigint NOT NULL,
    head text NOT NULL,
    path text NOT NULL,
    hash_before text NOT NULL,
    hash text NOT NULL,
    login text NOT NULL,
    proposed_by text,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (scope_id, counter)
);

CREATE TABLE cuecard.proposal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope_id bigint NOT NULL REFERENCES cuecard.scope ON DELETE CASCADE,
    path text NOT NULL,
    expected text NOT NULL,
    hash text NOT NULL,
    data bytea,
    login text NOT NULL,
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (scope_id, path, login)
);

-- The memberships of who asks. A view reads as its owner, so the policies below do not ask themselves.
CREATE VIEW cuecard.membership WITH (security_barrier) AS
    SELECT scope_id, may FROM cuecard.member WHERE login = current_user;

ALTER TABLE cuecard.scope ENABLE ROW LEVEL SECURITY;
ALTER TABLE cuecard.member ENABLE ROW LEVEL SECURITY;
ALTER TABLE cuecard.memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE cuecard.audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE cuecard.proposal ENABLE ROW LEVEL SECURITY;

CREATE POLICY members ON cuecard.scope FOR SELECT
    USING (id IN (SELECT scope_id FROM cuecard.membership));
CREATE POLICY members ON cuecard.memory FOR SELECT
    USING (scope_id IN (SELECT scope_id FROM cuecard.membership));
CREATE POLICY administrators ON cuecard.member FOR SELECT
    USING (login = current_user
        OR scope_id IN (SELECT scope_id FROM cuecard.membership WHERE may = 'administer'));
CREATE POLICY administrators ON cuecard.audit FOR SELECT
    USING (scope_id IN (SELECT scope_id FROM cuecard.membership WHERE may = 'administer'));
CREATE POLICY writers ON cuecard.proposal FOR SELECT
    USING (login = current_user
        OR scope_id IN (SELECT scope_id FROM cuecard.membership WHERE may IN ('write', 'administer')));

-- Who called, inside of a function that runs as the owner: the role that the transaction has taken, or the login.
CREATE FUNCTION cuecard.caller() RETURNS text LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    RETURN CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END;

-- What the caller may do in a scope; null for a stranger.
CREATE FUNCTION cuecard.right_in(wanted bigint) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    RETURN (SELECT may FROM cuecard.member WHERE scope_id = wanted AND login = cuecard.caller());

-- The hash over the changes up to a number; null if it is not known any more.
CREATE FUNCTION cuecard.head_at(wanted bigint, number bigint) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    RETURN (SELECT head FROM cuecard.audit
        WHERE scope_id = wanted AND counter = number AND cuecard.right_in(wanted) IS NOT NULL);

-- Store one version in a scope whose row the caller has locked.
CREATE FUNCTION cuecard.store(wanted bigint, place text, content bytea, login text, proposer text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint;
    chain text;
    before text := coalesce((SELECT m.hash FROM cuecard.memory m WHERE m.scope_id = wanted AND m.path = place), '');
    after text := CASE WHEN content IS NULL THEN '' ELSE encode(sha256(content), 'hex') END;
    found_words tsvector;
BEGIN
    UPDATE cuecard.scope s SET
        counter = s.counter + 1,
        head = encode(sha256(convert_to(s.head || E'\n' || place || E'\n' || after, 'UTF8')), 'hex')
        WHERE s.id = wanted RETURNING s.counter, s.head INTO number, chain;
    BEGIN
        found_words := jsonb_to_tsvector('english', convert_from(content, 'UTF8')::jsonb, '["string"]');
    EXCEPTION WHEN OTHERS THEN
        found_words := NULL;
    END;
    INSERT INTO cuecard.memory AS m (scope_id, path, counter, head, hash, data, words)
        VALUES (wanted, place, number, chain, after, content, found_words)
        ON CONFLICT (scope_id, path) DO UPDATE SET counter = number, head = chain, hash = after, data = content,
            words = found_words, changed_at = clock_timestamp();
    INSERT INTO cuecard.audit (scope_id, counter, head, path, hash_before, hash, login, proposed_by)
        VALUES (wanted, number, chain, place, before, after, login, proposer);
END $$;

-- Give a login a right in a scope, or take it away (null).
CREATE FUNCTION cuecard.set_member(wanted text, who text, granted text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target bigint := (SELECT s.id FROM cuecard.scope s WHERE s.name = wanted);
BEGIN
    IF target IS NULL OR NOT (coalesce(cuecard.right_in(target), '') = 'administer'
            OR pg_has_role(cuecard.caller(), current_user, 'MEMBER')) THEN
        RAISE EXCEPTION 'you may not administer the scope `%`', wanted USING ERRCODE = 'insufficient_privilege';
    END IF;
    DELETE FROM cuecard.member m WHERE m.scope_id = target AND m.login = who;
    IF granted IS NOT NULL THEN
        INSERT INTO cuecard.member VALUES (target, who, granted);
    END IF;
END $$;

-- Forget deletions, and the audit before them, that are older than some days.
CREATE FUNCTION cuecard.forget(wanted text, days integer) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target cuecard.scope;
    last bigint;
BEGIN
    SELECT * INTO target FROM cuecard.scope s WHERE s.name = wanted FOR UPDATE;
    last := (SELECT max(m.counter) FROM cuecard.memory m WHERE m.scope_id = target.id AND m.data IS NULL
        AND m.changed_at < clock_timestamp() - make_interval(days => days));
    IF last IS NULL THEN
        RETURN 0;
    END IF;
    DELETE FROM cuecard.memory m WHERE m.scope_id = target.id AND m.data IS NULL AND m.counter <= last;
    UPDATE cuecard.scope s SET floor = greatest(s.floor, last) WHERE s.id = target.id;
    RETURN last;
END $$;

GRANT USAGE ON SCHEMA cuecard TO PUBLIC;
GRANT SELECT ON cuecard.schema_version, cuecard.scope, cuecard.member, cuecard.memory, cuecard.audit,
    cuecard.proposal, cuecard.membership TO PUBLIC;
REVOKE EXECUTE ON FUNCTION cuecard.store(bigint, text, bytea, text, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION cuecard.forget(text, integer) FROM PUBLIC;
