import CarillonProvider
import CarillonTLS
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonTransport

/// An open connection on a channel without a network, and the TLS session of its peer.
struct EmbeddedConnection {
    private let channel = EmbeddedChannel()
    private let peer: TLSSession

    init() throws {
        let certificates = try TestCertificates.shared.get()
        let target = certificates.target(port: 1)
        let connection = PushConnection(
            PushConnection.Identity(
                number: 1, statistics: ConnectionStatistics(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            of: PushConnection.Dependencies(
                target: target, metrics: PoolMetrics(target.key), log: ConnectionLogger(),
                laneFlag: InteractiveLaneOwnership.Flag()),
            limits: ConnectionMachine.Limits(), source: RecordingSource(), report: { _ in })
        peer = try TLSSession(server: certificates.serverContext(.good, protocols: ["h2"]))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.pipeline.syncOperations.addHandler(connection)
        var isComplete = false
        for _ in 0..<10 where !isComplete {
            _ = try bytesFromConnection()
            isComplete = try advanceHandshake() == .complete
        }
        try #require(isComplete, "the handshake does not end")
        // The first frame of an HTTP/2 server: SETTINGS.
        try send(Frames.frame(.settings, stream: 0, []))
    }

    private func advanceHandshake() throws -> HandshakeProgress {
        let progress = try peer.handshake()
        try deliver()
        return progress
    }

    private func deliver() throws {
        var bytes = ByteBuffer()
        peer.takeCiphertext { _ = bytes.writeBytes($0) }
        if bytes.readableBytes > 0 { try channel.writeInbound(bytes) }
    }

    var isOpen: Bool { channel.isActive }

    /// Reads what the connection has written since the last call. Returns the number of bytes.
    func bytesFromConnection() throws -> Int {
        var count = 0
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
            count += bytes.readableBytes
            try bytes.withUnsafeReadableBytes { try peer.receive(ciphertext: $0) }
        }
        return count
    }

    func send(_ frames: [UInt8]) throws {
        try frames.withUnsafeBytes { try peer.write($0) }
        try deliver()
    }

    /// Sends a PING from the peer, which the connection must answer.
    func sendPing() throws { try send(Frames.frame(.ping, stream: 0, [UInt8](repeating: 7, count: 8))) }

    /// Lets the channel take bytes, or take none, as if the peer did not read.
    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }
}
