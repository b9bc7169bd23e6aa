import CarillonCore
import Logging

/// The lines of a client in the log of its program: what happens to its connections.
struct ClientLog {
    private let logger: Logger?

    init(_ logger: Logger?, server: CarillonClient.Configuration.Address) {
        var logger = logger
        logger?[metadataKey: "server"] = "\(server)"
        self.logger = logger
    }

    /// A connection has opened, after as many failures.
    func opened(after failures: Int) {
        if failures > 0 {
            logger?.notice("connected to Carillon again", metadata: ["failures": "\(failures)"])
        } else {
            logger?.debug("connected to Carillon")
        }
    }

    /// The server asks for another connection, after so many milliseconds.
    func goingAway(reconnectAfter: UInt64) {
        logger?.info(
            "the server takes no more requests on this connection",
            metadata: ["reconnect-after-ms": "\(reconnectAfter)"])
    }

    /// A connection was lost, or could not be made.
    ///
    /// - Parameter pause: milliseconds before the next attempt.
    func ended(_ error: CarillonError, hadOpened: Bool, failures: Int, pause: UInt64) {
        let values: Logger.Metadata = [
            "code": "\(error.code)", "error": "\(error.message)", "failures": "\(failures)",
            "next-attempt-ms": "\(pause)",
        ]
        if error.code == .server(.authenticationFailed) {
            logger?.error("Carillon refuses the credential of this client", metadata: values)
        } else if hadOpened {
            logger?.warning("the connection to Carillon is lost", metadata: values)
        } else {
            logger?.warning("cannot connect to Carillon", metadata: values)
        }
    }
}
