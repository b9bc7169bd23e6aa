/// What the HTTP ports need of the server. The server implements it, so that this module knows none of its types.
package protocol ConsoleServer: Sendable {
    /// A connected stream socket whose other end is a session of the server, as a client's connection is; the caller owns
    /// it. The session counts and limits it as any connection.
    ///
    /// - Parameter address: the peer that it is opened for, as the log and the audit lines show it.
    func openSession(for address: String) throws -> CInt
    /// Gives a sample to `done`, on any thread; nil while the server ends.
    func sample(_ done: @escaping @Sendable (ConsoleSample?) -> Void)
    /// The configuration in force as a JSON object, without secrets.
    var configuration: [UInt8] { get }
}
