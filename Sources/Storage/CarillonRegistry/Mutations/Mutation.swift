import CarillonCore

/// The unit of the writer's work, applied as a whole or not at all. A record of the write-ahead log is a sequence of
/// mutations.
///
/// A `Change` is what a caller asks for; a mutation is one or more of them that succeed or fail together.
enum Mutation: Hashable, Sendable {
    /// One change. Most mutations are of this case, which needs no list.
    case change(Change)
    /// Changes that take effect together.
    case changes([Change])
    /// A sweep: the removal of a bounded part of the rows whose retention is over.
    case sweep(now: Timestamp)
}
