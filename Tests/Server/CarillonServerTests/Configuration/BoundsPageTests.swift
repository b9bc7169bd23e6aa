import CarillonCore
import CarillonTestKit
import NIOCore
import Testing

@testable import CarillonCluster
@testable import CarillonDelivery
@testable import CarillonHTTP
@testable import CarillonPostgreSQL
@testable import CarillonRegistry
@testable import CarillonServer
@testable import CarillonSession
@testable import CarillonTransport

/// The bounds on the page Threads and bounds are those of the code.
struct BoundsPageTests {
    /// A row of a table of bounds.
    struct Row: Sendable, CustomTestStringConvertible {
        /// The first cell.
        var subject: String
        /// The beginning of the second cell.
        var bound: String
        var testDescription: String { subject }
    }

    private static let server: [Row] = {
        let session = SessionLimits()
        let registry = LMDBRegistry.Options()
        let port = HTTPLimits()
        let engine = DeliveryEngine.Limits()
        let browsers = WebPushPool.Limits()
        return [
            Row(
                subject: "requests of one connection",
                bound: grouped(Int(session.outstandingRequests))
                    + " outstanding, \(size(session.outstandingBytes)) of payload"),
            Row(
                subject: "answers of one connection",
                bound: size(Listener.waterMark.high)
                    + ", \(GracefulClose.stallTimeout.nanoseconds / 1_000_000_000) s "),
            Row(
                subject: "time of a loop for one principal",
                bound: "\(Double(LoopTurns.timeSliceNanoseconds) / 1_000_000) ms"),
            Row(subject: "events of one client", bound: "its credit, and \(size(session.eventBytesWaiting)) of output"),
            Row(
                subject: "changes that wait for the writer",
                bound: "\(grouped(registry.maximumQueueChanges)), \(size(registry.maximumQueueBytes))"),
            Row(subject: "connections of an HTTP port", bound: "\(port.connections)"),
            Row(
                subject: "bodies of HTTP requests",
                bound: "\(size(port.bodyBytes)) each, \(size(port.totalBodyBytes)) together"),
            Row(subject: "connections within the process", bound: "\(InProcessConnectionPool.maximumConnections)"),
            Row(subject: "sessions of the console", bound: "\(SessionTable.maximumSessions)"),
            Row(
                subject: "connections of the metrics port",
                bound: "\(MetricsPort.maximumConnections), with \(size(MetricsPort.maximumBodyBytes)) a body"),
            Row(
                subject: "the database",
                bound: "\(SpaceMonitor.messagePercent) %, \(SpaceMonitor.registrationPercent) % of"),
            Row(subject: "messages in memory", bound: grouped(engine.messages)),
            Row(subject: "recipients in memory", bound: grouped(engine.recipients)),
            Row(subject: "deliveries in flight or not on disk", bound: grouped(engine.unrecordedDeliveries)),
            Row(subject: "pushes to browsers with one VAPID key", bound: grouped(browsers.deliveries)),
            Row(subject: "pushes to one push service that is slow", bound: "\(browsers.deliveriesOfService)"),
            Row(subject: "push services with connections", bound: "\(browsers.services)"),
        ]
    }()

    private static let node: [Row] = {
        let options = ClusterNode.Options(name: NodeName("a")!, replicaID: .zero)
        return [
            Row(
                subject: "calls that wait for one connection to PostgreSQL", bound: "\(JobQueue.maximumJobs)"),
            Row(subject: "batches whose end is not known", bound: "\(BatchesInFlight.maximumCount), one"),
            Row(
                subject: "entries that are read and not applied",
                bound: "\(grouped(options.maximumQueuedEntries)), \(size(options.maximumQueuedBytes))"),
            Row(
                subject: "time since the last renewal of the lease",
                bound: "\(options.times.leaseMilliseconds / 1_000) s"),
        ]
    }()

    private static let cells: [String: String] = {
        let rows = PageTable.rowsOfAll(
            of: "Sources/Documentation/ThreadsAndBounds.md", head: "| what | bound |")
        return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }()

    @Test(arguments: server + node) func `the page has the bound of the code`(_ row: Row) throws {
        let cell = try #require(Self.cells[row.subject])
        #expect(cell.hasPrefix(row.bound), "the page says: \(cell)")
    }

    /// Returns a size in the largest unit that divides it.
    private static func size(_ bytes: Int) -> String {
        bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
    }

    /// Returns a number with a comma before each third digit from the end.
    private static func grouped(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : grouped(number / 1_000) + "," + String(1_000 + number % 1_000).dropFirst()
    }
}
