/// The statements of the log, except the ones that make its tables.
///
/// Transactions run at READ COMMITTED: each statement sees what was committed before it. A statement that reads rows
/// which another node may change at the same time comes after the statement that locks the head. Where a log database
/// has only stricter levels, it may answer 40001, and the call is made again.
enum SQL {
    // MARK: Sessions

    static let listen = Statement("listen", "LISTEN carillon_log")
    static let unlisten = Statement("unlisten", "UNLISTEN carillon_log")
    static let notify = Statement("notify", "NOTIFY carillon_log")
    static let identity = Statement("identity", "SELECT schema_version, log FROM carillon_head WHERE id = 1")

    /// Returns the settings of a session. A log database that lacks one answers an error, which is ignored.
    static func sessionSettings() -> [StatementCall] {
        var settings = [
            // A timeout would end the wait of a commit for a synchronous standby, and PostgreSQL would answer that the
            // commit is done. A role or database may have set one.
            Statement("no_timeout", "SET statement_timeout = 0"),
            // A wait for a lock ends with an error, which shows that there is no effect, before the deadline ends the
            // call without an answer.
            Statement("lock_timeout", "SET lock_timeout = 2000"),
            // A node that is stopped within a transaction must not keep its locks.
            Statement("idle_timeout", "SET idle_in_transaction_session_timeout = 3000"),
        ]
        // An answered commit is durable, whatever the role or database has set. Stricter settings stay. It holds for
        // renewals too: a primary without its synchronous standby must give no lease.
        settings.append(
            Statement(
                "synced",
                """
                SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off'
                """))
        return settings.map { $0() }
    }

    // MARK: Transactions

    static let begin = Statement("begin", "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("commit", "COMMIT")
    static let rollback = Statement("rollback", "ROLLBACK")
    static let lockHead = Statement(
        "lock_head", "SELECT position, trimmed, incarnations, log FROM carillon_head WHERE id = 1 FOR UPDATE")
    static let lockTrim = Statement("lock_trim", "SELECT id FROM carillon_head WHERE id = 2 FOR UPDATE")

    /// The expression for the milliseconds of the log database's clock.
    private static let now = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)"

    // MARK: Append

    static let storeBody = Statement(
        "store_body", taking: [.int, .int, .bytes],
        "INSERT INTO carillon_body (incarnation, sequence, body) VALUES ($1, $2, $3)")

    /// Gives an entry the next position. If the member is over, or its sequence was used, there is no position, and the
    /// column refuses null (23502). So the transaction fails, and its commit, which is already on its way, is skipped.
    static let assignPosition = Statement(
        "assign_position", taking: [.text, .int, .int, .int], assigningPosition(ifAlso: ""))

    /// Gives the next position, as ``assignPosition`` does, to an entry that has ended another member. It also fails if
    /// ``endNode`` has not ended that member.
    static let assignExpiryPosition = Statement(
        "assign_expiry_position", taking: [.text, .int, .int, .int, .text],
        assigningPosition(
            ifAlso:
                """
                AND EXISTS (SELECT 1 FROM carillon_node WHERE name = $5 AND ended_incarnation = $2
                    AND ended_sequence = $3)
                """))

    private static func assigningPosition(ifAlso condition: String) -> String {
        """
        WITH member AS (
            UPDATE carillon_node SET sequence = $3, appended = $3,
                position = (SELECT position + 1 FROM carillon_head WHERE id = 1)
            WHERE name = $1 AND incarnation = $2 AND ended_incarnation IS NULL AND sequence < $3 \(condition)
            RETURNING name),
        head AS (
            UPDATE carillon_head SET position = position + 1
            WHERE id = 1 AND EXISTS (SELECT 1 FROM member) RETURNING position)
        INSERT INTO carillon_entry (position, incarnation, sequence, bytes)
        VALUES ((SELECT position FROM head), $2, $3, $4) RETURNING position
        """
    }

    /// Ends the lease of a member that was silent. A renewal changes the same row, so one of both comes first.
    static let endLeaseIfSilent = Statement(
        "end_lease_if_silent", taking: [.text, .int, .int, .int],
        """
        UPDATE carillon_progress SET is_over = true WHERE name = $1 AND incarnation = $2 AND NOT is_over
            AND renewals = $3 AND \(now) - renewed_at >= $4
        """)
    static let endLease = Statement(
        "end_lease", taking: [.text, .int],
        "UPDATE carillon_progress SET is_over = true WHERE name = $1 AND incarnation = $2")
    /// Ends a member whose lease has ended.
    static let endNode = Statement(
        "end_node", taking: [.text, .int, .int, .int],
        """
        UPDATE carillon_node SET ended_incarnation = $3, ended_sequence = $4
        WHERE name = $1 AND incarnation = $2 AND ended_incarnation IS NULL
            AND EXISTS (SELECT 1 FROM carillon_progress WHERE name = $1 AND incarnation = $2 AND is_over)
        """)

