-- Tables of achievements as version 1 made them, with members settled under a list of tracks in
-- which "host" was earned by signups and "founder" by organizations, and then, after signups and
-- organizations had changed places in that list, partly settled anew: "founder" has no level 2.
CREATE TABLE member_counters (
    member TEXT PRIMARY KEY, tracking_code TEXT, organization TEXT,
    page_views INTEGER NOT NULL DEFAULT 0, unique_visitors INTEGER NOT NULL DEFAULT 0,
    link_clicks INTEGER NOT NULL DEFAULT 0, signups INTEGER NOT NULL DEFAULT 0,
    organizations INTEGER NOT NULL DEFAULT 0, paid_accounts INTEGER NOT NULL DEFAULT 0,
    CHECK (organizations <= signups AND paid_accounts <= organizations)
) WITHOUT ROWID;
CREATE TABLE counter_events (
    number INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, payload TEXT NOT NULL,
    at_ms INTEGER NOT NULL
);
CREATE TABLE achievement_standings (
    member TEXT PRIMARY KEY, board TEXT, version INTEGER NOT NULL DEFAULT 0,
    points INTEGER NOT NULL DEFAULT 0, edition INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0,
    page_views_total INTEGER NOT NULL DEFAULT 0, page_views_level INTEGER NOT NULL DEFAULT 0,
    unique_visitors_total INTEGER NOT NULL DEFAULT 0, unique_visitors_level INTEGER NOT NULL DEFAULT 0,
    link_clicks_total INTEGER NOT NULL DEFAULT 0, link_clicks_level INTEGER NOT NULL DEFAULT 0,
    signups_total INTEGER NOT NULL DEFAULT 0, signups_level INTEGER NOT NULL DEFAULT 0,
    organizations_total INTEGER NOT NULL DEFAULT 0, organizations_level INTEGER NOT NULL DEFAULT 0,
    paid_accounts_total INTEGER NOT NULL DEFAULT 0, paid_accounts_level INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX achievement_standings_by_board ON achievement_standings (board, version);
CREATE TABLE achievement_unlocks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, member TEXT NOT NULL, achievement TEXT NOT NULL,
    level INTEGER NOT NULL, points INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    UNIQUE (member, achievement, level)
);
CREATE TABLE achievement_boards (
    board TEXT PRIMARY KEY, version INTEGER NOT NULL, base INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE achievement_nights (
    night TEXT PRIMARY KEY, reconciled_ms INTEGER, outcome TEXT, decided_ms INTEGER
) WITHOUT ROWID;
CREATE TABLE achievement_sweeps (
    number INTEGER PRIMARY KEY AUTOINCREMENT, night TEXT, started_ms INTEGER NOT NULL,
    ended_ms INTEGER, scanned INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
    unlocked INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE achievement_state (
    id INTEGER PRIMARY KEY CHECK (id = 1), schema_version INTEGER NOT NULL,
    published_to INTEGER NOT NULL, swept_to TEXT NOT NULL
);
INSERT INTO achievement_state VALUES (1, 1, 6, '');
INSERT INTO achievement_sweeps (started_ms, ended_ms, scanned, counted) VALUES (4000, 5500, 2, 1);
INSERT INTO achievement_boards VALUES ('acme', 3, 0);
-- ann: signups 12, organizations 6; settled by the right list.
INSERT INTO member_counters VALUES ('ann', 'a', 'acme', 0, 0, 0, 12, 6, 0);
INSERT INTO achievement_standings
    VALUES ('ann', 'acme', 1, 110, 77, 4, 0, 0, 0, 0, 0, 0, 12, 2, 6, 2, 0, 0);
INSERT INTO achievement_unlocks (member, achievement, level, points, at_ms) VALUES
    ('ann', 'host', 1, 10, 1000), ('ann', 'host', 2, 30, 1000),
    ('ann', 'founder', 1, 20, 1000), ('ann', 'founder', 2, 50, 1000);
-- bob: settled by the wrong list, which took his two levels of "host" for ones of "founder".
INSERT INTO member_counters VALUES ('bob', 'b', 'acme', 0, 0, 0, 30, 1, 0);
INSERT INTO achievement_standings
    VALUES ('bob', 'acme', 3, 210, 78, 0, 0, 0, 0, 0, 0, 0, 30, 3, 1, 1, 0, 0);
INSERT INTO achievement_unlocks (member, achievement, level, points, at_ms) VALUES
    ('bob', 'founder', 1, 20, 1000), ('bob', 'founder', 3, 120, 2000);
INSERT INTO counter_events (event_id, payload, at_ms) VALUES ('once', '0,0,0,12,6,0 ann', 1000);
