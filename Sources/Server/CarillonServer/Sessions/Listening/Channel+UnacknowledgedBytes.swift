import Glibc
import NIOCore

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