    static let node = Statement(
        "node", taking: [.text],
        """
        SELECT incarnation, sequence, appended, position, ended_incarnation IS NOT NULL, replica FROM carillon_node
        WHERE name = $1
        """)

    /// Finds an entry by its member and sequence. It searches the whole log, but only if the row of the node has no
    /// answer.
    static let findEntry = Statement(
        "find_entry", taking: [.text, .int, .int],
        """
        SELECT position FROM carillon_entry WHERE incarnation = $2 AND sequence = $3
            AND NOT EXISTS (SELECT 1 FROM carillon_node
                WHERE name = $1 AND incarnation = $2 AND (appended = $3 OR sequence < $3))
        """)
    /// Uses up the sequences to $3: an append with such a sequence that is still on its way has no effect. It changes
    /// the row in any case, as ``SettleJob`` needs it.
    static let closeSequence = Statement(
        "close_sequence", taking: [.text, .int, .int],
        """
        UPDATE carillon_node SET sequence = CASE WHEN incarnation = $2 AND sequence < $3 THEN $3 ELSE sequence END
        WHERE name = $1
        """)

    // MARK: Join

    static let progress = Statement(
        "progress", taking: [.text],
        "SELECT incarnation, lease, address, is_over, \(now) - renewed_at FROM carillon_progress WHERE name = $1")
    /// Stores the number of incarnations, and the position of the entry that says that the newest one joins.
    static let countIncarnation = Statement(
        "count_incarnation", taking: [.int, .int],
        "UPDATE carillon_head SET incarnations = $1, position = $2 WHERE id = 1")
    static let putNode = Statement(
        "put_node", taking: [.text, .int, .bytes, .int],
        """
        INSERT INTO carillon_node (name, incarnation, replica, sequence, appended, position)
        VALUES ($1, $2, $3, 1, 1, $4)
        ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation, replica = excluded.replica, sequence = 1,
            appended = 1, position = excluded.position, ended_incarnation = NULL, ended_sequence = NULL
        """)
    static let putProgress = Statement(
        "put_progress", taking: [.text, .int, .int, .text],
        """
        INSERT INTO carillon_progress (name, incarnation, applied, hash, renewals, renewed_at, lease, address, version,
            newest_format, is_over)
        VALUES ($1, $2, 0, decode('00000000000000000000000000000000', 'hex'), 1, \(now), $3, $4, '', 0, false)
        ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation, applied = 0, hash = excluded.hash,
            renewals = 1, renewed_at = excluded.renewed_at, lease = excluded.lease, address = excluded.address,
            version = '', newest_format = 0, is_over = false
        """)
    static let putEntry = Statement(
        "put_entry", taking: [.int, .int, .int, .int],
        "INSERT INTO carillon_entry (position, incarnation, sequence, bytes) VALUES ($1, $2, $3, $4)")

    // MARK: Read

    /// Reads the entries after $1: at most $2, and as many as have at most $3 bytes, but the first in any case. It uses
    /// a range instead of LIMIT, because positions are dense.
    static let read = Statement(
        "read", taking: [.int, .int, .int],
        """
        SELECT page.position, body.body FROM (
            SELECT position, incarnation, sequence, SUM(bytes) OVER (ORDER BY position) AS total FROM carillon_entry
            WHERE position > $1 AND position <= $1 + $2) AS page
        JOIN carillon_body AS body ON body.incarnation = page.incarnation AND body.sequence = page.sequence
        WHERE page.total <= $3 OR page.position = $1 + 1 ORDER BY page.position
        """)
    static let head = Statement("head", "SELECT position, trimmed, log FROM carillon_head WHERE id = 1")

    // MARK: Leases

    static let renew = Statement(
        "renew", taking: [.text, .int, .int, .bytes, .int, .text, .text, .int],
        """
        UPDATE carillon_progress SET applied = $3, hash = $4, lease = $5, address = $6, version = $7,
            newest_format = $8, renewals = renewals + 1, renewed_at = \(now)
        WHERE name = $1 AND incarnation = $2 AND NOT is_over RETURNING renewals
        """)
    static let nodes = Statement(
        "nodes", taking: [.int],
        """
        SELECT name, incarnation, applied, hash, lease, address, version, newest_format, renewals, \(now) - renewed_at,
            is_over FROM carillon_progress ORDER BY is_over, name LIMIT $1
        """)

