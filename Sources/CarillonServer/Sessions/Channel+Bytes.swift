import Glibc
import NIOCore

extension Channel {
    /// Bytes of memory that hold what the socket was given and the peer's machine has not acknowledged; over a Unix socket,
    /// what the peer has not read. Fails where that cannot be known.
    func bytesOnTheirWay() -> EventLoopFuture<UInt32> {
        guard let provider = self as? any SocketOptionProvider else {
            return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let figures: EventLoopFuture<SocketMemory> = provider.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel.socket, name: NIOBSDSocket.Option(rawValue: SocketMemory.option))
        return figures.map { max($0.allocatedForWriting, $0.queuedForWriting) }
    }
}

/// What the kernel tells with `SO_MEMINFO`, as it lays it out.
private struct SocketMemory {
    /// `SO_MEMINFO`, which Glibc does not show to Swift.
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
