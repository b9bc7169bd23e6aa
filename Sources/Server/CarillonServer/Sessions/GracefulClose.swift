import Glibc
import NIOCore

/// Ends a connection: the client gets everything that was written, and then the socket closes.
///
/// A socket that is closed with unread bytes resets the connection, which destroys what the client has not received
/// yet. So the sending direction ends first, and the handler reads on and ignores what comes.
///
/// Confined to the channel's event loop.
final class GracefulClose {
    private let channel: any Channel
    private var isInputClosed: Bool
    private var isAllSent = false

    /// How long a client may leave its answers in the socket.
    static let stallTimeout = TimeAmount.seconds(30)
    /// The time from the moment when the client's machine has everything to the close.
    private static let lingerDelay = TimeAmount.milliseconds(500)
    /// The time between two checks whether the client's machine has everything.
    private static let checkInterval = TimeAmount.milliseconds(50)

    /// Makes the end of a channel; `begin` starts it.
    ///
    /// - Parameter isInputClosed: true if the client has closed its sending direction already.
    init(_ channel: any Channel, isInputClosed: Bool) {
        self.channel = channel
        self.isInputClosed = isInputClosed
    }

    /// Sends what was written and begins the close.
    func begin(_ context: ChannelHandlerContext) {
        let channel = channel
        // A client may never read what was written. This bounds the wait for it.
        let timeout = context.eventLoop.scheduleTask(in: Self.stallTimeout) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timeout.cancel() }
        let isSent = context.eventLoop.makePromise(of: Void.self)
        isSent.futureResult.flatMap { channel.close(mode: .output) }.assumeIsolated().whenComplete { [self] _ in
            isAllSent = true
            guard !isInputClosed else { return channel.close(promise: nil) }
            linger()
        }
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: isSent)
    }

    /// Called when the client has closed its sending direction: from now on no bytes of it can cause a reset. Closes at
    /// once if everything was sent.
    func inputClosed() {
        isInputClosed = true
        if isAllSent { channel.close(promise: nil) }
    }

    /// Closes some time after the client's machine has everything. Bytes that the client sends to a closed socket are
    /// answered with a reset, and the reset destroys what the machine has not passed on to the client.
    private func linger() {
        guard channel.isActive else { return }
        channel.unacknowledgedBytes().assumeIsolated().whenComplete { [self] result in
            guard case .success(let bytes) = result, bytes > 0 else {
                channel.eventLoop.scheduleTask(in: Self.lingerDelay) { [channel] in channel.close(promise: nil) }
                return
            }
            channel.eventLoop.assumeIsolated().scheduleTask(in: Self.checkInterval) { self.linger() }
        }
    }
}

/// The memory that a socket holds in the kernel.
extension Channel {
    /// Returns the bytes of kernel memory for data that the peer's machine has not acknowledged, or that the peer of a
    /// Unix socket has not read. Fails where the kernel does not tell.
    func unacknowledgedBytes() -> EventLoopFuture<UInt32> {
        guard let provider = self as? any SocketOptionProvider else {
            return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let memory: EventLoopFuture<SocketMemory> = provider.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel.socket, name: NIOBSDSocket.Option(rawValue: SocketMemory.option))
        return memory.map { max($0.allocatedForWriting, $0.queuedForWriting) }
    }
}

/// The answer of the kernel to `SO_MEMINFO`, in the kernel's layout.
private struct SocketMemory {
    /// The socket option `SO_MEMINFO`, which Glibc does not show to Swift.
    static let option: CInt = 55

    var allocatedForReading: UInt32 = 0
    var readBuffer: UInt32 = 0
    var allocatedForWriting: UInt32 = 0
    var writeBuffer: UInt32 = 0
    var allocatedAhead: UInt32 = 0
    var queuedForWriting: UInt32 = 0
    var options: UInt32 = 0
    var backlog: UInt32 = 0
    var drops: UInt32 = 0
}
