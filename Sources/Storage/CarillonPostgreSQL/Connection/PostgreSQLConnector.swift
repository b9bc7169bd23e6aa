import CCarillonPostgreSQL
import CarillonClock
import CarillonCluster
import CarillonCore
import Glibc

/// Makes a connection and its session, on a thread that may wait: libpq resolves names with the system's resolver,
/// which has no deadline, also in its asynchronous mode.
struct PostgreSQLConnector: Sendable {
    enum Purpose: Hashable, CaseIterable, Sendable {
        /// The session appends entries.
        case append
        /// The session reads entries, and notifications come in.
        case read
        /// The session renews leases.
        case control
        /// The session stores and reads snapshots, and trims the log.
        case bulk
    }

    /// A session that is ready.
    struct Session: Sendable {
        var connection: PostgreSQLConnection
        var features = DatabaseFeatures()
        /// The name of the log; nil if the database has no tables yet.
        var log: UUIDBytes?
    }

    /// The milliseconds for connecting and preparing a session.
    static let timeoutMilliseconds: UInt64 = 5_000

    let library: LibPQ
    let connectionString: ConnectionString
    let usesNotifications: Bool

    /// Connects and prepares a session. Waits up to ``timeoutMilliseconds``, and for the resolver.
    func connect(_ purpose: Purpose) throws(LogError) -> Session {
        let deadline = Clock.uptime() + Self.timeoutMilliseconds
        var session = Session(connection: try connect(until: deadline))
        for call in SQL.sessionSettings() {
            // If the log database lacks a setting, there is nothing to set.
            _ = try run([call], on: session.connection, until: deadline)
        }
        if usesNotifications, purpose == .read || purpose == .append {
            // A log database that can listen can notify.
            session.features.hasNotifications = try run([SQL.listen()], on: session.connection, until: deadline) != nil
            if purpose == .append, session.features.hasNotifications {
                _ = try run([SQL.unlisten()], on: session.connection, until: deadline)
            }
        }
        if let rows = try run([SQL.identity()], on: session.connection, until: deadline), let first = rows.first,
            !first.isEmpty
        {
            try Schema.check(version: try first.row(0).int(0))
            session.log = try first.row(0).uuid(1)
        }
        return session
    }

    private func connect(until deadline: Uptime) throws(LogError) -> PostgreSQLConnection {
        // If a keyword has two values, the later one counts: first come the defaults, then the connection string, then
        // the values that the string may not set.
        let options =
            ConnectionString.defaults.map { ($0.keyword, $0.value) }
            + [("dbname", connectionString.text), ("client_encoding", "UTF8")]
        let connection = Self.withPointers(options.map(\.0)) { keywords in
            Self.withPointers(options.map(\.1)) { values in library.call.PQconnectStartParams(keywords, values, 1) }
        }
        guard let connection else { throw .unavailable(.none, "no memory for a connection") }
        _ = library.call.PQsetErrorVerbosity(connection, LibPQ.verbosityVerbose)
        var next = LibPQ.pollingWriting
        while next != LibPQ.pollingOK {
            guard next != LibPQ.pollingFailed, library.call.PQstatus(connection) != LibPQ.statusBad else {
                defer { library.call.PQfinish(connection) }
                throw failure(of: connection)
            }
            let events = next == LibPQ.pollingReading ? POLLIN : POLLOUT
            guard Self.wait(for: events, on: library.call.PQsocket(connection), until: deadline) else {
                library.call.PQfinish(connection)
                throw .unavailable(.none, "no connection within \(Self.timeoutMilliseconds) ms")
            }
            next = library.call.PQconnectPoll(connection)
        }
        return try PostgreSQLConnection(connection, of: library, connectionString: connectionString)
    }

    /// Returns the reason why a connection was not made.
    private func failure(of connection: OpaquePointer) -> LogError {
        let text = library.errorText(of: connection)
        let reason = connectionString.redacted(text)
        guard let state = SQLFault.state(inVerbose: text) else {
            // libpq's own words: no answer, no such host, or a certificate or TLS that the settings do not allow. The
            // last may pass too: the log database is being set up.
            return .unavailable(.none, reason)
        }
        let isRefused = state.hasPrefix("28") || state.hasPrefix("3D") || state.hasPrefix("42")
        return isRefused ? .refused(reason) : .unavailable(.none, reason)
    }

    /// Carries out calls and waits for their answers. Returns nil if the log database refuses one, for example because
    /// it lacks a table.
    private func run(
        _ calls: [StatementCall], on connection: PostgreSQLConnection, until deadline: Uptime
    ) throws(LogError) -> [Rows]? {
        guard connection.send(Pipeline.notCommitting(calls)) else {
            throw .unavailable(.none, "the connection was lost")
        }
        while true {
            switch connection.receive() {
            case .waiting: break
            case .broken(let reason): throw .unavailable(.none, reason)
            case .answered(let results):
                var rows: [Rows] = []
                for result in results {
                    switch result {
                    case .rows(let found): rows.append(found)
                    case .failed(let fault) where fault.meaning == .refused: return nil
                    case .failed(let fault): throw fault.failure
                    case .skipped: return nil
                    }
                }
                return rows
            }
            let events = connection.hasOutput ? POLLIN | POLLOUT : POLLIN
            guard Self.wait(for: events, on: connection.socket, until: deadline) else {
                throw .unavailable(.none, "no session within \(Self.timeoutMilliseconds) ms")
            }
            guard connection.flush() else { throw .unavailable(.none, "the connection was lost") }
        }
    }

    /// Waits until a socket is ready. Returns false if the deadline has passed.
    private static func wait(for events: Int32, on socket: Int32, until deadline: Uptime) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            let left = deadline.milliseconds(since: Clock.uptime())
            guard left > 0 else { return false }
            let ready = poll(&descriptor, 1, Int32(min(left, 60_000)))
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
        }
    }

    /// Calls `body` with texts as an array of C strings that ends with nil.
    private static func withPointers<R>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        var bytes: [CChar] = []
        let offsets = texts.map { text in
            defer { bytes += text.utf8CString }
            return bytes.count
        }
        return bytes.withUnsafeBufferPointer { buffer in
            let pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } } + [nil]
            return pointers.withUnsafeBufferPointer { pointers in
                guard let base = pointers.baseAddress else { preconditionFailure("it has at least one element") }
                return body(base)
            }
        }
    }
}
