package import CarillonCore

/// The server as the HTTP ports use it. The server implements this, so that this module knows none of its types.
package protocol HTTPBackend: Sendable {
    /// Opens a session of the server, as a client's connection does, and returns the other end, a connected stream
    /// socket that the caller owns. The limits of client connections count it too.
    ///
    /// - Parameter clientAddress: the client, as the log and the audit lines show it.
    func openSession(for clientAddress: String) throws -> CInt
    /// Gives a sample to `done`, on any thread; nil while the server ends.
    func sample(_ done: @escaping @Sendable (ConsoleSample?) -> Void)
    /// Gives the content of a message to `done`, on any thread; nil if the app has no such message, or while the server
    /// ends.
    func content(of message: MessageID, app: AppID, _ done: @escaping @Sendable (MessageContent?) -> Void)
    /// The position of this server in the log of its cluster; nil if the server belongs to none, or has not joined it.
    var position: ClusterPosition? { get }
    /// Calls `done` with true, on any thread, when the server has applied its cluster's log up to that number. Calls it
    /// with false if that takes longer than the server waits.
    func awaitPosition(_ number: UInt64, _ done: @escaping @Sendable (Bool) -> Void)
    /// The configuration in force as a JSON object, without secrets.
    var configuration: [UInt8] { get }
}
