import CarillonAPNs
import CarillonCore
import CarillonProvider
import CarillonTLS
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonTransport

/// The bytes for a peer that does not read: they must not collect in memory.
struct SecureHTTP2WritabilityTests {
    /// An open connection, and the peer's end of its TLS.
    private struct Link {
        let channel = EmbeddedChannel()
        let peer: TLSSession

        init() throws {
            let certificates = try TestCertificates.shared.get()
            let upstream = Upstream(
                key: PoolKey(destination: .apnsProduction, credential: "main"),
                server: Upstream.Server(host: "127.0.0.1", port: 1, certificateName: "localhost"),
                tls: certificates.clientContext, authorization: .token(certificates.tokens()),
                adapter: APNsAdapter(epoch: .zero))
            let observer = PushConnection.Observer(
                settingsReceived: {}, opened: {}, retired: { _, _ in }, saturated: {}, blocked: {},
                credentialRefused: { _ in },
                tokenRefused: { _ in }, laneReleased: {}, endedUnder: { _ in })
            let connection = PushConnection(
                PushConnection.Identity(
                    number: 1, statistics: ConnectionStatistics(),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
                of: PushConnection.Dependencies(
                    upstream: upstream, metrics: PoolMetrics(upstream.key), log: ConnectionLog(),
                    laneFlag: InteractiveLaneOwnership.Flag()),
                limits: ConnectionMachine.PushConnectionLimits(), source: RecordingSource(), observer: observer)
            peer = try TLSSession(server: certificates.serverContext(.good, protocols: ["h2"]))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.pipeline.syncOperations.addHandler(connection)
            for _ in 0..<10 where try advanceHandshake() != .complete {}
            // The first frame of an HTTP/2 server: SETTINGS.
            try send(Frames.frame(4, flags: 0, stream: 0, []))
        }

        private func advanceHandshake() throws -> HandshakeProgress {
            _ = try received()
            let progress = try peer.handshake()
            try deliver()
            return progress
        }

        /// Reads what the connection has written. Returns the number of bytes.
        func received() throws -> Int {
            var count = 0
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                count += bytes.readableBytes
                try bytes.withUnsafeReadableBytes { try peer.receive(ciphertext: $0) }
            }
            return count
        }

        private func deliver() throws {
            var bytes = ByteBuffer()
            peer.takeCiphertext { _ = bytes.writeBytes($0) }
            if bytes.readableBytes > 0 { try channel.writeInbound(bytes) }
        }

        func send(_ frames: [UInt8]) throws {
            try frames.withUnsafeBytes { try peer.write($0) }
            try deliver()
        }

        func ping() throws { try send(Frames.frame(6, flags: 0, stream: 0, [UInt8](repeating: 7, count: 8))) }

        func setWritable(_ isWritable: Bool) {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }

    @Test func bytesThatTheChannelDoesNotTakeAreSentWhenItIsWritable() throws {
        let link = try Link()
        #expect(try link.received() > 0)
        link.setWritable(false)
        for _ in 0..<50 { try link.ping() }
        #expect(try link.received() == 0)
        link.setWritable(true)
        #expect(try link.received() > 50 * 17, "every PING has its answer")
        _ = try? link.channel.finish()
    }

    @Test func aPeerThatSendsPingsAndNeverReadsIsDropped() throws {
        let link = try Link()
        _ = try link.received()
        link.setWritable(false)
        for _ in 0..<1_100 where link.channel.isActive { try link.ping() }
        #expect(!link.channel.isActive)
        // The end of TLS, and none of the collected bytes.
        #expect(try link.received() < 100)
    }
}
