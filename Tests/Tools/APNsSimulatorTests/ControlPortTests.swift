import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CarillonSimulator

/// The framing of the control port, with a service that has two commands of its own.
struct ControlPortTests {
    private final class FakeService: SimulatedService {
        static let commands = "parts, wait"
        let connections = OpenConnections(maxStreams: 10)
        let goAway = Fault.GoAway()
        let stats = "STATS"
        private let faults = Mutex(Faults(certificates: ("", ""), seed: 1))
        /// The functions that end the commands `wait`.
        private let waiters = Mutex<[@Sendable () -> Void]>([])

        func withFaults<Result: Sendable>(_ body: (inout Faults) throws -> Result) rethrows -> Result {
            try faults.withLock { try body(&$0) }
        }

        func addRule(_ json: String) throws { throw SimulatorError(text: "no rule: \(json)") }
        func removeFaults() {}
        func reset() {}

        func carryOut(_ command: ControlCommand) -> ControlResponse? {
            switch command.name {
            case "parts":
                var parts = [["1", "2"], ["3"]]
                return .parts { parts.isEmpty ? nil : parts.removeFirst() }
            case "wait": return .statsLater { done in self.waiters.withLock { $0.append(done) } }
            default: return nil
            }
        }

        func endWaits() { for done in waiters.withLock({ $0 }) { done() } }
    }

    private let service = FakeService()
    private let channel = EmbeddedChannel()

    init() throws { try channel.pipeline.syncOperations.addHandler(ControlPort(service)) }

    /// Sends `text` to the port, and returns the response.
    private func send(_ text: String) throws -> String {
        try channel.writeInbound(ByteBuffer(string: text))
        return try received()
    }

    private func received() throws -> String {
        channel.embeddedEventLoop.run()
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    @Test(arguments: [
        ("stats\n", "STATS\n\n"), ("stats\nstats\n", "STATS\n\nSTATS\n\n"), ("\n \n", ""), ("sta", ""),
        ("parts\nstats\n", "1\n2\n3\n\nSTATS\n\n"), ("reset\n", "{\"ok\":true}\n\n"),
        ("max-streams 7\n", "{\"connections\":0}\n\n"), ("max-streams x\n", "{\"error\":\"not a number\"}\n\n"),
        ("rule {}\n", "{\"error\":\"no rule: {}\"}\n\n"),
        ("dance\n", "{\"error\":\"unknown command; there are parts, wait\"}\n\n"),
    ])
    func `a line is answered by lines and an empty line`(_ sent: String, _ expected: String) throws {
        #expect(try send(sent) == expected)
    }

    @Test func `a line may come in pieces`() throws {
        #expect(try send("sta") == "")
        #expect(try send("ts\nst") == "STATS\n\n")
        #expect(try send("ats\n") == "STATS\n\n")
    }

    @Test func `a command that waits leaves later ones alone`() throws {
        #expect(try send("wait\nreset\n") == "{\"ok\":true}\n\n")
        service.endWaits()
        #expect(try received() == "STATS\n\n")
    }

    @Test func `the stream limit is that of the last command`() throws {
        _ = try send("max-streams 7\nmax-streams 3\n")
        #expect(service.connections.maxStreams == 3)
    }

    @Test func `an endless line ends the connection`() throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        _ = try send(String(repeating: "x", count: 65_537))
        #expect(channel.isActive == false)
    }
}
