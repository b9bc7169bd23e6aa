import CarillonAPNs
import CarillonCore
import CarillonTLS
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonTransport

/// What we have to say to a peer that does not read must not gather in memory.
@Suite struct WritabilityTests {
    /// A connection that stands, and the peer's end of its TLS.
    private struct Line {
        let channel = EmbeddedChannel()
        let peer: TLSSession

        init() throws {
            let authority = try TestAuthority.shared.get()
            let upstream = Upstream(
                key: PoolKey(environment: .production, credential: "main"), host: "127.0.0.1", port: 1,
                serverName: "localhost", tls: authority.clientContext, authorization: .token(authority.tokens()),
                epoch: .zero)
            let observer = APNsConnection.Observer(
                greeted: {}, opened: {}, retired: { _ in }, saturated: {}, credentialRefused: { _ in },
                laneReleased: {}, endedUnder: { _ in })
            let connection = APNsConnection(
                upstream, number: 1, limits: ConnectionMachine.Limits(), source: RecordingSource(), observer: observer,
                metrics: PoolMetrics(upstream.key), statistics: ConnectionStatistics(),
                laneFlag: InteractiveLaneOwnership.Flag(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            peer = try TLSSession(server: authority.serverContext(.good, protocols: ["h2"]))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.pipeline.syncOperations.addHandler(connection)
            for _ in 0..<10 where try shake() != .complete {}
            // The first frame of an HTTP/2 server: SETTINGS.
            try say(Frames.frame(4, flags: 0, stream: 0, []))
        }

        private func shake() throws -> HandshakeProgress {
            _ = try heard()
            let progress = try peer.handshake()
            try pass()
            return progress
        }

        /// Takes what the connection has written; returns how many bytes it were.
        func heard() throws -> Int {
            var count = 0
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                count += bytes.readableBytes
                try bytes.withUnsafeReadableBytes { try peer.receive(ciphertext: $0) }
            }
            return count
        }

        private func pass() throws {
            var bytes = ByteBuffer()
            peer.takeCiphertext { _ = bytes.writeBytes($0) }
            if bytes.readableBytes > 0 { try channel.writeInbound(bytes) }
        }

        func say(_ frames: [UInt8]) throws {
            try frames.withUnsafeBytes { try peer.write($0) }
            try pass()
        }

        func ping() throws { try say(Frames.frame(6, flags: 0, stream: 0, [UInt8](repeating: 7, count: 8))) }

        func setWritable(_ isWritable: Bool) {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }

    @Test func whatTheChannelDoesNotTakeGoesWhenItTakesMore() throws {
        let line = try Line()
        #expect(try line.heard() > 0)
        line.setWritable(false)
        for _ in 0..<50 { try line.ping() }
        #expect(try line.heard() == 0)
        line.setWritable(true)
        #expect(try line.heard() > 50 * 17, "every PING has its answer")
        _ = try? line.channel.finish()
    }

    @Test func aPeerThatAsksAndNeverReadsIsDropped() throws {
        let line = try Line()
        _ = try line.heard()
        line.setWritable(false)
        for _ in 0..<200 where line.channel.isActive { try line.ping() }
        #expect(!line.channel.isActive)
        // The end of TLS, and nothing that has gathered.
        #expect(try line.heard() < 100)
    }
}
