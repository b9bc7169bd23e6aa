import CarillonTestKit
import NIOCore
import NIOEmbedded

@testable import CarillonServer

/// A metrics port and its time, without sockets.
final class EmbeddedMetricsPort {
    let loop = EmbeddedEventLoop()
    private let text: LateText
    private let port: MetricsPort

    init() {
        let text = LateText(on: loop)
        // The port is released on another thread, which must not release the promise: it belongs to the loop.
        let port = MetricsPort(health: Health()) { [weak text] loop in
            text?.promise.futureResult ?? loop.makeFailedFuture(ChannelError.eof)
        }
        CleanUp.add { await port.close() }
        self.text = text
        self.port = port
    }

    func answer(_ metrics: String) { text.promise.succeed(metrics) }

    func connect() throws -> MetricsPeer {
        let channel = EmbeddedChannel(loop: loop)
        try port.accept(channel)
        try channel.connect(to: SocketAddress(ipAddress: "10.0.0.7", port: 80)).wait()
        return MetricsPeer(channel)
    }

    func connect(count: Int) throws -> [MetricsPeer] { try (0..<count).map { _ in try connect() } }
}

/// The answer to `/metrics`, when the test says so.
// Safety: a test runs on one thread.
private final class LateText: @unchecked Sendable {
    let promise: EventLoopPromise<String>

    init(on loop: any EventLoop) { promise = loop.makePromise() }

    /// A promise that nothing keeps is a fault of the test.
    deinit { promise.fail(ChannelError.eof) }
}

/// A connection from a peer to a metrics port, without a socket.
final class MetricsPeer {
    let channel: EmbeddedChannel

    init(_ channel: EmbeddedChannel) { self.channel = channel }

    var isOpen: Bool { channel.isActive }

    /// Sends text, unless the connection is closed.
    func send(_ text: String) throws {
        guard isOpen else { return }
        defer { channel.embeddedEventLoop.run() }
        try channel.writeInbound(ByteBuffer(string: text))
    }

    /// Returns what was written since the last call: the line of the status and the body; then `closed`.
    func answer() throws -> [String] {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true).map(String.init)
        let isHeader: (String) -> Bool = { $0.contains(": ") }
        return lines.filter { !isHeader($0) }.map { $0.trimmingPrefix("HTTP/1.1 ") }.map(String.init)
            + (isOpen ? [] : ["closed"])
    }
}

extension Prometheus {
    /// Returns the lines of the series whose names and labels begin with `prefix`: `name{labels} value`.
    func series(_ prefix: String) -> [String] {
        text().split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
    }
}
