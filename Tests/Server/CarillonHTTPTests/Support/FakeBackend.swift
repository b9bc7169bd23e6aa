import CarillonCore
import CarillonTestKit
import Glibc
import NIOCore
import Synchronization

@testable import CarillonHTTP

/// A server whose sessions are connections to a scripted server.
final class FakeBackend: HTTPBackend {
    /// The error of a server that opens no more sessions.
    struct FullError: Error {}

    private let port: Int
    private let state = Mutex((opened: 0, isFull: false))

    init(_ server: ScriptedServer) { port = server.port }

    var opened: Int { state.withLock { $0.opened } }

    /// Opens no more sessions.
    func fill() { state.withLock { $0.isFull = true } }

    func openSession(for clientAddress: String) throws -> CInt {
        try state.withLock { state in
            guard !state.isFull else { throw FullError() }
            state.opened += 1
        }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let result = try SocketAddress(ipAddress: "127.0.0.1", port: port).withSockAddr { address, size in
            connect(descriptor, address, socklen_t(size))
        }
        guard result == 0 else { throw FullError() }
        return descriptor
    }

    func sample(_ done: @escaping @Sendable (ConsoleSample?) -> Void) { done(nil) }
    func content(of message: MessageID, app: AppID, _ done: @escaping @Sendable (MessageContent?) -> Void) { done(nil) }
    var position: ClusterPosition? { nil }
    func awaitPosition(_ number: UInt64, _ done: @escaping @Sendable (Bool) -> Void) { done(true) }
    var configuration: [UInt8] { [] }
}
