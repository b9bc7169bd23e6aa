/// The state of work that a caller does piece by piece.
package enum Completeness: Hashable, Sendable {
    /// The work is done.
    case complete
    /// More work is left: the caller calls again.
    case incomplete
}
