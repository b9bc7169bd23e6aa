import NIOCore
import NIOEmbedded

/// A connection from a peer to a metrics port, without a socket.
final class MetricsPeer {
    let channel: EmbeddedChannel

    init(_ channel: EmbeddedChannel) { self.channel = channel }

    var isOpen: Bool { channel.isActive }

    /// Sends text, as far as the connection is open.
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
