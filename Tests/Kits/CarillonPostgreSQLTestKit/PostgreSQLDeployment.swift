package import CarillonCluster
package import CarillonClusterTestKit
package import CarillonPostgreSQL
import Synchronization

/// A schema of a PostgreSQL server under test. The connections of each node go through a proxy of its own.
package final class PostgreSQLDeployment: LogDeployment {
    package let server: TestPostgreSQL
    package let schema: String
    private let polling: PostgreSQLLog.Polling
    private let proxies = Mutex<[(log: any SharedLog, proxy: MessageProxy)]>([])

    package init(_ server: TestPostgreSQL, polling: PostgreSQLLog.Polling = PostgreSQLLog.Polling()) throws {
        self.server = server
        self.polling = polling
        schema = try server.newSchema()
    }

    deinit {
        for (log, _) in proxies.withLock({ $0 }) { log.close() }
    }

    package func log() throws -> any SharedLog {
        let proxy = try MessageProxy(to: server.port)
        let connection = server.connection(
            to: schema, port: proxy.port, parameters: "sslmode=disable gssencmode=disable")
        let log = try PostgreSQLLog(connection, polling: polling)
        proxies.withLock { $0.append((log, proxy)) }
        return log
    }

    package func proxy(of log: any SharedLog) throws -> MessageProxy {
        guard let found = proxies.withLock({ $0.first { $0.log === log }?.proxy }) else {
            throw ScenarioFailure(description: "another log")
        }
        return found
    }

    package func run(until condition: @escaping @Sendable () -> Bool) {}

    package func loseNextAppend(of log: any SharedLog, _ end: SimulatedLogDatabase.AppendEnd) throws {
        switch end {
        case .lost: try proxy(of: log).set(.loseCommit)
        case .applied: try proxy(of: log).set(.loseAnswer)
        case .late: try proxy(of: log).set(.holdPlacement)
        }
    }

    package func deliverLateAppends() throws {
        for (_, proxy) in proxies.withLock({ $0 }) { proxy.release() }
    }

    package func stopDatabase() throws { server.stop() }
    package func startDatabase() throws { try server.start() }
}
