/// Whether work that is done piece by piece is done.
package enum Completeness: Hashable, Sendable {
    /// Nothing is left to do.
    case complete
    /// The caller calls again, to do more.
    case incomplete
}
