import CarillonCore
import CarillonTestKit
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
    private let memory = SharedMemoryBudget(limitBytes: 1 << 20)

    /// Makes a sampler that has nothing to sample yet. It keeps a text for a moment, so each text has a sampler of its
    /// own.
    private func makeSampler() -> MetricsSampler { MetricsSampler(Prometheus(), health: health) }

    private var services: MetricsSampler.Services {
        IdleServices(registry).forSampler(limiter: limiter, memory: memory, databaseLimitBytes: 4_096)
    }

    /// Returns the values of the series of these names: `name value`. Those that are missing are left out.
    private func values(_ sampler: MetricsSampler, _ names: String...) async throws -> [String] {
        let text = try await sampler.text(on: ScriptedConnection.threads.interactive.next()).get()
        let lines = text.split(separator: "\n").map(String.init)
        return names.flatMap { name in lines.filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") } }
    }

    /// Admits a connection of a client.
    private func admit(from source: ConnectionSource, isIdentified: Bool) throws {
        guard case .admitted(let id, _) = limiter.admit(from: source) else {
            throw ScriptedServer.UnexpectedPeerAction.noConnection
        }
        if isIdentified { limiter.clientIdentified(id) }
    }

    @Test func `before the start and after the end only the process is sampled`() async throws {
        let notStarted = makeSampler()
        #expect(try await values(notStarted, "carillon_ready", "carillon_client_connections") == ["carillon_ready 0"])
        let ended = makeSampler()
        ended.start(services)
        ended.stop()
        health.phaseEntered(.draining)
        #expect(try await values(ended, "carillon_ready", "carillon_client_connections") == ["carillon_ready 0"])
    }

    @Test func `a server that is ready has its parts sampled`() async throws {
        health.phaseEntered(.ready)
        try admit(from: .ipv4(1), isIdentified: false)
        try admit(from: .ipv4(2), isIdentified: true)
        try admit(from: .ipv4(3), isIdentified: true)
        let sampler = makeSampler()
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
    @Test func `a registry that has failed hides no other metric`() async throws {
        let sampler = makeSampler()
        sampler.start(services)
        let values = try await values(
            sampler, "carillon_database_bytes", "carillon_messages_stored", "carillon_messages_in_memory",
            "carillon_queue_changes")
        #expect(values == ["carillon_messages_in_memory 0", "carillon_queue_changes 0"])
    }

    @Test func `a node that is not ready makes the server not ready`() async throws {
        health.phaseEntered(.ready)
        health.setReasonNotReady { "The node starts." }
        #expect(try await values(makeSampler(), "carillon_ready") == ["carillon_ready 0"])
    }
}
