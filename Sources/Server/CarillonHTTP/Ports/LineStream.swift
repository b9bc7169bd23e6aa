import NIOCore

/// Lines that a subscription of events writes to a connected reader. Confined to the loop of the port.
// Safety: the port has one loop, and every use is on it.
final class LineStream: @unchecked Sendable {
    /// The closure that writes bytes, called once the head of the answer is written.
    var onLines: ((ByteBuffer) -> Void)? {
        didSet { deliver() }
    }
    /// The closure that is called when the stream ends by itself.
    var onEnd: (() -> Void)? {
        didSet { if hasEnded { onEnd?() } }
    }
    /// The test whether the reader can take more: false while bytes wait for it.
    var isWritable: () -> Bool = { true }
    /// The closure that is called when the reader can take more.
    var onDrain: (() -> Void)?
    /// The closure that is called when the reader is gone.
    var onClose: (() -> Void)?
    private var waiting = ByteBuffer()
    private var hasEnded = false

    func write(_ bytes: [UInt8]) {
        waiting.writeBytes(bytes)
        deliver()
    }

    private func deliver() {
        guard let onLines, waiting.readableBytes > 0 else { return }
        let lines = waiting
        waiting = ByteBuffer()
        onLines(lines)
    }

    func end() {
        hasEnded = true
        onEnd?()
    }
}
