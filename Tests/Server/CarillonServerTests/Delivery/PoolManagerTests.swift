import CarillonCore
import CarillonTransport
import CoreMetrics
import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import CarillonServer

/// The pools of a deployment after each change. They have no work, so none of them connects.
struct PoolManagerTests {
    /// The threads of all pools; they live as long as the process.
    private static let threads = ServerThreads(
        clientThreads: 1, bulkNiceness: 0, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

    private let files: DeploymentFiles
    private let delivery: DeliveryService
    private let pools: PoolManager

    init() throws {
        files = try DeploymentFiles()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        delivery = DeliveryService(
            registry: FakeRegistry { _ in .applied }, routes: Routes([:]),
            on: DeliveryService.Dependencies(
                readThreads: Self.threads.deliveryReads, loop: Self.threads.interactive.next(), logger: logger,
                factory: NOOPMetricsHandler.instance))
        pools = PoolManager(
            epoch: .zero, threads: Self.threads, delivery: delivery, factory: NOOPMetricsHandler.instance,
            logger: logger)
    }

    /// The pools that there are now, by credential.
    private var present: [String: ObjectIdentifier] {
        Dictionary(uniqueKeysWithValues: pools.all.map { ($0.key.credential, $0.identity) })
    }

    @Test func `a pool is the same as long as its credential is`() async throws {
        #expect(try pools.apply(files.deployment()).toOpen.map(\.credential) == ["main"])
        let first = present
        try files.writeApps(credentials: ["main"], apps: ["com.example.game": "main", "com.example.chat": "main"])
        #expect(try pools.apply(files.deployment()).toRenew.map(\.credential) == ["main"])
        #expect(present == first)

        try files.makeKey("main")
        #expect(try pools.apply(files.deployment()).toReplace.map(\.credential) == ["main"])
        #expect(present.keys.sorted() == ["main"])
        #expect(present != first)
        await pools.close()
    }

    @Test func `a pool that replaces another continues its counters`() async throws {
        _ = try pools.apply(files.deployment())
        let metrics = pools.all.compactMap { ($0 as? PushPool).map { ObjectIdentifier($0.metrics) } }
        try files.makeKey("main")
        _ = try pools.apply(files.deployment())
        #expect(pools.all.compactMap { ($0 as? PushPool).map { ObjectIdentifier($0.metrics) } } == metrics)
        await pools.close()
    }

    @Test func `an app without credential has no pool`() async throws {
        _ = try pools.apply(files.deployment())
        try files.write("apps.json", #"{"credentials": {}, "apps": {"com.example.game": {}}}"#)
        #expect(try pools.apply(files.deployment()).toClose.map(\.credential) == ["main"])
        #expect(present.isEmpty)
        await pools.close()
    }

    @Test func `no pool changes if one cannot be made`() async throws {
        _ = try pools.apply(files.deployment())
        let before = present
        try files.makeKey("main")
        try files.makeKey("second")
        try files.writeApps(
            credentials: ["main", "second"], apps: ["com.example.game": "main", "com.example.chat": "second"])
        var settings = try files.settings()
        settings.apns.authoritiesFile = files.path("ca.pem")
        let deployment = try Deployment(settings)
        // The files were good when they were checked.
        try FileManager.default.removeItem(atPath: files.path("ca.pem"))
        #expect(throws: SettingsError.self) { try pools.apply(deployment) }
        #expect(present == before)
        await pools.close()
    }
}