    // MARK: Snapshots

    static let snapshots = Statement(
        "snapshots", taking: [.int],
        """
        SELECT id, name, incarnation, position, hash, format, chunks, bytes FROM carillon_snapshot WHERE slot IS NULL
        ORDER BY position DESC, id DESC LIMIT $1
        """)
    /// Reads the snapshot that is being made, and whether its node still lives.
    static let snapshotUnderWay = Statement(
        "snapshot_under_way",
        """
        SELECT id, name, incarnation, EXISTS (SELECT 1 FROM carillon_progress AS progress
            WHERE progress.name = carillon_snapshot.name AND progress.incarnation = carillon_snapshot.incarnation
                AND NOT progress.is_over)
        FROM carillon_snapshot WHERE slot IS NOT NULL
        """)
    static let beginSnapshot = Statement(
        "begin_snapshot", taking: [.text, .int, .int, .bytes, .int],
        """
        INSERT INTO carillon_snapshot (id, slot, name, incarnation, position, hash, format, chunks, bytes)
        SELECT COALESCE(MAX(id), 0) + 1, 1, $1, $2, $3, $4, $5, 0, 0 FROM carillon_snapshot RETURNING id
        """)
    static let putSnapshotChunk = Statement(
        "put_chunk", taking: [.int, .int, .bytes],
        """
        INSERT INTO carillon_chunk (snapshot, number, body) SELECT $1, $2, $3
        WHERE EXISTS (SELECT 1 FROM carillon_snapshot WHERE id = $1 AND slot IS NOT NULL)
        ON CONFLICT (snapshot, number) DO UPDATE SET body = excluded.body RETURNING number
        """)
    /// Completes a snapshot if all of its $2 chunks are stored, with the numbers from 0 on. It returns no row if a
    /// chunk is missing, or if the snapshot is complete already.
    static let completeSnapshot = Statement(
        "complete_snapshot", taking: [.int, .int],
        """
        UPDATE carillon_snapshot SET slot = NULL, chunks = $2,
            bytes = (SELECT CAST(COALESCE(SUM(octet_length(body)), 0) AS bigint) FROM carillon_chunk
                WHERE snapshot = $1)
        WHERE id = $1 AND slot IS NOT NULL
            AND $2 = (SELECT COUNT(*) FROM carillon_chunk WHERE snapshot = $1 AND number < $2)
            AND $2 = (SELECT COUNT(*) FROM carillon_chunk WHERE snapshot = $1) RETURNING id
        """)
    /// Reads whether a snapshot is complete, and the number of its chunks.
    static let snapshotState = Statement(
        "is_snapshot", taking: [.int], "SELECT slot IS NULL, chunks FROM carillon_snapshot WHERE id = $1")
    static let snapshotChunk = Statement(
        "chunk", taking: [.int, .int], "SELECT body FROM carillon_chunk WHERE snapshot = $1 AND number = $2")
    static let removeSnapshotChunks = Statement(
        "remove_chunks", taking: [.int, .int],
        """
        DELETE FROM carillon_chunk WHERE snapshot = $1 AND number IN (
            SELECT number FROM carillon_chunk WHERE snapshot = $1 ORDER BY number LIMIT $2) RETURNING number
        """)
    static let removeSnapshot = Statement(
        "remove_snapshot", taking: [.int], "DELETE FROM carillon_snapshot WHERE id = $1")
    static let oldSnapshots = Statement(
        "old_snapshots", taking: [.int],
        "SELECT id FROM carillon_snapshot WHERE slot IS NULL AND position < $1 ORDER BY id")

    // MARK: Trim

    /// Moves the beginning of the log past $1, if a snapshot contains what is removed. The entries are removed
    /// afterwards, in bounded steps.
    static let markTrimmed = Statement(
        "mark_trimmed", taking: [.int],
        """
        UPDATE carillon_head SET trimmed = $1 WHERE id = 1 AND trimmed < $1 AND position >= $1
            AND EXISTS (SELECT 1 FROM carillon_snapshot WHERE slot IS NULL AND position >= $1)
        """)
    static let removeBodies = Statement(
        "remove_bodies", taking: [.int, .int],
        """
        DELETE FROM carillon_body WHERE (incarnation, sequence) IN (
            SELECT incarnation, sequence FROM carillon_entry WHERE position <= $1 ORDER BY position LIMIT $2)
        """)
    static let removeEntries = Statement(
        "remove_entries", taking: [.int, .int],
        """
        DELETE FROM carillon_entry WHERE position IN (
            SELECT position FROM carillon_entry WHERE position <= $1 ORDER BY position LIMIT $2) RETURNING position
        """)
}
