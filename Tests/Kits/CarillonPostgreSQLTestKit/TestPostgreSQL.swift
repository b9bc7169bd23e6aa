import CarillonClusterTestKit
import Foundation
import Synchronization

/// A PostgreSQL server of the tests: in a temporary directory, on a free port of the loopback address, as a user
/// without privileges. It ends with the process of the tests, also when that is killed: a shell waits for the end of a
/// pipe, stops the server and removes its data.
// Safety: everything but `process` is constant; `process` is touched with `lock` held.
package final class TestPostgreSQL: @unchecked Sendable {
    private static let programs = "/usr/lib/postgresql/15/bin"
    private static let sharedServer = Mutex<TestPostgreSQL?>(nil)

    package let directory: String
    package let port: Int
    private let reservation: Int32
    private let lock = NSLock()
    private var process: (process: Process, input: Pipe)?

    /// Returns the server of all tests that do not stop it.
    package static func shared() throws -> TestPostgreSQL {
        try sharedServer.withLock { server in
            if let server { return server }
            let made = try TestPostgreSQL()
            server = made
            return made
        }
    }

    /// Makes a server with its data and starts it. It has TLS, and users that need a password or TLS.
    package init() throws {
        guard FileManager.default.fileExists(atPath: Self.programs + "/postgres") else {
            throw ScenarioFailure(description: "PostgreSQL is missing: Tools/test installs it (postgresql-15)")
        }
        directory = NSTemporaryDirectory() + "/carillon-postgresql-\(UUID().uuidString)"
        (port, reservation) = try Self.reservePort()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Self.run(["/bin/chown", "\(Self.user):", directory], asServerUser: false)
        try Self.run([
            Self.programs + "/initdb", "--pgdata", directory + "/data", "--username", "owner", "--auth", "trust",
            "--encoding", "UTF8", "--no-sync",
        ])
        try Self.run([
            "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2",
            "-keyout", directory + "/data/server.key", "-out", directory + "/data/server.crt",
        ])
        try Self.run([
            "/bin/sh", "-c",
            """
            cat > \(directory)/data/pg_hba.conf <<END
            local all all trust
            host all owner 127.0.0.1/32 trust
            host all with_password 127.0.0.1/32 scram-sha-256
            hostssl all with_tls 127.0.0.1/32 trust
            END
            """,
        ])
        try start()
        try query(
            """
            CREATE USER with_password PASSWORD 'correct horse' SUPERUSER; CREATE USER with_tls SUPERUSER;
            CREATE USER without_rights;
            """)
    }

    deinit {
        stop()
        close(reservation)
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Starts the server and waits until it answers.
    package func start() throws {
        let process = Process()
        let input = Pipe()
        let server =
            "\(Self.programs)/postgres -D \(directory)/data -p \(port) -c listen_addresses=127.0.0.1 "
            + "-c unix_socket_directories=\(directory) -c fsync=off -c ssl=on -c max_connections=200 -c "
            + "shared_buffers=32MB"
        // The second shell reads until the tests close the pipe or are gone. SIGINT ends all sessions and stops the
        // server.
        let remove = "while kill -0 $$; do sleep 0.1; done; rm -rf \(directory)"
        let watch =
            "exec 3<&0; (read line <&3; kill -INT $$; [ \"$line\" = keep ] || { \(remove); }) > /dev/null 2>&1 &"
        let script = "\(watch) exec \(server) < /dev/null >> \(directory)/log 2>&1 3<&-"
        (process.executableURL, process.arguments) = Self.asUser(["/bin/sh", "-c", script])
        process.standardInput = input
        try process.run()
        lock.withLock { self.process = (process, input) }
        try Self.run([
            "/bin/sh", "-c",
            """
            for try in $(seq 600); do
                \(Self.programs)/pg_isready -q -h 127.0.0.1 -p \(port) -U owner -d postgres && exit 0; sleep 0.05
            done
            cat \(directory)/log; exit 1
            """,
        ])
    }

    /// Stops the server and waits for its end. Its data stays.
    package func stop() {
        let running = lock.withLock { process.take() }
        try? running?.input.fileHandleForWriting.write(contentsOf: Array("keep\n".utf8))
        try? running?.input.fileHandleForWriting.close()
        running?.process.waitUntilExit()
    }

    /// Carries out SQL, and returns the rows as text.
    @discardableResult
    package func query(_ sql: String) throws -> String {
        try Self.run(
            [
                Self.programs + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p",
                "\(port)", "-U", "owner", "-d", "postgres", "-c", sql,
            ], asServerUser: false)
    }

    /// Lets the process of the tests read the certificate, which belongs to the server's user.
    package func allowReadingCertificate() throws {
        try Self.run(["/bin/chmod", "755", directory, directory + "/data"])
    }

    /// Makes a new schema, in which a test has its tables.
    package func newSchema() throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().filter(\.isHexDigit)
        try query("CREATE SCHEMA \(name)")
        return name
    }

    /// Returns the connection string for a schema, over another port if one is given. `parameters` are further ones of
    /// libpq, such as `sslmode=disable`.
    package func connection(
        to schema: String, port: Int? = nil, user: String = "owner", parameters: String = ""
    ) -> String {
        "host=127.0.0.1 port=\(port ?? self.port) user=\(user) dbname=postgres options='-c search_path=\(schema)' "
            + "\(parameters)"
    }

    // MARK: Processes

    /// The user as which the server runs: PostgreSQL refuses to run as root.
    private static var user: String { getuid() == 0 ? "postgres" : NSUserName() }

    private static func asUser(_ arguments: [String]) -> (URL, [String]) {
        guard getuid() == 0 else { return (URL(fileURLWithPath: arguments[0]), Array(arguments.dropFirst())) }
        return (
            URL(fileURLWithPath: "/usr/bin/setpriv"), ["--reuid", user, "--regid", user, "--init-groups"] + arguments
        )
    }

    @discardableResult
    private static func run(_ arguments: [String], asServerUser isServerUser: Bool = true) throws -> String {
        let process = Process()
        let output = Pipe()
        (process.executableURL, process.arguments) =
            isServerUser ? asUser(arguments) : (URL(fileURLWithPath: arguments[0]), Array(arguments.dropFirst()))
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ScenarioFailure(description: "\(arguments[0]): \(text)") }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Reserves a port on which no process listens, until the descriptor is closed. Neither another run of these tests
    /// nor the system tests, which lock the same files, take it before the server listens, or while it starts again. It
    /// is below 32,768, where the ports begin that the system gives out by itself.
    private static func reservePort() throws -> (port: Int, reservation: Int32) {
        let folder = NSTemporaryDirectory() + "/carillon-reserved-ports-\(getuid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for _ in 0..<1_000 {
            let port = Int.random(in: 10_000..<32_768)
            let file = open("\(folder)/\(port)", O_CREAT | O_RDWR | O_CLOEXEC, 0o666)
            guard file >= 0 else { throw ScenarioFailure(description: "\(folder) takes no files") }
            if flock(file, LOCK_EX | LOCK_NB) == 0, let listener = LoopbackSocket.listener(port: port) {
                close(listener.descriptor)
                return (port, file)
            }
            close(file)
        }
        throw ScenarioFailure(description: "no free port")
    }
}
