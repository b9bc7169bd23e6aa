import CarillonCluster

/// The tables of the log. The first node creates them, in the schema that the session's search path names first.
///
/// No table has a trigger, a sequence or a foreign key, and only `carillon_head` is locked by every append: PostgreSQL,
/// CockroachDB and YugabyteDB all have the features that are used here.
enum Schema {
    /// The version of the tables. It changes when a program of the version before could not use the new tables.
    static let version: Int64 = 1

    /// Creates the tables that are missing.
    ///
    /// - `carillon_head`: row 1 is the head of the log; row 2 is locked while the log is trimmed.
    /// - `carillon_node`: the last incarnation of each node. `sequence` is the greatest that was appended or settled,
    ///   `appended` and `position` are of the last entry. `ended_incarnation` and `ended_sequence` name the entry with
    ///   which the incarnation was over.
    /// - `carillon_progress`: the values that a renewal changes, in a table of their own, so that a renewal never waits
    ///   for an append.
    /// - `carillon_entry`: the positions; `carillon_body`: the entries' bytes, which are stored before the head is
    ///   locked.
    /// - `carillon_snapshot`: `slot` is 1 while it is made and null afterwards: unique, so one is made at a time.
    /// - `carillon_chunk`: the bytes of snapshots.
    static let tables: [Statement] = [
        Statement(
            "create_node",
            """
            CREATE TABLE IF NOT EXISTS carillon_node (
                name text PRIMARY KEY, incarnation bigint NOT NULL, replica bytea NOT NULL, sequence bigint NOT NULL,
                appended bigint NOT NULL, position bigint NOT NULL, ended_incarnation bigint, ended_sequence bigint)
            """),
        Statement(
            "create_progress",
            """
            CREATE TABLE IF NOT EXISTS carillon_progress (
                name text PRIMARY KEY, incarnation bigint NOT NULL, applied bigint NOT NULL, hash bytea NOT NULL,
                renewals bigint NOT NULL, renewed_at bigint NOT NULL, lease bigint NOT NULL, address text NOT NULL,
                version text NOT NULL, newest_format bigint NOT NULL, is_over boolean NOT NULL)
            """),
        Statement(
            "create_entry",
            """
            CREATE TABLE IF NOT EXISTS carillon_entry (
                position bigint PRIMARY KEY, incarnation bigint NOT NULL, sequence bigint NOT NULL,
                bytes bigint NOT NULL)
            """),
        Statement(
            "create_body",
            """
            CREATE TABLE IF NOT EXISTS carillon_body (
                incarnation bigint NOT NULL, sequence bigint NOT NULL, body bytea NOT NULL,
                PRIMARY KEY (incarnation, sequence))
            """),
        Statement(
            "create_snapshot",
            """
            CREATE TABLE IF NOT EXISTS carillon_snapshot (
                id bigint PRIMARY KEY, slot bigint UNIQUE, name text NOT NULL, incarnation bigint NOT NULL,
                position bigint NOT NULL, hash bytea NOT NULL, format bigint NOT NULL, chunks bigint NOT NULL,
                bytes bigint NOT NULL)
            """),
        Statement(
            "create_chunk",
            """
            CREATE TABLE IF NOT EXISTS carillon_chunk (
                snapshot bigint NOT NULL, number bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (snapshot, number))
            """),
        Statement(
            "create_head",
            """
            CREATE TABLE IF NOT EXISTS carillon_head (
                id bigint PRIMARY KEY, schema_version bigint NOT NULL, log bytea NOT NULL, position bigint NOT NULL,
                trimmed bigint NOT NULL, incarnations bigint NOT NULL)
            """),
    ]

    /// Inserts the rows of the head, if no other node has inserted them. It is the last step: a log whose head is there
    /// has all tables, also where tables are not created within transactions.
    static let head = Statement(
        "insert_head_rows", taking: [.int, .bytes],
        """
        INSERT INTO carillon_head (id, schema_version, log, position, trimmed, incarnations)
        VALUES (1, $1, $2, 0, 0, 0), (2, $1, $2, 0, 0, 0) ON CONFLICT (id) DO NOTHING
        """)

    /// Stores bytes as they are, on log databases that would try to compress them. Tokens are random, and without the
    /// attempt PostgreSQL 15 appends up to twice as often.
    static let uncompressed: [Statement] = [
        Statement("uncompressed_bodies", "ALTER TABLE carillon_body ALTER COLUMN body SET STORAGE EXTERNAL"),
        Statement("uncompressed_chunks", "ALTER TABLE carillon_chunk ALTER COLUMN body SET STORAGE EXTERNAL"),
    ]

    /// Checks the version of the tables.
    ///
    /// - Throws: `.refused` if another version of the program has created the tables.
    static func check(version found: Int64) throws(LogError) {
        guard found == version else {
            throw .refused("the tables of the log are of version \(found), and this program needs version \(version)")
        }
    }
}
