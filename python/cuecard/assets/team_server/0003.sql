-- The functions that change memories. They replace those that servers of the first two versions have.

-- Store the changes whose expected versions are there. The outcome of each is `accepted`, `conflict` with the version
-- that is there, or `proposed`.
CREATE OR REPLACE FUNCTION cuecard.push(wanted text, paths text[], expected text[], contents bytea[])
    RETURNS TABLE (path text, outcome text, current bytea)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    who text := cuecard.caller();
    granted text;
    target bigint;
    there cuecard.memory;
    after text;
BEGIN
    SELECT s.id, m.may INTO target, granted FROM cuecard.scope s JOIN cuecard.member m ON m.scope_id = s.id
        WHERE s.name = wanted AND m.login = who;
    IF granted IS NULL OR granted = 'read' THEN
        RAISE EXCEPTION 'you may not push to the scope `%`', wanted USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- One push after the other: numbers become visible in their order.
    PERFORM 1 FROM cuecard.scope s WHERE s.id = target FOR UPDATE;
    FOR place IN 1 .. cardinality(paths) LOOP
        IF paths[place] !~ '^[a-z-]{1,20}/[a-z0-9-]{1,80}\.json$' OR octet_length(contents[place]) > 262144 THEN
            RAISE EXCEPTION 'a memory has a name or a size that is not allowed' USING ERRCODE = 'check_violation';
        END IF;
        SELECT * INTO there FROM cuecard.memory m WHERE m.scope_id = target AND m.path = paths[place];
        after := CASE WHEN contents[place] IS NULL THEN '' ELSE encode(sha256(contents[place]), 'hex') END;
        path := paths[place];
        current := NULL;
        IF coalesce(there.hash, '') = after THEN
            outcome := 'accepted';
        ELSIF coalesce(there.hash, '') IS DISTINCT FROM expected[place] THEN
            outcome := 'conflict';
            current := there.data;
        ELSIF granted = 'propose' THEN
            outcome := 'proposed';
            -- A changed proposal has a new number: what somebody has read under the old one cannot change behind it.
            DELETE FROM cuecard.proposal p WHERE p.scope_id = target AND p.path = paths[place] AND p.login = who;
            INSERT INTO cuecard.proposal (scope_id, path, expected, hash, data, login)
                VALUES (target, paths[place], expected[place], after, contents[place], who);
        ELSE
            outcome := 'accepted';
            PERFORM cuecard.store(target, paths[place], contents[place], who, NULL);
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

-- Accept or reject a proposal. False if the memory has changed since it was made; then the proposal stays.
CREATE OR REPLACE FUNCTION cuecard.decide(number bigint, is_accepted boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made cuecard.proposal;
    there text;
BEGIN
    SELECT * INTO made FROM cuecard.proposal p WHERE p.id = number;
    IF made.id IS NULL OR coalesce(cuecard.right_in(made.scope_id), '') NOT IN ('write', 'administer') THEN
        RAISE EXCEPTION 'there is no proposal % that you may decide', number USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM 1 FROM cuecard.scope s WHERE s.id = made.scope_id FOR UPDATE;
    SELECT * INTO made FROM cuecard.proposal p WHERE p.id = number;
    IF made.id IS NULL THEN
        RAISE EXCEPTION 'there is no proposal % that you may decide', number USING ERRCODE = 'insufficient_privilege';
    END IF;
    there := coalesce((SELECT m.hash FROM cuecard.memory m WHERE m.scope_id = made.scope_id AND m.path = made.path), '');
    IF is_accepted AND there <> made.expected AND there <> made.hash THEN
        RETURN false;
    END IF;
    IF is_accepted AND there <> made.hash THEN
        PERFORM cuecard.store(made.scope_id, made.path, made.data, cuecard.caller(), made.login);
    END IF;
    DELETE FROM cuecard.proposal p WHERE p.id = number;
    RETURN true;
END $$;
