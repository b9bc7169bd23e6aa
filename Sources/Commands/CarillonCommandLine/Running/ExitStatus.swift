package import CarillonClient
import CarillonCore
import Foundation

/// The exit status of a command.
package enum ExitStatus: Int32, Error, CaseIterable {
    case done = 0
    /// The server or the user refused the request, or a check failed.
    case refused = 1
    /// The arguments are wrong, or a file cannot be used.
    case usage = 2
    /// The server is not reachable, or there was no answer in time.
    case unreachable = 3
    /// A message did not reach every device, or had none.
    case notAllDelivered = 4
    /// The command was interrupted: a message goes on, the same import continues.
    case interrupted = 5
    /// Stored data is corrupt.
    case damaged = 6

    package init(_ error: CarillonError) {
        self =
            switch (error.code, error.code.server) {
            // The client itself refuses what it was given: nothing was sent.
            case (.invalidArgument, _) where error.attempts == 0: .usage
            case (_, .some(.deadline)), (_, .some(.draining)), (_, .some(.timeout)), (_, .some(.tooManyConnections)):
                .unreachable
            case (_, .some): .refused
            default: .unreachable
            }
    }
}
