import CarillonCore
import CoreMetrics
import NIOCore
import NIOPosix
import Testing

@testable import CarillonServer

/// The text of `/metrics` while the server starts, runs and ends.
struct MetricsSamplerTests {
    private let health = Health()
    private let registry = FakeRegistry { _ in .applied }
    private let limiter = ConnectionLimiter(.init(connections: 9, halfOpen: 9, halfOpenPerAddress: 9))
    private let memory = SharedMemoryBudget(limit: 1 << 20)

    /// Makes a sampler that has nothing to sample yet. It keeps a text for a moment, so each text has a sampler of its
    /// own.
    private func sampler() -> MetricsSampler { MetricsSampler(Prometheus(), health: health) }

    private var services: MetricsSampler.SampledServices {
        let threads = ScriptedConnection.threads
        let (factory, logger) = (NOOPMetricsHandler.instance, ScriptedConnection.logger)
        let delivery = DeliveryService(
            registry: registry, routes: Routes([:]),
            on: DeliveryService.Dependencies(
                reader: threads.deliveryReads, loop: threads.interactive.next(), logger: logger, factory: factory))
        return MetricsSampler.SampledServices(
            registry: registry, delivery: delivery,
            pools: PoolManager(epoch: .zero, threads: threads, delivery: delivery, factory: factory, logger: logger),
            limiter: limiter, memory: memory, counts: RegistryCounter(registry, on: threads.upkeep), limitBytes: 4_096)
    }

    /// Returns the values of the series of these names: `name value`. Those that are missing are left out.
    private func values(_ sampler: MetricsSampler, _ names: String...) async throws -> [String] {
        let text = try await sampler.text(on: ScriptedConnection.threads.interactive.next()).get()
        let lines = text.split(separator: "\n").map(String.init)
        return names.flatMap { name in lines.filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") } }
    }

    @Test func beforeTheStartAndAfterTheEndOnlyTheProcessIsSampled() async throws {
        let names = ("carillon_ready", "carillon_client_connections")
        #expect(try await values(sampler(), names.0, names.1) == ["carillon_ready 0"])
        let ended = sampler()
        ended.start(services)
        ended.stop()
        health.phaseEntered(.draining)
        #expect(try await values(ended, names.0, names.1) == ["carillon_ready 0"])
    }

    @Test func aServerThatIsReadyHasItsPartsSampled() async throws {
        health.phaseEntered(.ready)
        for address: UInt32 in 1...3 {
            guard case .admitted(let id, _) = limiter.admit(from: .ipv4(address)) else { continue }
            if address > 1 { limiter.clientIdentified(id) }
        }
        let sampler = sampler()
        sampler.start(services)
        let values = try await values(
            sampler, "carillon_ready", "carillon_client_connections", "carillon_client_half_open_connections",
            "carillon_database_limit_bytes", #"carillon_lane_messages{lane="bulk"}"#)
        #expect(
            values == [
                "carillon_ready 1", "carillon_client_connections 3", "carillon_client_half_open_connections 1",
                "carillon_database_limit_bytes 4096", #"carillon_lane_messages{lane="bulk"} 0"#,
            ])
    }

    /// The registry of these tests cannot be read: its statistics fail.
    @Test func aRegistryThatHasFailedHidesNoOtherMetric() async throws {
        let sampler = sampler()
        sampler.start(services)
        let values = try await values(
            sampler, "carillon_database_bytes", "carillon_messages_stored", "carillon_messages_in_memory",
            "carillon_queue_changes")
        #expect(values == ["carillon_messages_in_memory 0", "carillon_queue_changes 0"])
    }

    @Test func aNodeThatIsNotReadyMakesTheServerNotReady() async throws {
        health.phaseEntered(.ready)
        health.takeReasonNotReady { "The node starts." }
        #expect(try await values(sampler(), "carillon_ready") == ["carillon_ready 0"])
    }
}
